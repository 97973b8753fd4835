"""For the tests of users' own judges: `check_judge(judge)` raises `NotConforming` when a judge breaks the
protocol."""

from steelyard.judges.conformance import NotConforming, check_judge

__all__ = ["NotConforming", "check_judge"]
