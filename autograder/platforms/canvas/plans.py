"""Plan an upload: for each of Canvas's students, the score and the comment that are not there yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from autograder.platforms.canvas.comment import comment_on
from autograder.platforms.canvas.entries import Entry
from autograder.platforms.canvas.gradebook import KEPT, decided
from autograder.platforms.canvas.points import written
from autograder.platforms.canvas.students import Student
from autograder.platforms.decisions import settled
from autograder.platforms.model import Change, Given, Result


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
    def sent(self) -> list[Change]:
        """Return what is sent: a score, a comment or both."""
        said = replace(self.change, what="comment", before="", after=self.comment, overwrites=False)
        return [*([self.change] if self.score else []), *([said] if self.comment else [])]

    @property
    def score(self) -> str:
        """Return the new score; empty if it is there already."""
        return self.change.after if self.change.is_new else ""

    @property
    def is_new(self) -> bool:
        """Return whether there is anything to send."""
        return not self.change.note and bool(self.score or self.comment)


def plans_for(
    graded: Mapping[str, Result],
    entries: Mapping[str, Entry],
    scale: Callable[[float], Decimal],
    silent: bool,
    place: str,
    given: Given,
) -> list[Plan]:
    """Plan what to do for each student who has a result.

    Args:
        graded: the results, by the student's id.
        entries: what Canvas holds, by the student's id.
        scale: turns the points of a result into Canvas's.
        silent: whether scores are sent alone, without comments.
        place: the assignment's id.
        given: holds what the kit wrote last.
    """
    shared = Counter(result.name for result in graded.values())
    plans = []
    for id_, result in graded.items():
        change = _change(entries[id_], written(scale(result.points)))
        change = replace(change, id=id_, place=place, submission=result.name, seen=entries[id_].graded_at)
        change = settled(change, given)
        comment = "" if silent else _new_comment(entries[id_], result)
        plans.append(Plan(change, entries[id_], comment, whole_group=shared[result.name] == 1))
    return plans


def _change(entry: Entry, after: str) -> Change:
    student = student_in(entry)
    before = "" if entry.score is None else written(Decimal(repr(entry.score)))
    if entry.excused or not entry.assigned:
        return Change(student.label, before, before, KEPT["EX" if entry.excused else "N/A"])
    return decided(student, before, after)


def _new_comment(entry: Entry, result: Result) -> str:
    """Return the comment; empty if it is there already."""
    comment = comment_on(result.report)
    return "" if comment.split() in (there.split() for there in entry.comments) else comment


def student_in(entry: Entry) -> Student:
    """Return the student whose entry it is, with the ids and names that other tables use too."""
    user = entry.user
    name = str(user.get("sortable_name") or user.get("name") or "")
    words = (str(user.get(key) or "") for key in ("sis_user_id", "login_id", "email"))
    return Student(str(user["id"]), name, *words)
