"""Find the names that a reference solution defines, which markers and ``defines`` may refer to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.course import Assignment
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.course.given_code import list_defined_names_except_imports
from autograder.course.python_parsing import parse_python_file
from autograder.course.yaml_documents import read_yaml_document
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any


class SolutionNames:
    """The functions, classes and class members that a solution defines; markers may name them.

    Attributes:
        known: functions, classes, and members of classes as ``parameters`` and as ``MLP.parameters``.
    """

    def __init__(self, source: str) -> None:
        self._words = {*re.findall(r"\w+", source)}
        self._may_inherit: dict[str, bool] = {}
        names: dict[str, None] = {}
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                names[statement.name] = None
            if isinstance(statement, ast.ClassDef):
                self._may_inherit[statement.name] = bool(statement.bases or statement.decorator_list)
                for member in _list_members(statement):
                    names |= {f"{statement.name}.{member}": None, member: None}
        self.known = [*names]

    def may_define(self, name: str) -> bool:
        """Return whether the solution defines a name, or may define it.

        A member may be inherited or be set by other code, if its name occurs anywhere in the text and the named
        class, if any, has bases or decorators.
        """
        owner, _, member = name.rpartition(".")
        if name in self.known or member not in self._words:
            return name in self.known
        return not owner or self._may_inherit.get(owner, False)


def _list_members(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the names of a class's methods, of what its body assigns, and of what methods set on ``self``."""
    for statement in owner.body:
        yield from list_defined_names_except_imports(statement)
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def require_defines_in_solution(assignment: Assignment) -> None:
    """Raise if ``defines`` in ``grading.yml`` lists a name that the reference solution does not have.

    Raises:
        CourseFault: there is such a name, or the solution cannot be read.
    """
    names = [*_list_global_names(parse_python_file(assignment.solution_file))]
    if "*" in names:
        return
    config = assignment.course_folder / COURSE_FILE_NAME
    line = read_yaml_document(config).get_line_of_nearest_key(("assignments", assignment.name, "defines"))
    solution = assignment.solution_file.name
    raise_course_faults_if_any(
        [
            CourseFault(
                f"`defines` lists {name!r}, which {solution} does not have{format_did_you_mean_suffix(name, names)}",
                where=f"{config}:{line}",
                advice="correct the name, or write it in the solution",
            )
            for name in assignment.defines
            if name not in names
        ]
    )


def _list_global_names(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        is_definition = isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for node in [statement] if is_definition else ast.walk(statement):
            if isinstance(node, ast.stmt):
                yield from list_defined_names_except_imports(node)
            if isinstance(node, ast.alias):
                yield node.asname or node.name
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
