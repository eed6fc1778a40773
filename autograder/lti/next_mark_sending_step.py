"""Decide the next step of sending a mark: pure functions from its state and an answer to the next state.

The mark on the platform is read before anything is sent. So a message whose answer got lost is not sent twice, a
person's mark is noticed before it is replaced, and a killed worker needs no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from autograder.lti.platform_results import (
    PlatformResult,
    certainly_matches_mark,
    has_equivalent_points,
)
from autograder.lti.platform_retry_policy import (
    PlatformAnswer,
    compute_retry_delay,
    get_max_tries,
)
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
        MarkSendingStep(mark, "read") if can_read else _send(MarkSendingStep(mark, "read", can_read=False), None, now)
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
            return _confirm(sending_state)
        shown = describe_points_on_platform(platform_result) if platform_result else "no mark"
        return _rest(sending_state, "rejected", f"the platform took the mark but still shows {shown}", mark.tries)
    sent_before = [one for one in (mark.confirmed, *mark.in_doubt) if one is not None]
    if platform_result is None or platform_result.result_score is None:
        return _send(sending_state, platform_result, now)
    is_settled = all(one == mark.value for one in mark.in_doubt)  # else an earlier message may still arrive
    if is_settled and certainly_matches_mark(platform_result, mark.value, sent_before):
        return _confirm(sending_state)
    if mark.overwrites or any(has_equivalent_points(platform_result, one) for one in (*sent_before, mark.value)):
        return _send(sending_state, platform_result, now)
    return _rest(
        sending_state,
        "kept",
        f"a person set {describe_points_on_platform(platform_result)} on the platform; {_describe_last(mark)}",
        mark.tries,
    )


def decide_step_after_sending(
    sending_state: MarkSendingStep, answer: PlatformAnswer, now: datetime, jitter_from_0_to_1: float
) -> MarkSendingStep:
    """Return the step after a mark was sent, with or without an answer.

    Args:
        sending_state: the state so far.
        answer: the platform's answer.
        now: this moment.
        jitter_from_0_to_1: a random number from 0 to 1.
    """
    if answer.is_ok and sending_state.mark.overwrites and sending_state.can_read:
        return replace(sending_state, action="read", verifies=True)
    if answer.is_ok:
        return _confirm(sending_state)
    if answer.is_refused_as_outdated and sending_state.clashes < MOST_CLASHES:
        clashed = replace(sending_state, clashes=sending_state.clashes + 1)
        return replace(clashed, action="read") if sending_state.can_read else _send(clashed, None, now)
    return decide_step_after_failure(sending_state, answer, now, jitter_from_0_to_1)


def format_mark_points(mark_value: MarkWithComment) -> str:
    """Return a mark in words."""
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


def _describe_last(mark: OutboxMark) -> str:
    return f"last sent: {format_mark_points(mark.confirmed)}" if mark.confirmed else "nothing was sent yet"


def _send(sending_state: MarkSendingStep, found: PlatformResult | None, now: datetime) -> MarkSendingStep:
    mark = sending_state.mark
    earliest = [now.replace(microsecond=now.microsecond // 1000 * 1000)]
    earliest += [mark.last_timestamp + LEAST_GAP] if mark.last_timestamp else []
    written_at = found.written_at if found else None
    earliest += [written_at + LEAST_GAP] if written_at else []
    in_doubt = (*(one for one in mark.in_doubt if one != mark.value), mark.value)[-MOST_IN_DOUBT:]
    return replace(
        sending_state,
        action="send",
        mark=replace(mark, state="sending", in_doubt=in_doubt, last_timestamp=max(earliest)),
    )


def _confirm(sending_state: MarkSendingStep) -> MarkSendingStep:
    known = replace(sending_state.mark, confirmed=sending_state.mark.value, in_doubt=(), overwrites=False)
    return _rest(replace(sending_state, mark=known), "sent", "", 0)


def decide_step_after_failure(
    sending_state: MarkSendingStep, answer: PlatformAnswer, now: datetime, jitter_from_0_to_1: float
) -> MarkSendingStep:
    """Return the step after a mark could not be read or sent: give up or wait, and send nothing."""
    tries = sending_state.mark.tries + 1
    said = f"status {answer.status}: {answer.body}" if answer.status > 0 else answer.body
    if not answer.is_retryable or tries >= get_max_tries(answer.status):
        return _rest(sending_state, "rejected", said, tries)
    waiting = replace(
        sending_state.mark, next_try=now + compute_retry_delay(tries, jitter_from_0_to_1, answer.retry_after)
    )
    return _rest(replace(sending_state, mark=waiting), "queued", said, tries)


def _rest(sending_state: MarkSendingStep, state: MarkState, answer: str, tries: int) -> MarkSendingStep:
    return replace(
        sending_state, action="rest", mark=replace(sending_state.mark, state=state, answer=answer, tries=tries)
    )
