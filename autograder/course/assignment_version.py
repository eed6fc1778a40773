"""Compute an assignment's version: a hash over everything that can change a verdict."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from autograder.faults import CourseFault, translate_file_errors
from autograder.files_without_tool_caches import list_files_without_tool_caches

FRESH_LOOK_FILE = "fresh_look.py"
"""What looks at submissions with numbers that no test uses, beside the folder of the hidden suite; see ``Grader``."""


def hash_assignment(settings: dict[str, Any], root: Path, name: str) -> str:
    """Return a hash over everything of an assignment that can change a verdict.

    Besides the settings, it covers four things: the hidden suite; the look at fresh numbers; the solution, which
    decides what counts as the grader's fault; and the template's files to hand in, which decide what counts as
    untouched.
    """
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    hidden = root / "assignments" / name / "hidden"
    template = root / "student_template" / name
    fresh_look = hidden.parent / FRESH_LOOK_FILE
    solution = root / "solutions" / name / "value.py"
    other_files = (fresh_look, solution, template / "value.py", template / "value.ipynb")
    for path in (*list_files_without_tool_caches(hidden), *(path for path in other_files if path.is_file())):
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes()
        digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
