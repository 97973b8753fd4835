"""A decision head: trees in ONNX with double precision, and the curve that turns their margin into a
probability."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from pydantic import Field

from steelyard.schemas.base import Record

from .encoder import Floats, session_options


class Calibration(Record):
    """A rising piecewise linear curve from margins to probabilities, flat beyond its ends."""

    margins: tuple[float, ...] = Field(min_length=2)
    probabilities: tuple[float, ...] = Field(min_length=2)

    def __call__(self, margins: Floats) -> Floats:
        return np.interp(margins, self.margins, self.probabilities)


class Trees:
    """Rows of features (n, f) to margins (n,). Thread-safe; one thread a call, so that bits repeat."""

    def __init__(self, model: bytes, *, features: Sequence[str]) -> None:
        self.features = tuple(features)
        self._session: Any = onnxruntime.InferenceSession(
            model, session_options(), providers=["CPUExecutionProvider"]
        )

    def __call__(self, rows: Floats) -> Floats:
        if not len(rows):
            return np.zeros(0)
        margins: NDArray[Any] = self._session.run(
            None, {"rows": np.ascontiguousarray(rows, dtype=np.float64)}
        )[0]
        return margins.reshape(-1).astype(np.float64)
