"""Send marks to platforms, one after the other, and save the state of each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

from autograder.faults import KitFault
from autograder.lti.deleted_line_items import COLUMN_DELETED, is_line_item_deleted, remove_deleted_line_item
from autograder.lti.line_item_results import fetch_results
from autograder.lti.line_items import DELETED_STATUSES
from autograder.lti.link_place import find_context_and_platform
from autograder.lti.lti_tool import LtiTool
from autograder.lti.next_mark_sending_step import (
    MarkSendingStep,
    decide_first_step,
    decide_step_after_failure,
    decide_step_after_reading,
    decide_step_after_sending,
    format_points_of_maximum,
    make_skipped_step,
)
from autograder.lti.platform_client import RESULT_READ_ONLY, SCORE, PlatformClient, append_path_segment_to_url
from autograder.lti.platform_results import PlatformResult
from autograder.lti.platform_retry_policy import (
    PlatformAnswer,
    convert_fault_to_platform_answer,
    convert_response_to_platform_answer,
)
from autograder.lti.score_message import SCORE_TYPE, make_score_message
from autograder.store.audit_event_state import AuditState
from autograder.store.lti.lti_audit_events import LtiActor, record_lti_change
from autograder.store.lti.lti_mark_request_log import AttemptKind
from autograder.store.lti.lti_person_table import LtiPerson
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.lti.outbox_mark import MarkWithComment, OutboxMark
from autograder.store.store import Store

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

    store: Store
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
        person = self.store.lti_people.find_by_id(mark.person)
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
            return make_skipped_step(sending_state, COLUMN_DELETED)
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
            return make_skipped_step(sending_state, COLUMN_DELETED)
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
        contexts = self.store.lti_contexts.list_contexts_of_course(self.course)
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
