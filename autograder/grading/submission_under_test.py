"""Provide a hidden suite with its submission: behind a bridge, or, for debugging, in this process."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Protocol

from autograder.bridge import Bridge, LocalStudentProxy, StudentProxy, SubmissionProgram
from autograder.bridge.messages import RequestTranscript
from autograder.bridge.submission_program import LoadResult
from autograder.faults import CallerFault
from autograder.submissions import Submission
from autograder.syntax_trees import FEW, try_parse_program


@lru_cache(FEW)
def collect_instance_attributes(source_texts: Sequence[str], class_name: str) -> frozenset[str]:
    """Return the attributes that a class, or one of its base classes, gives its objects.

    Args:
        source_texts: the texts of the program.
        class_name: the name of the class; if several classes have it, all of them count.

    >>> sorted(collect_instance_attributes(("class A: x: int", "class B(A): y: int"), "B"))
    ['x', 'y']
    """
    classes: dict[str, list[ast.ClassDef]] = {}
    for syntax in filter(None, try_parse_program(source_texts)):
        for node in syntax.nodes:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    names, left = {class_name}, [class_name]
    while left:
        made_so = classes.get(left.pop(), ())
        bases = {base.id for made in made_so for base in made.bases if isinstance(base, ast.Name)} - names
        names |= bases
        left += bases
    found = (made for one in names for made in classes.get(one, ()))
    return frozenset(attribute for made in found for attribute in _given_by(made))


def _given_by(made: ast.ClassDef) -> Iterator[str]:
    for statement in made.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id  # an annotated name, such as a field of a dataclass
        elif isinstance(statement, ast.FunctionDef) and statement.args.args:
            owner = statement.args.args[0].arg
            for name, attribute in _set_in(ast.walk(statement)):
                if name == owner or statement.name == "__new__":  # `__new__` may use any name for the new object
                    yield attribute


def _set_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield (name, attribute) for each attribute that is assigned, by a statement or by ``setattr``."""
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Store()):
                yield name, attribute
            case ast.Call(
                func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"),
                args=[ast.Name(id=name), ast.Constant(value=str(attribute)), *_],
            ):
                yield name, attribute


class SubmissionUnderTest(Protocol):
    """The submission that the tests are about.

    Attributes:
        student: the value of the ``student`` fixture.
    """

    student: StudentProxy

    def list_unimplemented_names(self, names: Collection[str]) -> list[str]:
        """Return those of ``names`` that the submission does not have, or has only as untouched stubs."""

    def begin_test(self) -> None:
        """Prepare for one test."""

    def end_test(self) -> None:
        """Record that the test is over."""


class BridgedSubmissionUnderTest:
    """A submission in its own process.

    Attributes:
        load_result: what it defines, and the problems while it was loaded.
        implemented_names: the methods (``parameters`` and ``MLP.parameters``) and functions that it implements; stubs
            are not among them.
        student: see ``SubmissionUnderTest``.
        transcript_of_next_test: what the next test may ask, with the answers, if these are there already.
    """

    def __init__(self, bridge: Bridge, load_result: LoadResult) -> None:
        self.transcript_of_next_test: RequestTranscript | None = None
        self.bridge = bridge
        self.load_result = load_result
        self.student = StudentProxy(bridge)
        defined_names = frozenset(name for name, kind in load_result.kind_by_name.items() if kind not in ("", "stub"))
        members = (
            f"{name}.{member}"
            for name, attributes in load_result.attributes_by_class.items()
            for member in attributes
        )
        self.implemented_names = defined_names.union(members, *load_result.attributes_by_class.values())

    def list_unimplemented_names(self, names: Collection[str]) -> list[str]:
        """See ``SubmissionUnderTest``."""
        if self.implemented_names.issuperset(names):
            return []
        missing_names = [name for name in names if name not in self.implemented_names]
        # an object may have attributes that its class lacks, if no object could be made for inspection
        return [name for name in missing_names if name not in self._assigned_names]

    @cached_property
    def _assigned_names(self) -> frozenset[str]:
        """Return the attributes that objects of the submission's classes get, according to its text."""
        sources = tuple(self.bridge.program.map_traceback_names_to_sources().values())
        return frozenset(
            name
            for kind in self.load_result.attributes_by_class
            for attribute in collect_instance_attributes(sources, kind)
            for name in (attribute, f"{kind}.{attribute}")
        )

    def begin_test(self) -> None:
        """See ``SubmissionUnderTest``."""
        self.bridge.begin_test(self.transcript_of_next_test)

    def end_test(self) -> None:
        """See ``SubmissionUnderTest``."""
        self.bridge.end_test_and_charge_time()


class InProcessSubmissionUnderTest:
    """A submission imported into this process, so that a debugger can step into it. For trusted code only."""

    def __init__(self, submission: Submission) -> None:
        """Run the submission's code here.

        Raises:
            CallerFault: the code raises an exception.
        """
        module = sys.modules["submission"] = ModuleType("submission")  # where ``@dataclass`` looks for annotations
        for unit in submission.units:
            try:
                exec(compile(unit.source, unit.name, "exec"), vars(module))
            except (Exception, SystemExit) as error:
                raise CallerFault(
                    f"the submission raises {type(error).__name__}: {error}",
                    where=unit.name,
                    advice="fix it, or leave --in-process out",
                ) from error
        self.student: StudentProxy = LocalStudentProxy(vars(module))

    def list_unimplemented_names(self, names: Collection[str]) -> list[str]:
        """Return nothing: a debugger shows what is missing."""
        return []

    def begin_test(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def end_test(self) -> None:
        """Do nothing: there is no time to count."""


def make_submission_program(
    submission: Submission, names_to_define: tuple[str, ...], possible_attributes: tuple[str, ...] = ()
) -> SubmissionProgram:
    """Return the part of a submission that is sent into its process.

    For ``possible_attributes``, see ``SubmissionProgram``.
    """
    units = tuple((unit.name, unit.source) for unit in submission.units)
    return SubmissionProgram(
        units, names_to_define, dict(submission.modules), possible_attributes, also_named=submission.given_names
    )
