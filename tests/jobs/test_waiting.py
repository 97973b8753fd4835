"""Pauses grow to their most and start again; a condition is watched until its deadline."""

from steelyard.jobs.waiting import Backoff, wait_until


def test_pauses_double_up_to_the_most_and_start_again() -> None:
    backoff = Backoff(first=0.5, most=3.0)
    assert [backoff.next() for _ in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]
    backoff.reset()
    assert backoff.next() == 0.5


def test_a_condition_that_comes_true_ends_the_wait() -> None:
    answers = iter([False, False, True])
    pauses: list[float] = []
    assert wait_until(lambda: next(answers), timeout=60, pause=pauses.append)
    assert pauses == [0.01, 0.02]


def test_a_condition_that_stays_false_is_given_up_at_the_deadline() -> None:
    assert not wait_until(lambda: False, timeout=0.03)
    assert not wait_until(lambda: False, timeout=0)
