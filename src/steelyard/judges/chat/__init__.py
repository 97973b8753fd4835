"""The LLM judge: chat completions over any OpenAI-compatible server."""

from .judge import ChatJudge

__all__ = ["ChatJudge"]
