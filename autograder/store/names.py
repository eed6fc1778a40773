"""Convert names, paths, origins and students for a database, and back: a file's name may not be valid text."""

from __future__ import annotations

import json

import msgspec

from autograder.lateness import Names
from autograder.submissions.origin import Origin


def to_text(name: str) -> str:
    """Return a name as text without anything that a database refuses; names that differ stay different."""
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]


def from_text(text: str) -> str:
    """Return the name that ``to_text`` made into ``text``."""
    name: str = json.loads(f'"{text}"')
    return name


def origin_text(origin: Origin) -> str:
    """Return an origin as JSON in ASCII; names of files that are not valid text become escapes in it."""
    return json.dumps(msgspec.to_builtins(origin))


def origin_from(text: str) -> Origin:
    """Return the origin that ``origin_text`` made into ``text``."""
    return msgspec.convert(json.loads(text), Origin)


def students_text(students: tuple[Names, ...]) -> str:
    """Return students, each by all their names, as JSON in ASCII; empty if there are none."""
    return json.dumps(students) if students else ""


def students_from(text: str) -> tuple[Names, ...]:
    """Return the students that ``students_text`` made into ``text``."""
    return msgspec.convert(json.loads(text), tuple[Names, ...]) if text else ()
