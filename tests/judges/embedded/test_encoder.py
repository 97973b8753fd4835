"""Vectors depend on their own text alone, bit for bit, and the cache stays within its bound."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.judges.embedded.encoder import MOST_WINDOWS, WINDOW, Encoded, Encoder, cosines, stretches
from steelyard.judges.embedded.files import Files

TEXTS = [
    "The bridge opened in 1932.",
    "El puente se inauguró en 1932 y mide 503 metros.",
    "橋は1932年に開通しました。",
    "def add(a, b):\n    return a + b",
    "word " * 700,
    "",
    "👩\u200d🔬",
]


def same(left: Encoded, right: Encoded) -> bool:
    return all(
        np.array_equal(getattr(left, name), getattr(right, name)) for name in ("tokens", "offsets", "windows")
    )


@pytest.fixture(scope="module")
def alone(encoder: Encoder) -> dict[str, Encoded]:
    return {text: encoder.encode([text])[text] for text in TEXTS}


@settings(max_examples=10, deadline=None)
@given(batch=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=8))
def test_a_batch_moves_no_bit(encoder: Encoder, alone: dict[str, Encoded], batch: list[str]) -> None:
    assert all(same(encoded, alone[text]) for text, encoded in encoder.encode(batch).items())


def test_threads_move_no_bit(alone: dict[str, Encoded]) -> None:
    folder = Files.shipped().folder
    threaded = Encoder(folder / "encoder.onnx", folder / "tokenizer.json", threads=4)
    with ThreadPoolExecutor(4) as callers:
        answers = list(callers.map(lambda _: threaded.encode(reversed(TEXTS)), range(4)))
    threaded.close()
    assert all(same(answer[text], alone[text]) for answer in answers for text in TEXTS)


def test_a_long_text_is_read_in_windows_of_equal_length(alone: dict[str, Encoded]) -> None:
    encoded = alone["word " * 700]
    assert len(encoded.tokens) == 700
    assert len(encoded.windows) == -(-700 // WINDOW)
    assert len(encoded.offsets) == 700


def test_an_enormous_text_is_read_in_so_many_windows(encoder: Encoder) -> None:
    text = "word " * (WINDOW * (MOST_WINDOWS + 6))
    encoded = encoder.encode([text])[text]
    assert len(encoded.windows) == MOST_WINDOWS
    assert len(encoded.tokens) == len(encoded.offsets)
    assert (np.diff(encoded.offsets[:, 0]) > 0).all()
    assert encoded.offsets[-1, 0] > len(text) * 0.9


@settings(max_examples=25, deadline=None)
@given(text=st.text(alphabet=st.characters(codec=None), max_size=60))
def test_any_text_gets_vectors_with_true_offsets(encoder: Encoder, text: str) -> None:
    encoded = encoder.encode([text])[text]
    assert len(encoded.tokens) == len(encoded.offsets)
    assert ((encoded.offsets >= 0) & (encoded.offsets <= len(text))).all()
    assert encoded.tokens.dtype == np.int8


def test_lone_surrogates_do_not_shift_offsets(encoder: Encoder) -> None:
    text = "\ud83d\ude00 bridge"
    assert encoder.encode([text])[text].offsets[-1].tolist() == [3, 9]


def test_cosines_are_exact_sums_in_any_order() -> None:
    rng = np.random.default_rng(0)
    left, right = (rng.integers(-127, 128, size=(n, 384)).astype(np.int8) for n in (7, 300))
    exact = left.astype(np.int64) @ right.astype(np.int64).T
    norms = np.outer(*(np.sqrt((rows.astype(np.int64) ** 2).sum(axis=1)) for rows in (left, right)))
    assert np.array_equal(cosines(left, right), exact / norms)
    assert np.array_equal(cosines(left[:1], right[5:6]), cosines(left, right)[:1, 5:6])


def test_meaning_is_near(alone: dict[str, Encoded], encoder: Encoder) -> None:
    bridge = "The bridge was opened to traffic in 1932."
    near = encoder.encode([bridge])[bridge].windows
    assert cosines(alone[TEXTS[0]].windows, near)[0, 0] > 0.8
    assert cosines(alone[TEXTS[3]].windows, near)[0, 0] < 0.4


def test_a_stretch_without_tokens_is_zero(encoder: Encoder) -> None:
    text = "One sentence. Another one."
    encoded = encoder.encode([text])[text]
    vectors = stretches(encoded, [(0, 13), (14, 26), (26, 26)])
    assert vectors.shape == (3, 384)
    assert not vectors[2].any()
    assert vectors[:2].any(axis=1).all()


def test_the_cache_keeps_within_its_bytes() -> None:
    folder = Files.shipped().folder
    bound = 100_000
    small = Encoder(folder / "encoder.onnx", folder / "tokenizer.json", cache_bytes=bound)
    for i in range(40):
        small.encode([f"This is the sentence number {i} of the document."])
        assert small.cached_bytes <= bound
    assert small.cached_bytes > 0
    first = small.encode(["again"])["again"]
    assert small.encode(["again"])["again"] is first
    small.close()
