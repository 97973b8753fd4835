"""How long evaluations took, as counts in bins that grow by a quarter of an octave: enough for
percentiles."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS = 96
_FIRST_S = 0.0001
_PER_OCTAVE = 4

Histogram = NDArray[np.int64]


def histogram(seconds: ArrayLike) -> Histogram:
    """Counts of the latencies in `BINS` bins, the first from 0 to 0.1 ms, the last open."""
    values = np.maximum(np.asarray(seconds, dtype=np.float64), _FIRST_S)
    bins = np.ceil(np.log2(values / _FIRST_S) * _PER_OCTAVE).astype(np.int64)
    return np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS).astype(np.int64)


def percentile(counts: Histogram, share: float) -> float | None:
    """The latency in seconds that `share` (0..1) of the evaluations do not exceed, to the upper edge of its
    bin; None without any."""
    total = int(counts.sum())
    if not total:
        return None
    bin_index = int(np.searchsorted(np.cumsum(counts), max(share * total, 1)))
    return float(_FIRST_S * 2 ** (bin_index / _PER_OCTAVE))


def pack_histogram(counts: Histogram) -> bytes:
    return np.ascontiguousarray(counts, dtype="<i8").tobytes()


def unpack_histogram(packed: bytes) -> Histogram:
    return np.frombuffer(packed, dtype="<i8").astype(np.int64)
