"""Decision models: yes/no questions answered with probabilities, over the System One and OpenAI Decisions
wires."""

from .judge import OpenAIDecisionsJudge, SystemOneJudge

__all__ = ["OpenAIDecisionsJudge", "SystemOneJudge"]
