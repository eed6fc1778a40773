"""What a test is charged with does not depend on when a busy machine lets the grader look."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from autograder.bridge.submission_time_budget import SOON
from autograder.bridge.time_limit_clock import TimeLimitClock, TimeLimits


@dataclass
class Computing:
    """A process whose times are set here."""

    ran: float = 1.0

    def read_cpu_seconds_and_state_letter(self) -> tuple[float | None, str]:
        return self.ran, "R"

    def read_main_thread_run_and_runqueue_seconds(self) -> tuple[float, float]:
        return self.ran, 0.0

    def get_current_sleep_id_or_none(self) -> int | None:
        return None


@pytest.mark.parametrize("until_the_first_look", [SOON, 10 * SOON])
def test_a_request_that_a_busy_machine_looks_at_late_is_charged_with_no_more(until_the_first_look: float) -> None:
    process = Computing()
    clock = TimeLimitClock(TimeLimits(1.0, 1.0, 1.0, 10.0, seconds_until_asked=SOON), process)
    process.ran += 0.002  # earlier requests of the test
    clock.restart_location_question_timer()
    process.ran += until_the_first_look + 0.001
    clock.update_and_raise_if_exceeded()
    assert clock.claim_location_question_if_due()
    assert clock.seconds_at_last_limit == pytest.approx(0.002 + SOON)
