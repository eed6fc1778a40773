"""Send scores and comments to Canvas's web service: only those that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from autograder.faults import CallerFault
from autograder.platforms.canvas.access import service_of
from autograder.platforms.canvas.entries import Entry
from autograder.platforms.canvas.gradebook import full_marks, late_note
from autograder.platforms.canvas.plans import Plan, plans_for, student_in
from autograder.platforms.canvas.refusals import Busy, Locked, Lost, Refused
from autograder.platforms.canvas.students import Students, matched
from autograder.platforms.model import Export, Given, Results, Sending
from autograder.platforms.points import rescaled
from autograder.text import clean

if TYPE_CHECKING:
    from autograder.platforms.canvas.service import Service

NO_KINDS = frozenset({"pass_fail", "not_graded"})
MOST_LOST = 3
"""Students in a row for whom no answer came, or only that Canvas is busy: then it, or the way there, is down."""


def upload(results: Results, given: Given, dry_run: bool, progress: Sending) -> Export:
    """Send each student's score, and a comment, where Canvas holds another.

    Args:
        results: the class.
        given: ``url``, ``course`` and ``assignment`` among the settings; the token is in CANVAS_TOKEN.
        dry_run: send nothing, and say what would change.
        progress: is told how many of how many students are done, and what Canvas said to each change.

    Raises:
        CallerFault: a setting is missing, or Canvas does not let us in; nothing was sent then.
    """
    silent = given.one_of("comment", "yes", "no") == "no"
    service = _service(given)
    possible = full_marks(Decimal(repr(service.points)), given, results, _where(service))
    entries = {entry.user["id"]: entry for entry in service.entries()}
    students = {id_: student_in(entry) for id_, entry in entries.items()}
    graded, unmatched = matched(results.rows, Students(students.values()))
    plans = plans_for(
        graded,
        entries,
        lambda points: rescaled(points, results.max_points, possible),
        silent,
        service.assignment,
        given,
    )
    sent, failed = _send(service, [plan for plan in plans if plan.is_new], dry_run, progress)
    missing = [students[id_].label for id_, entry in entries.items() if id_ not in graded and _is_open(entry)]
    comments = sum(bool(plan.comment) for plan in sent)
    return Export(
        files={},
        changes=tuple(plan.change for plan in (*sent, *(plan for plan in plans if not plan.is_new))),
        unmatched=tuple(unmatched),
        missing=tuple(missing),
        notes=(*([f"new comments: {comments}"] if comments else []), *late_note(results)),
        failed=tuple(failed),
    )


def check(given: Given) -> Iterator[str]:
    """Say what an upload with these settings would reach: address, account, course and assignment. Nothing is sent.

    Raises:
        CallerFault: a setting is missing, Canvas does not let us in, or the token's owner may not grade.
    """
    service = _service(given)
    yield f"address: {service.url}"
    yield f"token: of {service.account()}"
    if not service.may_grade():
        advice = "ask whoever runs the course for the right to edit grades"
        raise CallerFault("does not let this token's owner set scores", f"{service.url}, {service.course}", advice)
    yield f"course: {service.course}, in which scores may be set"
    yield f"assignment: {clean(service.title, 80)} ({service.assignment}), {service.points:g} points"
    yield f"students: {len(service.entries())}"


def _service(given: Given) -> Service:
    """Return the service for an assignment, which must be graded in points."""
    service = service_of(given)
    if service.kind in NO_KINDS:
        raise CallerFault("is not graded in points", _where(service), "let it be in Canvas")
    return service


def _send(service: Service, plans: Sequence[Plan], dry_run: bool, progress: Sending) -> tuple[list[Plan], list[str]]:
    """Send plans, unless it is a dry run; return those sent, and a sentence for each that was not taken."""
    if dry_run or not plans:
        return [*plans], []
    account = service.account()
    sent: list[Plan] = []
    failed: list[str] = []
    lost = 0
    for done, plan in enumerate(plans, start=1):
        begun = progress.begin(plan.sent, account)
        try:
            service.put(plan.entry, plan.score, plan.comment, plan.whole_group)
            progress.end(begun, "taken", "")
            sent.append(plan)
            lost = 0
        except Refused as why:
            progress.end(begun, "unknown" if isinstance(why, Lost) else "refused", str(why))
            failed.append(f"{plan.change.student}: {why}")
            lost = lost + 1 if isinstance(why, (Lost, Busy)) else 0
            if isinstance(why, Locked) or lost == MOST_LOST:
                rest = len(plans) - done
                failed += [f"{rest} more: not tried; upload once more"] if rest else []
                break
        progress(done, len(plans))
    return sent, failed


def _is_open(entry: Entry) -> bool:
    return entry.assigned and not entry.excused and not student_in(entry).is_test


def _where(service: Service) -> str:
    return f"{service.url}, {clean(service.title, 80)}"
