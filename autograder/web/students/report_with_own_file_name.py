"""Name in a report the file that the student handed in, in place of the name under which the server graded it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from autograder.reports import ScoreReport
from autograder.safe_text import escape_for_sentence
from autograder.store.web.hand_in_model import HandIn


def get_graded_file_name(hand_in: HandIn) -> str:
    """Return the name under which a hand-in's file is graded, by which texts of its report call it."""
    return f"{hand_in.submission}{Path(hand_in.file_name).suffix}"


def put_own_file_name(report: ScoreReport, hand_in: HandIn) -> ScoreReport:
    """Return a report with the student's own file name in all texts.

    It is for the students of the hand-in alone: a file's name may tell whose it is.
    """
    graded_name = re.escape(escape_for_sentence(get_graded_file_name(hand_in), 100))
    pattern = re.compile(rf"(?<![\w.+@-]){graded_name}(?!\w)")
    renamed: ScoreReport = _map_texts(report, lambda text: pattern.sub(lambda _: hand_in.file_name, text))
    return renamed


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a part of a report with each of its texts changed, but for the keys of dicts."""
    match value:
        case str():
            return change(value)
        case list():
            return [_map_texts(item, change) for item in value]
        case tuple():
            return tuple(_map_texts(item, change) for item in value)
        case dict():
            return {key: _map_texts(item, change) for key, item in value.items()}
        case Struct():
            names = value.__struct_fields__
            return structs.replace(value, **{name: _map_texts(getattr(value, name), change) for name in names})
    return value
