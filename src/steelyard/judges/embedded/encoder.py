"""Texts to vectors: one frozen int8 MiniLM in ONNX Runtime, one text window a run, without padding.

Nothing beside a window can move its numbers. Vectors are kept as 8-bit integers, so that every dot product is
an exact sum of integers and does not depend on threads, BLAS or the order of a batch.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vectors = NDArray[np.int8]
Floats = NDArray[np.float64]

WINDOW: Final = 254
"""Most tokens in a window, without its two marks; a longer text is cut into windows of equal length."""
MOST_WINDOWS: Final = 64
"""Of a text beyond this many windows (about 60,000 characters) only these, spread evenly, are encoded."""
CACHE_BYTES: Final = 32 << 20
DIMENSIONS: Final = 384
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Encoded:
    """One text's token vectors (n, 384), code point offsets (n, 2) and one vector a window (w, 384); all
    8-bit.

    A blank text has no tokens and no windows.
    """

    tokens: Vectors
    offsets: NDArray[np.int32]
    windows: Vectors

    @cached_property
    def token_norms(self) -> Floats:
        return _norms(self.tokens)

    @cached_property
    def window_norms(self) -> Floats:
        return _norms(self.windows)

    @property
    def nbytes(self) -> int:
        return self.tokens.nbytes + self.offsets.nbytes + self.windows.nbytes + 256


class Encoder:
    """Thread-safe. `threads` windows are encoded at a time; the results do not depend on it."""

    def __init__(
        self, model: Path, tokenizer: Path, *, threads: int = 1, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._marks = np.asarray(self._tokenizer.encode("").ids, dtype=np.int64)
        self._session = onnxruntime.InferenceSession(
            str(model), session_options(), providers=["CPUExecutionProvider"]
        )
        self._pool = ThreadPoolExecutor(threads, "steelyard-encode") if threads > 1 else None
        self._cache: OrderedDict[bytes, Encoded] = OrderedDict()
        self._bound = self._room = cache_bytes
        self._lock = Lock()

    def encode(self, texts: Iterable[str]) -> dict[str, Encoded]:
        """Each distinct text's vectors, from the cache where they are there."""
        found: dict[str, Encoded] = {}
        wanted: dict[str, bytes] = {}
        with self._lock:
            for text in dict.fromkeys(texts):
                digest = _digest(text)
                if (kept := self._cache.get(digest)) is not None:
                    self._cache.move_to_end(digest)
                    found[text] = kept
                else:
                    wanted[text] = digest
        made = self._pool.map(self._encode, wanted) if self._pool else map(self._encode, wanted)
        for (text, digest), encoded in zip(wanted.items(), made, strict=True):
            found[text] = encoded
            self._keep(digest, encoded)
        return found

    @property
    def cached_bytes(self) -> int:
        return self._bound - self._room

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown()

    def _keep(self, digest: bytes, encoded: Encoded) -> None:
        with self._lock:
            if digest in self._cache:
                return
            self._cache[digest] = encoded
            self._room -= encoded.nbytes
            while self._room < 0 and self._cache:
                _, dropped = self._cache.popitem(last=False)
                self._room += dropped.nbytes

    def _encode(self, text: str) -> Encoded:
        # One character for one, so that offsets stay true: the tokenizer refuses lone surrogates.
        clean = _SURROGATE.sub("\ufffd", text)
        reading = self._tokenizer.encode(clean, add_special_tokens=False)
        ids = np.asarray(reading.ids, dtype=np.int64)
        offsets = np.asarray(reading.offsets, dtype=np.int32).reshape(-1, 2)
        spans = _windows(len(ids))
        tokens, windows = [], []
        for start, end in spans:
            run = np.concatenate((self._marks[:1], ids[start:end], self._marks[-1:]))[None, :]
            hidden = self._session.run(None, {"ids": run})[0]
            tokens.append(hidden[1:-1])
            windows.append(hidden.mean(axis=0, dtype=np.float64))
        if not spans:
            none = np.zeros((0, DIMENSIONS), dtype=np.int8)
            return Encoded(tokens=none, offsets=np.zeros((0, 2), dtype=np.int32), windows=none)
        return Encoded(
            tokens=_eight_bit(np.concatenate(tokens)),
            offsets=np.concatenate([offsets[start:end] for start, end in spans]),
            windows=_eight_bit(np.stack(windows)),
        )


def cosines(
    left: Vectors, right: Vectors, *, left_norms: Floats | None = None, right_norms: Floats | None = None
) -> Floats:
    """All cosines of rows of `left` (m, d) with rows of `right` (n, d), exact sums: (m, n) in −1..1."""
    # 127² · 384 < 2²⁴: float32 adds these integers without rounding, in any order.
    dots = left.astype(np.float32) @ right.astype(np.float32).T
    norms = np.outer(
        _norms(left) if left_norms is None else left_norms,
        _norms(right) if right_norms is None else right_norms,
    )
    cosine: Floats = dots.astype(np.float64) / norms
    return cosine


def stretches(encoded: Encoded, spans: Sequence[tuple[int, int]]) -> Vectors:
    """One vector a stretch (start, end) of the text: the sum of its tokens', zero where there are none."""
    if not spans or not len(encoded.tokens):
        return np.zeros((len(spans), DIMENSIONS), dtype=np.int8)
    edges = np.searchsorted(encoded.offsets[:, 0], np.asarray(spans))
    sums = np.add.reduceat(
        encoded.tokens, np.minimum(edges[:, 0], len(encoded.tokens) - 1), axis=0, dtype=np.int32
    )
    if (edges[1:, 0] != edges[:-1, 1]).any() or edges[-1, 1] != len(encoded.tokens):
        sums = np.stack([encoded.tokens[start:end].sum(axis=0, dtype=np.int32) for start, end in edges])
    return _eight_bit(sums * (edges[:, 1:] > edges[:, :1]))


def session_options() -> Any:
    """One thread, no arena: repeatable, and memory goes back."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    return options


def _windows(n: int) -> list[tuple[int, int]]:
    count = -(-n // WINDOW)
    edges = [n * i // count for i in range(count + 1)] if count else []
    spans = list(pairwise(edges))
    if count > MOST_WINDOWS:
        spans = [spans[i * count // MOST_WINDOWS] for i in range(MOST_WINDOWS)]
    return spans


def _eight_bit(rows: NDArray[Any]) -> Vectors:
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rounded: Vectors = np.rint(rows * (127.0 / np.maximum(largest, 1e-12))).astype(np.int8)
    return rounded


def _norms(rows: Vectors) -> Floats:
    exact = rows.astype(np.float32)
    norms: Floats = np.maximum(np.sqrt(np.einsum("ij,ij->i", exact, exact).astype(np.float64)), 1.0)
    return norms


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
