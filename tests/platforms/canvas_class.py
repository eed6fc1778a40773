"""Whose a submission is that comes from Canvas."""

from __future__ import annotations

from autograder.submissions import Person, SubmissionOrigin


def of_canvas(*names: str, late: bool = False) -> SubmissionOrigin:
    """An origin as the reader makes it of these file names; a hidden one where they begin with ``anon``."""
    owner, user, *_ = names[0].split("_")
    people = () if owner == "anon" else (Person(id=user, name=owner),)
    return SubmissionOrigin("canvas", people, marked_late=late, names=names)
