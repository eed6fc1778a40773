"""Send marks to platforms, one after the other, and keep on the disk how far each is."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import msgspec

from autograder.faults import KitFault
from autograder.lti.back_off import PlatformAnswer
from autograder.lti.mark_route import MarkRoute, find_route
from autograder.lti.mark_steps import (
    Step,
    decide_after_failed_reading,
    decide_after_reading,
    decide_after_sending,
    decide_to_read_or_send,
    describe_value,
)
from autograder.lti.platform_result import PlatformResult
from autograder.lti.result_requests import convert_fault_to_answer, convert_reply_to_answer, fetch_answer_and_results
from autograder.lti.score_message import SCORE_TYPE, make_score
from autograder.lti.service import RESULT_READ_ONLY, add_path
from autograder.lti.tool import LtiTool
from autograder.store.database import Store
from autograder.store.last_written_change import AuditState
from autograder.store.lti_audit import Actor, add_lti_audit_event, make_change_event
from autograder.store.lti_mark_request_table import AttemptKind, LtiMarkRequest
from autograder.store.outbox_mark import MarkValue

PAUSE = timedelta(seconds=5)
"""How long a platform that does not answer is left alone, so that not every mark of a class uses up a try."""
GONE = "the course there is not connected any more"


@dataclass
class MarkSender:
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

    def send_next(self) -> bool:
        """Bring the mark that is next as far as it goes now; return whether there was one."""
        mark = self.store.mark_outbox.claim_next(self.worker, self._list_paused())
        if mark is None:
            return False
        route = find_route(self.store, self.course, self.tool, mark)
        if route is None:
            self.store.mark_outbox.save_claimed_progress_or_requeue(
                replace(mark, state="withheld", answer=GONE), self.worker
            )
            return True
        step = decide_to_read_or_send(
            mark, datetime.now(UTC), can_read=RESULT_READ_ONLY in route.granted_result_and_score_scopes
        )
        while step.action != "rest":
            step = self._read(step, route) if step.action == "read" else self._send(step, route)
        self.store.mark_outbox.save_claimed_progress_or_requeue(step.mark, self.worker)
        return True

    def _read(self, step: Step, route: MarkRoute) -> Step:
        answer, results = fetch_answer_and_results(
            route.service, route.link.line_item_url, route.granted_result_and_score_scopes, route.person.subject
        )
        found = results[0] if results else None
        self._record(step, "results", make_mark_value_if_scored(found), answer, route)
        now = datetime.now(UTC)
        if answer.is_ok:
            return decide_after_reading(step, found, now)
        return decide_after_failed_reading(step, answer, now, self.find_jitter())

    def _send(self, step: Step, route: MarkRoute) -> Step:
        row = self._record_in_audit_log(step, route)
        self.store.mark_outbox.save_in_doubt_before_sending(step.mark)
        content = msgspec.json.encode(make_score(step.mark, route.person.subject, route.platform.kind))
        url = add_path(route.link.line_item_url, "scores")
        try:
            reply = route.service.send(
                "POST", url, route.granted_result_and_score_scopes, content=content, content_type=SCORE_TYPE
            )
            answer = convert_reply_to_answer(reply)
        except KitFault as fault:
            answer = convert_fault_to_answer(fault)
        self._record(step, "score", step.mark.value, answer, route)
        state: AuditState = "taken" if answer.is_ok else "refused" if answer.status > 0 else "unknown"
        said = "" if answer.is_ok else f"status {answer.status}: {answer.body}" if answer.status > 0 else answer.body
        self.store.audit.record_outcome([row], state, said)
        return decide_after_sending(step, answer, datetime.now(UTC), self.find_jitter())

    def _record(
        self, step: Step, what: AttemptKind, value: MarkValue | None, answer: PlatformAnswer, route: MarkRoute
    ) -> None:
        status = max(answer.status, 0)
        self.store.mark_requests.add(
            LtiMarkRequest(
                step.mark.id, step.mark.version, what, value, status, answer.body if not answer.is_ok else ""
            )
        )
        if answer.status in (0, 429, 502, 503, 504):
            self._pauses[route.platform.id] = datetime.now(UTC) + PAUSE

    def _record_in_audit_log(self, step: Step, route: MarkRoute) -> int:
        """Record that a mark is about to be sent, and return the row that its outcome completes."""
        account = self.store.accounts.find_enrolment_by_account(self.course, route.person.account)
        before = describe_value(step.mark.confirmed) if step.mark.confirmed else ""
        sent = make_change_event(
            "mark", before, describe_value(step.mark.value), place=route.link.line_item_url.partition("?")[0],
            about=account, subject=route.person.subject,
        )  # fmt: skip
        by = Actor(f"outbox {self.worker}", route.platform.name)
        return add_lti_audit_event(self.store.audit, self.course, by, sent, route.link.assignment, "sending")

    def _list_paused(self) -> list[int]:
        """Return the line items of platforms that are left alone for the moment."""
        now = datetime.now(UTC)
        self._pauses = {number: until for number, until in self._pauses.items() if until > now}
        if not self._pauses:
            return []
        contexts = self.store.lti_contexts.list_contexts_of_course(self.course)
        resting = {one.id for one in contexts if one.platform in self._pauses}
        return [
            one.id for one in self.store.lti_contexts.list_connected_line_items(self.course) if one.context in resting
        ]


def make_mark_value_if_scored(found: PlatformResult | None) -> MarkValue | None:
    """Return what stands on a platform as a mark; None for none."""
    if found is None or found.result_score is None:
        return None
    return MarkValue(found.result_score, found.result_maximum or 0.0, found.comment or "")
