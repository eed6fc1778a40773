"""Sends scores and comments to Canvas's web service: only those that change."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from autograder.faults import CallerFault
from autograder.platforms.canvas.comment import comment_on
from autograder.platforms.canvas.gradebook import KEPT, decided, full_marks, is_new, late_note
from autograder.platforms.canvas.points import written
from autograder.platforms.canvas.students import Student, Students, matched
from autograder.platforms.model import Change, Export, Given, Result, Results
from autograder.platforms.points import rescaled
from autograder.text import clean

if TYPE_CHECKING:
    from autograder.platforms.canvas.service import Entry, Service

TOKEN = "CANVAS_TOKEN"
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
NO_KINDS = frozenset({"pass_fail", "not_graded"})
MOST_LOST = 3
"""Answers in a row that did not come: then Canvas, or the way there, is down."""


def upload(results: Results, given: Given, dry_run: bool, progress: Callable[[int, int], None]) -> Export:
    """Send each student's score, and a comment, where Canvas holds another.

    Args:
        results: the class.
        given: ``url``, ``course`` and ``assignment`` among the settings; the token is in CANVAS_TOKEN.
        dry_run: send nothing, and say what would change.
        progress: is told how many of how many changes are sent.

    Raises:
        CallerFault: a setting is missing, or Canvas does not let us in; nothing was sent then.
    """
    silent = given.one_of("comment", "yes", "no") == "no"
    service = _service(given)
    if service.kind in NO_KINDS:
        raise CallerFault("is not graded in points", _where(service), "let it be in Canvas")
    possible = full_marks(Decimal(repr(service.points)), given, results, _where(service))
    entries = {entry.user["id"]: entry for entry in service.entries()}
    students = {id_: _student(entry) for id_, entry in entries.items()}
    graded, unmatched = matched(results.rows, Students(students.values()))
    plans = _plans(graded, entries, lambda points: rescaled(points, results.max_points, possible), silent)
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for one student."""

    change: Change
    entry: Entry
    comment: str
    """Empty if it is there already."""
    whole_group: bool
    """Whether the comment is for everybody in the student's group, of whom we know only this one."""

    @property
    def score(self) -> str:
        """The new score; empty if it is there already."""
        return self.change.after if is_new(self.change) else ""

    @property
    def is_new(self) -> bool:
        """Whether there is anything to send."""
        return not self.change.note and bool(self.score or self.comment)


def _plans(
    graded: Mapping[str, Result], entries: Mapping[str, Entry], scale: Callable[[float], Decimal], silent: bool
) -> list[Plan]:
    shared = Counter(result.name for result in graded.values())
    plans = []
    for id_, result in graded.items():
        change = _change(entries[id_], written(scale(result.points)))
        comment = "" if silent else _new_comment(entries[id_], result)
        plans.append(Plan(change, entries[id_], comment, whole_group=shared[result.name] == 1))
    return plans


def _send(
    service: Service, plans: Sequence[Plan], dry_run: bool, progress: Callable[[int, int], None]
) -> tuple[list[Plan], list[str]]:
    """What was sent, or would be, and a sentence for each that was not taken."""
    from autograder.platforms.canvas.service import Locked, Lost, Refused

    if dry_run:
        return [*plans], []
    sent: list[Plan] = []
    failed: list[str] = []
    lost = 0
    for done, plan in enumerate(plans, start=1):
        try:
            service.put(plan.entry, plan.score, plan.comment, plan.whole_group)
            sent.append(plan)
            lost = 0
        except Refused as why:
            failed.append(f"{plan.change.student}: {why}")
            lost = lost + 1 if isinstance(why, Lost) else 0
            if isinstance(why, Locked) or lost == MOST_LOST:
                rest = len(plans) - done
                failed += [f"{rest} more: not tried; upload once more"] if rest else []
                break
        progress(done, len(plans))
    return sent, failed


def _service(given: Given) -> Service:
    if find_spec("canvasapi") is None:
        raise CallerFault("is not installed", "canvasapi", "pip install 'autograd-exercise-kit[canvas]'")
    from autograder.platforms.canvas.service import Service

    settings = {key: given.settings.get(key, "").strip() for key in ("url", "course", "assignment")}
    for key, value in settings.items():
        if not value or (key != "url" and not re.fullmatch("[0-9]+", value)):
            what = "is missing" if not value else "is no id"
            raise CallerFault(what, f"--set {key}={value}", "it stands in the address of the assignment's page")
    address = urlsplit(settings["url"])
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in HERE):
        raise CallerFault("is no address that begins with https://", f"--set url={settings['url']}")
    token = os.environ.get(TOKEN, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        advice = "make one in Canvas: Account, Settings, New Access Token; it never belongs on a command line"
        raise CallerFault("is not set" if not token else "is no token", TOKEN, advice)
    base = f"{address.scheme}://{address.netloc}"
    return Service(base, token, settings["course"], settings["assignment"])


def _change(entry: Entry, after: str) -> Change:
    student = _student(entry)
    before = "" if entry.score is None else written(Decimal(repr(entry.score)))
    if entry.excused or not entry.assigned:
        return Change(student.label, before, before, KEPT["EX" if entry.excused else "N/A"])
    return decided(student, before, after)


def _new_comment(entry: Entry, result: Result) -> str:
    """The comment, unless it is there already."""
    comment = comment_on(result.report)
    return "" if comment.split() in (there.split() for there in entry.comments) else comment


def _student(entry: Entry) -> Student:
    user = entry.user
    name = str(user.get("sortable_name") or user.get("name") or "")
    words = (str(user.get(key) or "") for key in ("sis_user_id", "login_id", "email"))
    return Student(str(user["id"]), name, *words)


def _is_open(entry: Entry) -> bool:
    return entry.assigned and not entry.excused and not _student(entry).is_test


def _where(service: Service) -> str:
    return f"{service.url}, {clean(service.title, 80)}"
