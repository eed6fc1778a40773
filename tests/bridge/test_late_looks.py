"""What a test is charged with does not depend on when a busy machine lets the grader look."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.bridge import StudentStopped, clocks
from autograder.bridge.clocks import TimeLimitClock, TimeLimits
from autograder.bridge.submission_time_budget import ASK_LOCATION_AFTER_SECONDS, SubmissionTimeBudget
from autograder.course import Limits


@dataclass
class Computing:
    """A process whose times are set here."""

    ran: float = 1.0

    def read_cpu_seconds_and_state(self) -> tuple[float | None, str]:
        return self.ran, "R"

    def read_main_thread_times(self) -> tuple[float, float]:
        return self.ran, 0.0

    def get_current_sleep_id_or_none(self) -> int | None:
        return None


@pytest.mark.parametrize("until_the_first_look", [ASK_LOCATION_AFTER_SECONDS, 10 * ASK_LOCATION_AFTER_SECONDS])
def test_a_request_that_a_busy_machine_looks_at_late_is_charged_with_no_more(
    monkeypatch: pytest.MonkeyPatch, until_the_first_look: float
) -> None:
    monkeypatch.setattr(clocks, "get_slowness", lambda: 1.0)
    process: Any = Computing()
    clock = TimeLimitClock(TimeLimits(1.0, 1.0, 1.0, 10.0, seconds_until_asked=ASK_LOCATION_AFTER_SECONDS), process)
    process.ran += 0.002  # earlier requests of the test
    clock.restart_location_query_timer()
    process.ran += until_the_first_look + 0.001
    clock.raise_if_exceeded()
    assert clock.try_claim_location_query()
    assert clock.seconds_at_last_limit == pytest.approx(0.002 + ASK_LOCATION_AFTER_SECONDS)


def used_beyond_its_limit(reload_seconds: float = 0.0) -> Any:
    """The clock of a test that used a second where it had a tenth."""
    return SimpleNamespace(
        cpu_seconds=1.0,
        idle_seconds=0.0,
        grader_cpu_seconds=0.0,
        seconds_at_last_limit=0.1,
        stop_and_set_seconds=lambda: None,
        limits=TimeLimits(0.1, 1.0, 1.0, 1.0, reload_seconds=reload_seconds),
    )


def test_what_a_test_used_before_the_grader_could_look_does_not_end_the_submission() -> None:
    budget = SubmissionTimeBudget(Limits(submission_seconds=0.5))
    budget.stop_and_charge(used_beyond_its_limit(), StudentStopped("cpu", ""))
    budget.raise_if_exhausted()


def test_what_running_the_code_anew_took_is_charged_to_no_test() -> None:
    budget = SubmissionTimeBudget(Limits(submission_seconds=0.5))
    budget.stop_and_charge(used_beyond_its_limit(reload_seconds=0.75))
    assert budget.seconds_left == pytest.approx(0.25)
