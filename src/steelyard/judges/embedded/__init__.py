"""The embedded judge: an ONNX encoder and light heads, shipped as `steelyard-judge`."""

from .judge import EmbeddedJudge

__all__ = ["EmbeddedJudge"]
