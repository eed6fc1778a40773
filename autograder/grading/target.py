"""Give a hidden suite its submission: behind a bridge, or, for debugging, in this process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from autograder.bridge import Bridge, LocalStudent, Program, Student
from autograder.bridge.program import Loaded
from autograder.faults import CallerFault
from autograder.submissions import Submission


class Target(Protocol):
    """The submission that the tests are about.

    Attributes:
        falling: whether sets have the opposite order in the tests to come.
    """

    falling: bool

    @property
    def student(self) -> Student | LocalStudent:
        """Return what the ``student`` fixture gives."""

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that the submission does not have, or has only as untouched stubs."""

    def begin_test(self, test: str) -> None:
        """Get ready for one test, known by its node id."""

    def end_test(self) -> None:
        """Note that the test is over."""

    def found_out(self) -> dict[str, Any]:
        """Return what the tests found out about the submission so far; see ``Student.remembered``."""


class BridgeTarget:
    """A submission in its own process.

    Attributes:
        loaded: what it defines.
        has: the names that it has, methods and functions; stubs are not among them.
        test: the test that is running, or ran last.
        falling: see ``Target``.
    """

    def __init__(self, bridge: Bridge, loaded: Loaded) -> None:
        self.test, self.falling = "", False
        self._begun = False
        self.bridge = bridge
        self.loaded = loaded
        self._student = Student(bridge)
        own = frozenset(name for name, kind in loaded.defined.items() if kind not in ("", "stub"))
        self.has = own.union(*loaded.features.values())

    @property
    def student(self) -> Student:
        """See ``Target``."""
        return self._student

    def missing(self, names: Iterable[str]) -> list[str]:
        """See ``Target``."""
        return [name for name in names if name not in self.has]

    def begin_test(self, test: str) -> None:
        """See ``Target``."""
        self.test = test
        if not self._begun:
            self.bridge.falling = self.falling
            self.bridge.begin_test()
        self._begun = False

    def begin_beforehand(self, test: str) -> None:
        """Begin a test that may not have to be run; if it is run, it goes on from here. Raise as ``begin_test``."""
        self.begin_test(test)
        self._begun = True

    def end_test(self) -> None:
        """See ``Target``."""
        self._begun = False
        self.bridge.end_test()

    def found_out(self) -> dict[str, Any]:
        """See ``Target``."""
        return dict(self._student.remembered.content)


class LocalTarget:
    """A submission imported into this process, so that a debugger can step into it. For trusted code only."""

    falling = False

    def __init__(self, submission: Submission) -> None:
        """Run the submission's code here.

        Raises:
            CallerFault: the code raises an exception.
        """
        names: dict[str, Any] = {"__name__": "submission"}
        for unit in submission.units:
            try:
                exec(compile(unit.source, unit.name, "exec"), names)
            except Exception as error:
                raise CallerFault(f"raises {type(error).__name__}: {error}", where=unit.name) from error
        self._student = LocalStudent(names)

    @property
    def student(self) -> LocalStudent:
        """See ``Target``."""
        return self._student

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return nothing: a debugger shows what is missing."""
        return []

    def begin_test(self, test: str) -> None:
        """Do nothing: there is nothing to prepare."""

    def end_test(self) -> None:
        """Do nothing: there is no time to count."""

    def found_out(self) -> dict[str, Any]:
        """See ``Target``."""
        return dict(self._student.remembered)


def program_of(submission: Submission, defines: tuple[str, ...], looked_for: tuple[str, ...] = ()) -> Program:
    """Return the part of a submission that is sent into its process; for ``looked_for``, see ``Program``."""
    units = tuple((unit.name, unit.source) for unit in submission.units)
    return Program(units, defines, dict(submission.modules), looked_for)
