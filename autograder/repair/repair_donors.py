"""Choose the right programs whose statements and methods may take the place of a student's."""

from __future__ import annotations

import re

from autograder.grading import Grader

REACHES_FOR_CODE = re.compile(
    r"\b(?:__code__|__closure__|__globals__|__dict__|__file__|__loader__|__spec__|_getframe|f_\w+|tb_\w+|gi_\w+|co_\w+|"
    r"gc|inspect|dis|traceback|linecache|tracemalloc|settrace|setprofile|monitoring|ctypes|marshal|pickle|open|exec|"
    r"attrgetter|operator|format|format_map|builtins|__builtins__|__getattribute__|__subclasses__|"
    r"eval|compile|globals|locals|vars|getattr|importlib|__import__|os|sys|io|pathlib|socket|subprocess|threading)\b"
)
"""What a program might find the text of another through."""


def list_donors(grader: Grader, source: str) -> tuple[str, ...]:
    """Return texts of right programs, the reference solution first; none for a program that might read them."""
    if REACHES_FOR_CODE.search(source):
        return ()
    assignment = grader.assignment
    wheats = sorted((assignment.solution_file.parent / "wheats").glob("*.py"))
    return tuple(path.read_text(encoding="utf-8") for path in (assignment.solution_file, *wheats))
