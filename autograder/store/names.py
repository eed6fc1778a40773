"""Names, paths, origins and students as a database takes them: a file may have a name that is no text."""

from __future__ import annotations

import json

import msgspec

from autograder.lateness import Names
from autograder.submissions.origin import Origin


def to_text(name: str) -> str:
    """A name as text without anything that a database refuses; names that differ stay different."""
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]


def from_text(text: str) -> str:
    """The name that became ``text``."""
    name: str = json.loads(f'"{text}"')
    return name


def origin_text(origin: Origin) -> str:
    """An origin as JSON in ASCII: names of files that are no text are escapes in it."""
    return json.dumps(msgspec.to_builtins(origin))


def origin_from(text: str) -> Origin:
    """The origin that became ``text``."""
    return msgspec.convert(json.loads(text), Origin)


def students_text(students: tuple[Names, ...]) -> str:
    """Students by all their names as JSON in ASCII; nothing for nobody."""
    return json.dumps(students) if students else ""


def students_from(text: str) -> tuple[Names, ...]:
    """The students that became ``text``."""
    return msgspec.convert(json.loads(text), tuple[Names, ...]) if text else ()
