"""Send marks to platforms, one after the other; pure functions decide each next step."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

from autograder.faults import KitFault
from autograder.store.audit import AuditState
from autograder.web.lti.administration import find_context_and_platform
from autograder.web.lti.line_items import (
    COLUMN_DELETED,
    DELETED_STATUSES,
    is_line_item_deleted,
    remove_deleted_line_item,
)
from autograder.web.lti.results import (
    SCORE_TYPE,
    PlatformAnswer,
    PlatformResult,
    certainly_matches_mark,
    compute_retry_delay,
    convert_fault_to_platform_answer,
    convert_response_to_platform_answer,
    fetch_results,
    get_max_tries,
    has_equivalent_points,
    make_score_message,
)
from autograder.web.lti.tool import RESULT_READ_ONLY, SCORE, LtiTool, PlatformClient, append_path_segment_to_url
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.outbox import AttemptKind
from autograder.web.store.lti.people import LtiPerson
from autograder.web.store.lti.platforms import LtiPlatform, LtiResourceLink
from autograder.web.store.lti.tables import MarkState, MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore

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


def _make_skipped_step(sending_state: MarkSendingStep, reason: str) -> MarkSendingStep:
    """Return the step of a mark that is not sent, and why."""
    return _make_resting_step(sending_state, "skipped", reason, sending_state.mark.tries)


def _make_resting_step(sending_state: MarkSendingStep, state: MarkState, answer: str, tries: int) -> MarkSendingStep:
    return replace(
        sending_state, action="rest", mark=replace(sending_state.mark, state=state, answer=answer, tries=tries)
    )


PAUSE = timedelta(seconds=5)
"""How long to pause a platform that does not answer, so that not every mark of a class uses up a try."""
GONE = "the course on the platform is no longer connected"


@dataclass(frozen=True, slots=True)
class MarkDestination:
    """The link, platform and person that a mark goes to."""

    link: LtiResourceLink
    platform: LtiPlatform
    client: PlatformClient
    person: LtiPerson
    """Who gets the mark."""

    @property
    def token_scopes(self) -> list[str]:
        """Return the scopes to request a token for; platforms refuse tokens for scopes that they did not grant."""
        return [scope for scope in (RESULT_READ_ONLY, SCORE) if scope in self.link.scopes]


@dataclass
class QueuedMarkSender:
    """Sends the marks of one course. Belongs to one thread.

    Attributes:
        store: keeps the marks.
        course: the course.
        tool: this server as a tool.
        worker: names this sender among others on the same store.
        find_jitter: gives random numbers from 0 to 1.
    """

    store: ServerStore
    course: str
    tool: LtiTool
    worker: str
    find_jitter: Callable[[], float] = random.random
    _pauses: dict[int, datetime] = field(default_factory=dict)

    def try_process_next_mark(self) -> bool:
        """Process the next mark until nothing more can be done about it now; return whether there was one."""
        mark = self.store.mark_outbox.try_claim_next_mark(self.worker, self._list_paused_links())
        if mark is None:
            return False
        links = self.store.lti_links.list_in_connected_courses(self.course)
        link = next((link for link in links if link.id == mark.line_item), None)
        if link is not None and not link.line_item_url:
            return self._save(replace(mark, state="skipped", answer=COLUMN_DELETED))
        destination = self._find_destination(mark, link)
        if destination is None:
            return self._save(replace(mark, state="withheld", answer=GONE))
        sending_state = decide_first_step(
            mark, datetime.now(UTC), can_read=RESULT_READ_ONLY in destination.token_scopes
        )
        while sending_state.action != "rest":
            sending_state = (
                self._read_result(sending_state, destination)
                if sending_state.action == "read"
                else self._send_mark(sending_state, destination)
            )
        return self._save(sending_state.mark)

    def _save(self, mark: OutboxMark) -> Literal[True]:
        """Save how far a claimed mark is, and say that there was one."""
        self.store.mark_outbox.save_claimed_progress(mark, self.worker)
        return True

    def _find_destination(self, mark: OutboxMark, link: LtiResourceLink | None) -> MarkDestination | None:
        """Return where a mark goes; None if its line item changed, or its platform or person is gone."""
        if link is None or link.line_item_url != mark.url:
            return None
        person = self.store.lti_people.find(id=mark.person)
        _, platform = find_context_and_platform(self.store, link)
        if person is None or platform is None:
            return None
        return MarkDestination(link, platform, self.tool.make_platform_client(platform), person)

    def _read_result(self, sending_state: MarkSendingStep, destination: MarkDestination) -> MarkSendingStep:
        answer, results = fetch_results(
            destination.client, destination.link.line_item_url, destination.token_scopes, destination.person.subject
        )
        result = results[0] if results else None
        self._record_request(
            sending_state, "results", _convert_result_to_mark_value_or_none(result), answer, destination
        )
        now = datetime.now(UTC)
        if answer.is_ok:
            return decide_step_after_reading(sending_state, result, now)
        if self._remove_line_item_if_deleted(answer, destination):
            return _make_skipped_step(sending_state, COLUMN_DELETED)
        return decide_step_after_failure(sending_state, answer, now, self.find_jitter())

    def _send_mark(self, sending_state: MarkSendingStep, destination: MarkDestination) -> MarkSendingStep:
        audit_row_id = self._record_in_audit_log(sending_state, destination)
        self.store.mark_outbox.record_pending_send(sending_state.mark)
        content = msgspec.json.encode(
            make_score_message(sending_state.mark, destination.person.subject, destination.platform.kind)
        )
        url = append_path_segment_to_url(destination.link.line_item_url, "scores")
        try:
            response = destination.client.send_authorized_request(
                "POST", url, destination.token_scopes, content=content, content_type=SCORE_TYPE
            )
            answer = convert_response_to_platform_answer(response)
        except KitFault as fault:
            answer = convert_fault_to_platform_answer(fault)
        self._record_request(sending_state, "score", sending_state.mark.value, answer, destination)
        state: AuditState = "taken" if answer.is_ok else "refused" if answer.status > 0 else "unknown"
        self.store.audit.record_outcome([audit_row_id], state, "" if answer.is_ok else str(answer))
        if self._remove_line_item_if_deleted(answer, destination):
            return _make_skipped_step(sending_state, COLUMN_DELETED)
        return decide_step_after_sending(sending_state, answer, datetime.now(UTC), self.find_jitter())

    def _remove_line_item_if_deleted(self, answer: PlatformAnswer, destination: MarkDestination) -> bool:
        """Return whether an answer means that the line item was deleted; if it does, stop its other marks."""
        if answer.status not in DELETED_STATUSES or not is_line_item_deleted(destination.client, destination.link):
            return False
        remove_deleted_line_item(self.store, self.course, destination.link, f"outbox {self.worker}")
        return True

    def _record_request(
        self,
        sending_state: MarkSendingStep,
        kind: AttemptKind,
        value: MarkWithComment | None,
        answer: PlatformAnswer,
        destination: MarkDestination,
    ) -> None:
        status, text = max(answer.status, 0), "" if answer.is_ok else answer.body
        self.store.mark_requests.add(sending_state.mark, kind, value, status, text)
        if answer.status in (0, 429, 502, 503, 504):
            self._pauses[destination.platform.id] = datetime.now(UTC) + PAUSE

    def _record_in_audit_log(self, sending_state: MarkSendingStep, destination: MarkDestination) -> int:
        """Record that a mark is about to be sent, and return the id of the audit row; its outcome is added later."""
        account = self.store.accounts.find_enrolment_by_account(self.course, destination.person.account)
        old_text = format_points_of_maximum(sending_state.mark.confirmed) if sending_state.mark.confirmed else ""
        return record_lti_change(
            self.store.audit, self.course, LtiActor(f"outbox {self.worker}", destination.platform.name),
            "mark", old_text, format_points_of_maximum(sending_state.mark.value),
            place=destination.link.line_item_url.partition("?")[0], about=account,
            subject=destination.person.subject, assignment=destination.link.assignment, state="sending",
        )  # fmt: skip

    def _list_paused_links(self) -> list[int]:
        """Return the line items of platforms that are paused now."""
        now = datetime.now(UTC)
        self._pauses = {platform_id: until for platform_id, until in self._pauses.items() if until > now}
        if not self._pauses:
            return []
        contexts = self.store.lti_contexts.list_all(course=self.course)
        paused_contexts = {context.id for context in contexts if context.platform in self._pauses}
        return [
            link.id
            for link in self.store.lti_links.list_in_connected_courses(self.course)
            if link.context in paused_contexts
        ]


def _convert_result_to_mark_value_or_none(platform_result: PlatformResult | None) -> MarkWithComment | None:
    """Return the mark on a platform as a mark value; None if there is none."""
    if platform_result is None or platform_result.result_score is None:
        return None
    return MarkWithComment(
        platform_result.result_score, platform_result.result_maximum or 0.0, platform_result.comment or ""
    )
