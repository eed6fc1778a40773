"""Decide the next step of sending a mark: pure functions from its state and an answer to the next state.

The mark on the platform is read before anything is sent. So a message whose answer got lost is not sent twice, a
person's mark is noticed before it is replaced, and a killed worker needs no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from autograder.lti.platform_results import PlatformResult, certainly_matches_mark, has_equivalent_points
from autograder.lti.platform_retry_policy import PlatformAnswer, compute_retry_delay, get_max_tries
from autograder.store.lti.outbox_mark import MarkState, MarkWithComment, OutboxMark

Action = Literal["read", "send", "rest"]
"""Read the mark on the platform; send the mark, after ``in_doubt`` and ``last_timestamp`` are saved; or stop."""
LEAST_GAP = timedelta(seconds=1)
"""Least gap between the timestamps of two messages: Moodle compares whole seconds."""
MOST_CLASHES = 3
MOST_IN_DOUBT = 20


@dataclass(frozen=True, slots=True)
class MarkSendingStep:
    """The sending state of a mark, and the next action."""

    mark: OutboxMark
    action: Action
    can_read: bool = True
    """Whether the platform lets the tool read results."""
    clashes: int = 0
    """How often the platform refused a message as outdated since the mark was claimed."""
    verifies: bool = False
    """Whether the next read verifies that a person's mark was replaced: Moodle may answer 200 and keep that mark."""


def decide_first_step(mark: OutboxMark, now: datetime, *, can_read: bool) -> MarkSendingStep:
    """Return the first step for a claimed mark: read the platform's mark, or send at once if it cannot be read."""
    return (
        MarkSendingStep(mark, "read")
        if can_read
        else _make_sending_step(MarkSendingStep(mark, "read", can_read=False), None, now)
    )


def decide_step_after_reading(
    sending_state: MarkSendingStep, platform_result: PlatformResult | None, now: datetime
) -> MarkSendingStep:
    """Return the step after the platform's mark was read.

    Args:
        sending_state: the state so far.
        platform_result: the mark on the platform; None if there is none.
        now: this moment.
    """
    mark = sending_state.mark
    if sending_state.verifies:
        if platform_result is not None and has_equivalent_points(platform_result, mark.value):
            return _make_confirmed_step(sending_state)
        shown_mark = describe_points_on_platform(platform_result) if platform_result else "no mark"
        return _make_resting_step(
            sending_state, "rejected", f"the platform took the mark but still shows {shown_mark}", mark.tries
        )
    earlier_values = [value for value in (mark.confirmed, *mark.in_doubt) if value is not None]
    if platform_result is None or platform_result.result_score is None:
        return _make_sending_step(sending_state, platform_result, now)
    is_settled = all(value == mark.value for value in mark.in_doubt)  # else an earlier message may still arrive
    if is_settled and certainly_matches_mark(platform_result, mark.value, earlier_values):
        return _make_confirmed_step(sending_state)
    if mark.overwrites or any(
        has_equivalent_points(platform_result, value) for value in (*earlier_values, mark.value)
    ):
        return _make_sending_step(sending_state, platform_result, now)
    return _make_resting_step(
        sending_state,
        "kept",
        f"a person set {describe_points_on_platform(platform_result)} on the platform; {_format_last_sent(mark)}",
        mark.tries,
    )


def decide_step_after_sending(
    sending_state: MarkSendingStep, answer: PlatformAnswer, now: datetime, jitter_fraction: float
) -> MarkSendingStep:
    """Return the step after a mark was sent, with or without an answer.

    Args:
        sending_state: the state so far.
        answer: the platform's answer.
        now: this moment.
        jitter_fraction: a random number from 0 to 1.
    """
    if answer.is_ok and sending_state.mark.overwrites and sending_state.can_read:
        return replace(sending_state, action="read", verifies=True)
    if answer.is_ok:
        return _make_confirmed_step(sending_state)
    if answer.is_refused_as_outdated and sending_state.clashes < MOST_CLASHES:
        next_state = replace(sending_state, clashes=sending_state.clashes + 1)
        return (
            replace(next_state, action="read")
            if sending_state.can_read
            else _make_sending_step(next_state, None, now)
        )
    return decide_step_after_failure(sending_state, answer, now, jitter_fraction)


def format_points_of_maximum(mark_value: MarkWithComment) -> str:
    """Return a mark's points of its maximum, such as ``15.5 of 20``."""
    return f"{mark_value.points:g} of {mark_value.maximum:g}"


def describe_points_on_platform(platform_result: PlatformResult) -> str:
    """Return the mark on a platform in words.

    >>> describe_points_on_platform(PlatformResult("7", 15.5, 20)), describe_points_on_platform(PlatformResult("7"))
    ('15.5 of 20', 'no mark')
    """
    if platform_result.result_score is None:
        return "no mark"
    return f"{platform_result.result_score:g}" + (
        f" of {platform_result.result_maximum:g}" if platform_result.result_maximum else ""
    )


def _format_last_sent(mark: OutboxMark) -> str:
    return f"last sent: {format_points_of_maximum(mark.confirmed)}" if mark.confirmed else "nothing was sent yet"


def _make_sending_step(
    sending_state: MarkSendingStep, platform_result: PlatformResult | None, now: datetime
) -> MarkSendingStep:
    mark = sending_state.mark
    earliest_times = [now.replace(microsecond=now.microsecond // 1000 * 1000)]
    earliest_times += [mark.last_timestamp + LEAST_GAP] if mark.last_timestamp else []
    written_at = platform_result.written_at if platform_result else None
    earliest_times += [written_at + LEAST_GAP] if written_at else []
    in_doubt = (*(value for value in mark.in_doubt if value != mark.value), mark.value)[-MOST_IN_DOUBT:]
    return replace(
        sending_state,
        action="send",
        mark=replace(mark, state="sending", in_doubt=in_doubt, last_timestamp=max(earliest_times)),
    )


def _make_confirmed_step(sending_state: MarkSendingStep) -> MarkSendingStep:
    confirmed_mark = replace(sending_state.mark, confirmed=sending_state.mark.value, in_doubt=(), overwrites=False)
    return _make_resting_step(replace(sending_state, mark=confirmed_mark), "sent", "", 0)


def decide_step_after_failure(
    sending_state: MarkSendingStep, answer: PlatformAnswer, now: datetime, jitter_fraction: float
) -> MarkSendingStep:
    """Return the step after a mark could not be read or sent: give up or wait, and send nothing."""
    tries = sending_state.mark.tries + 1
    if not answer.is_retryable or tries >= get_max_tries(answer.status):
        return _make_resting_step(sending_state, "rejected", str(answer), tries)
    waiting_mark = replace(
        sending_state.mark, next_try=now + compute_retry_delay(tries, jitter_fraction, answer.retry_after)
    )
    return _make_resting_step(replace(sending_state, mark=waiting_mark), "queued", str(answer), tries)


def make_skipped_step(sending_state: MarkSendingStep, reason: str) -> MarkSendingStep:
    """Return the step of a mark that is not sent, and why."""
    return _make_resting_step(sending_state, "skipped", reason, sending_state.mark.tries)


def _make_resting_step(sending_state: MarkSendingStep, state: MarkState, answer: str, tries: int) -> MarkSendingStep:
    return replace(
        sending_state, action="rest", mark=replace(sending_state.mark, state=state, answer=answer, tries=tries)
    )
