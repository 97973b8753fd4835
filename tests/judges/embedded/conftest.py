"""The shipped judge, opened once."""

from collections.abc import Iterator

import pytest

from steelyard.judges.embedded import EmbeddedJudge
from steelyard.judges.embedded.encoder import Encoder
from steelyard.judges.embedded.files import Files


@pytest.fixture(scope="session")
def judge() -> Iterator[EmbeddedJudge]:
    opened = EmbeddedJudge.load(threads=2)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def encoder() -> Iterator[Encoder]:
    folder = Files.shipped().folder
    opened = Encoder(folder / "encoder.onnx", folder / "tokenizer.json", cache_bytes=0)
    yield opened
    opened.close()
