"""Every text of the labelled data encoded once: vectors on disk, keyed by the encoder's digest."""

import hashlib
import pickle
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from steelyard.judges.embedded.encoder import DIMENSIONS, Encoded, Encoder
from steelyard.judges.embedded.reading import Reading
from steelyard.judges.words import Text


class Vectors(Mapping[str, Encoded]):
    """Text to vectors, read from the files that `encode` wrote."""

    def __init__(self, folder: Path) -> None:
        self._index = pickle.loads((folder / "index.pkl").read_bytes())
        self._tokens = np.memmap(folder / "tok.bin", dtype=np.int8, mode="r").reshape(-1, DIMENSIONS)
        self._offsets = np.memmap(folder / "off.bin", dtype=np.int32, mode="r").reshape(-1, 2)
        self._windows = np.memmap(folder / "win.bin", dtype=np.int8, mode="r").reshape(-1, DIMENSIONS)

    def __getitem__(self, text: str) -> Encoded:
        start, count, first, windows = self._index[text]
        return Encoded(
            tokens=np.asarray(self._tokens[start : start + count]),
            offsets=np.asarray(self._offsets[start : start + count]),
            windows=np.asarray(self._windows[first : first + windows]),
        )

    def __iter__(self):
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


def reading(text: str, vectors: Mapping[str, Encoded]) -> Reading:
    return Reading(text=Text(text), encoded=vectors[text])


def encode(texts: Iterable[str], *, model: Path, tokenizer: Path, cache: Path) -> Vectors:
    """The vectors of all `texts`, from `cache` when the same encoder has written just these there."""
    wanted = list(dict.fromkeys(texts))
    key = hashlib.sha256(model.read_bytes() + tokenizer.read_bytes()).hexdigest()[:16]
    folder = cache / key
    if (folder / "index.pkl").is_file():
        made = Vectors(folder)
        if all(text in made for text in wanted):
            return made
    folder.mkdir(parents=True, exist_ok=True)
    encoder, index, token, window = Encoder(model, tokenizer, threads=2, cache_bytes=0), {}, 0, 0
    with (
        (folder / "tok.bin").open("wb") as tokens,
        (folder / "off.bin").open("wb") as offsets,
        (folder / "win.bin").open("wb") as windows,
    ):
        for at in range(0, len(wanted), 200):
            for text, encoded in encoder.encode(wanted[at : at + 200]).items():
                index[text] = (token, len(encoded.tokens), window, len(encoded.windows))
                token, window = token + len(encoded.tokens), window + len(encoded.windows)
                tokens.write(encoded.tokens.tobytes())
                offsets.write(encoded.offsets.tobytes())
                windows.write(encoded.windows.tobytes())
    encoder.close()
    (folder / "index.pkl").write_bytes(pickle.dumps(index))
    return Vectors(folder)
