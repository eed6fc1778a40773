"""Send marks to platforms, one after the other."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol

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
    MOST_TRIES,
    MOST_TRIES_OF_500,
    SCORE_TYPE,
    PlatformAnswer,
    PlatformResult,
    certainly_matches_mark,
    compute_retry_delay,
    convert_fault_to_platform_answer,
    convert_response_to_platform_answer,
    fetch_results,
    has_equivalent_points,
    make_score_message,
)
from autograder.web.lti.tool import RESULT_READ_ONLY, SCORE, LtiTool, append_path_segment_to_url
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.outbox import AttemptKind
from autograder.web.store.lti.platforms import LtiPerson, LtiPlatform, LtiResourceLink
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore

LEAST_GAP = timedelta(seconds=1)
"""Least gap between the timestamps of two messages: Moodle compares whole seconds."""
MOST_CLASHES = 3
"""How often a message that the platform refuses as outdated is made anew before the mark waits."""
MOST_IN_DOUBT = 20


class Gradebook(Protocol):
    """The column of a platform to which one mark goes."""

    can_read: bool
    """Whether the platform lets the tool read results."""

    def read_mark(self, mark: OutboxMark) -> tuple[PlatformAnswer, PlatformResult | None]:
        """Return the platform's answer, and the mark that it shows; None if it shows none."""

    def send_mark(self, mark: OutboxMark) -> PlatformAnswer:
        """Send a mark with the timestamp ``last_timestamp``, after what is in doubt then was saved."""

    def is_column_deleted(self, answer: PlatformAnswer) -> bool:
        """Return whether an answer means that the column no longer exists."""


def bring_mark_to_gradebook(
    mark: OutboxMark, gradebook: Gradebook, find_now: Callable[[], datetime], jitter_fraction: float
) -> OutboxMark:
    """Send a claimed mark unless it stands there already or a person set another one; return how far it is.

    Args:
        mark: the mark.
        gradebook: where it goes.
        find_now: returns this moment.
        jitter_fraction: a random number from 0 to 1.
    """
    for clash_count in count():
        result = None
        if gradebook.can_read:
            answer, result = gradebook.read_mark(mark)
            if not answer.is_ok:
                return _wait_or_give_up(mark, answer, gradebook, find_now(), jitter_fraction)
            if settled_mark := _settle_without_sending(mark, result):
                return settled_mark
        mark = _prepare_message(mark, result, find_now())
        answer = gradebook.send_mark(mark)
        if answer.is_ok:
            break
        if not answer.is_refused_as_outdated or clash_count >= MOST_CLASHES:
            return _wait_or_give_up(mark, answer, gradebook, find_now(), jitter_fraction)
    if mark.overwrites and gradebook.can_read:  # Moodle may answer 200 and keep the mark that a person set
        answer, result = gradebook.read_mark(mark)
        if not answer.is_ok:
            return _wait_or_give_up(mark, answer, gradebook, find_now(), jitter_fraction)
        if result is None or not has_equivalent_points(result, mark.value):
            shown_mark = describe_points_on_platform(result)
            return replace(mark, state="rejected", answer=f"the platform took the mark but still shows {shown_mark}")
    return _confirm(mark)


def _settle_without_sending(mark: OutboxMark, result: PlatformResult | None) -> OutboxMark | None:
    """Return a mark that stands there already, or that a person's keeps from being sent; None if it is to be sent."""
    if result is None or result.result_score is None:
        return None
    earlier_values = [value for value in (mark.confirmed, *mark.in_doubt) if value is not None]
    is_settled = all(value == mark.value for value in mark.in_doubt)  # else an earlier message may still arrive
    if is_settled and certainly_matches_mark(result, mark.value, earlier_values):
        return _confirm(mark)
    if mark.overwrites or any(has_equivalent_points(result, value) for value in (*earlier_values, mark.value)):
        return None
    last_sent = f"last sent: {format_points_of_maximum(mark.confirmed)}" if mark.confirmed else "nothing was sent yet"
    reason = f"a person set {describe_points_on_platform(result)} on the platform; {last_sent}"
    return replace(mark, state="kept", answer=reason)


def _prepare_message(mark: OutboxMark, result: PlatformResult | None, now: datetime) -> OutboxMark:
    """Return a mark that is about to be sent, later than all messages and marks before it."""
    earlier_times = (mark.last_timestamp, result.written_at if result else None)
    timestamps = [now.replace(microsecond=now.microsecond // 1000 * 1000)]
    timestamps += [earlier_time + LEAST_GAP for earlier_time in earlier_times if earlier_time]
    in_doubt = (*(value for value in mark.in_doubt if value != mark.value), mark.value)[-MOST_IN_DOUBT:]
    return replace(mark, state="sending", in_doubt=in_doubt, last_timestamp=max(timestamps))


def _confirm(mark: OutboxMark) -> OutboxMark:
    return replace(mark, state="sent", confirmed=mark.value, in_doubt=(), overwrites=False, answer="", tries=0)


def _wait_or_give_up(
    mark: OutboxMark, answer: PlatformAnswer, gradebook: Gradebook, now: datetime, jitter_fraction: float
) -> OutboxMark:
    """Return a mark that could not be read or sent."""
    if gradebook.is_column_deleted(answer):
        return replace(mark, state="skipped", answer=COLUMN_DELETED)
    tries = mark.tries + 1
    if not answer.is_retryable or tries >= (MOST_TRIES_OF_500 if answer.status == 500 else MOST_TRIES):
        return replace(mark, state="rejected", answer=str(answer), tries=tries)
    next_try = now + compute_retry_delay(tries, jitter_fraction, answer.retry_after)
    return replace(mark, state="queued", answer=str(answer), tries=tries, next_try=next_try)


def format_points_of_maximum(mark_value: MarkWithComment) -> str:
    """Return a mark's points of its maximum, such as ``15.5 of 20``."""
    return f"{mark_value.points:g} of {mark_value.maximum:g}"


def describe_points_on_platform(platform_result: PlatformResult | None) -> str:
    """Return the mark on a platform in words.

    >>> describe_points_on_platform(PlatformResult("7", 15.5, 20)), describe_points_on_platform(PlatformResult("7"))
    ('15.5 of 20', 'no mark')
    """
    if platform_result is None or platform_result.result_score is None:
        return "no mark"
    return f"{platform_result.result_score:g}" + (
        f" of {platform_result.result_maximum:g}" if platform_result.result_maximum else ""
    )


PAUSE = timedelta(seconds=5)
"""How long to pause a platform that does not answer, so that not every mark of a class uses up a try."""
GONE = "the course on the platform is no longer connected"


@dataclass
class LineItemGradebook:
    """The line item of a platform to which the mark of one person goes.

    Attributes:
        sender: sends the mark.
        link: the link that has the line item.
        platform: the platform.
        person: who gets the mark.
    """

    sender: QueuedMarkSender
    link: LtiResourceLink
    platform: LtiPlatform
    person: LtiPerson

    def __post_init__(self) -> None:
        self._client = self.sender.tool.make_platform_client(self.platform)
        # platforms refuse tokens for scopes that they did not grant
        self._token_scopes = [scope for scope in (RESULT_READ_ONLY, SCORE) if scope in self.link.scopes]
        self.can_read = RESULT_READ_ONLY in self._token_scopes

    def read_mark(self, mark: OutboxMark) -> tuple[PlatformAnswer, PlatformResult | None]:
        """Return the platform's answer, and the mark that it shows; None if it shows none."""
        answer, results = fetch_results(
            self._client, self.link.line_item_url, self._token_scopes, self.person.subject
        )
        result = results[0] if results else None
        value = None
        if result and result.result_score is not None:
            value = MarkWithComment(result.result_score, result.result_maximum or 0.0, result.comment or "")
        self._record_request(mark, "results", value, answer)
        return answer, result

    def send_mark(self, mark: OutboxMark) -> PlatformAnswer:
        """Send a mark, after its message was noted in the audit log and in the outbox."""
        store = self.sender.store
        audit_row_id = self._record_in_audit_log(mark)
        store.mark_outbox.record_pending_send(mark)
        content = msgspec.json.encode(make_score_message(mark, self.person.subject, self.platform.kind))
        url = append_path_segment_to_url(self.link.line_item_url, "scores")
        try:
            response = self._client.send_authorized_request(
                "POST", url, self._token_scopes, content=content, content_type=SCORE_TYPE
            )
            answer = convert_response_to_platform_answer(response)
        except KitFault as fault:
            answer = convert_fault_to_platform_answer(fault)
        self._record_request(mark, "score", mark.value, answer)
        state: AuditState = "taken" if answer.is_ok else "refused" if answer.status > 0 else "unknown"
        store.audit.record_outcome([audit_row_id], state, "" if answer.is_ok else str(answer))
        return answer

    def is_column_deleted(self, answer: PlatformAnswer) -> bool:
        """Return whether an answer means that the line item was deleted; if it does, stop its other marks."""
        if answer.status not in DELETED_STATUSES or not is_line_item_deleted(self._client, self.link):
            return False
        sender = self.sender
        remove_deleted_line_item(sender.store, sender.course, self.link, f"outbox {sender.worker}")
        return True

    def _record_request(
        self, mark: OutboxMark, kind: AttemptKind, value: MarkWithComment | None, answer: PlatformAnswer
    ) -> None:
        text = "" if answer.is_ok else answer.body
        self.sender.store.mark_requests.add(mark, kind, value, max(answer.status, 0), text)
        if answer.status in (0, 429, 502, 503, 504):
            self.sender.pause_platform(self.platform)

    def _record_in_audit_log(self, mark: OutboxMark) -> int:
        """Record that a mark is about to be sent, and return the id of the audit row; its outcome is added later."""
        sender = self.sender
        return record_lti_change(
            sender.store.audit, sender.course, LtiActor(f"outbox {sender.worker}", self.platform.name), "mark",
            format_points_of_maximum(mark.confirmed) if mark.confirmed else "", format_points_of_maximum(mark.value),
            place=self.link.line_item_url.partition("?")[0],
            about=sender.store.accounts.find_enrolment_by_account(sender.course, self.person.account),
            subject=self.person.subject, assignment=self.link.assignment, state="sending",
        )  # fmt: skip


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
        self.store.mark_outbox.save_claimed_progress(self._process(mark), self.worker)
        return True

    def pause_platform(self, platform: LtiPlatform) -> None:
        """Send nothing to a platform for a moment."""
        self._pauses[platform.id] = datetime.now(UTC) + PAUSE

    def _process(self, mark: OutboxMark) -> OutboxMark:
        links = self.store.lti_links.list_in_connected_courses(self.course)
        link = next((link for link in links if link.id == mark.line_item), None)
        if link is not None and not link.line_item_url:
            return replace(mark, state="skipped", answer=COLUMN_DELETED)
        person = self.store.lti_people.find(id=mark.person)
        platform = find_context_and_platform(self.store, link)[1] if link else None
        if link is None or link.line_item_url != mark.url or person is None or platform is None:
            return replace(mark, state="withheld", answer=GONE)
        gradebook = LineItemGradebook(self, link, platform, person)
        return bring_mark_to_gradebook(mark, gradebook, lambda: datetime.now(UTC), self.find_jitter())

    def _list_paused_links(self) -> list[int]:
        """Return the line items of platforms that are paused now."""
        now = datetime.now(UTC)
        self._pauses = {platform_id: until for platform_id, until in self._pauses.items() if until > now}
        if not self._pauses:
            return []
        contexts = self.store.lti_contexts.list_all(course=self.course)
        paused_contexts = {context.id for context in contexts if context.platform in self._pauses}
        links = self.store.lti_links.list_in_connected_courses(self.course)
        return [link.id for link in links if link.context in paused_contexts]
