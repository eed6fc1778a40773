"""Define what an assignment's programs are: how they are made, run, judged and told."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from autograder.bridge import LocalStudent, Student
from autograder.bridge.endings import Ending
from autograder.bridge.scripts import Script
from autograder.course import Assignment
from autograder.diagnosis.operations import OPERATIONS
from autograder.diagnosis.story import Counterexample
from autograder.diagnosis.trace import Trace

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class Subject(Protocol):
    """The programs of one assignment. A program is plain, frozen and hashable; its class is the subject's affair."""

    def small(self) -> Iterator[Any]:
        """Yield every small program, the simplest first."""

    def leaking(self) -> Iterator[Any]:
        """Yield a few programs that show what one graph leaves behind for the next."""

    def strategy(self) -> SearchStrategy[Any]:
        """Return a strategy for larger programs, for Hypothesis to search and shrink."""

    def simpler(self, program: Any) -> Iterator[Any]:
        """Yield programs to be preferred to this one if they fail too, the best first."""

    def fresh(self, seed: int = 0, about: Collection[str] = ()) -> tuple[Any, ...]:
        """Return random programs, always the same for a seed, on which two engines can be compared.

        Args:
            seed: decides which programs.
            about: names of what is in question (``tanh``, ``__mul__``), which comes up more often.
        """

    def near(self, program: Any) -> tuple[Any, ...]:
        """Return this program, and others of its shape."""

    def run(self, student: Student | LocalStudent, program: Any) -> Trace:
        """Run a program on what the student wrote, step by step; raise nothing of the student's."""

    def script(self, program: Any) -> Script:
        """Return the whole program as one message."""

    def trace(self, program: Any, ending: Ending) -> Trace:
        """Return what a program's script gave."""

    def is_right(self, program: Any, trace: Trace) -> bool:
        """Return whether a right submission may show this trace."""

    def tell(self, program: Any, trace: Trace) -> Counterexample:
        """Tell the story of a program from its trace, which is not right."""


ALL_NAMES = frozenset(name for operation in OPERATIONS.values() for name in operation.needs) | {
    "backward", "zero_grad", "build_topo", "backward_order"
}  # fmt: skip


def subject_of(assignment: Assignment, has: Collection[str] = ALL_NAMES) -> Subject | None:
    """Return the programs for an assignment; None when it is about something else.

    Args:
        assignment: the assignment; what it ``defines`` decides.
        has: the names that everything to be tried has (``tanh``, ``__add__``, ``backward``, ...); programs use
            nothing else.
    """
    from autograder.diagnosis.engine import Expressions
    from autograder.diagnosis.orders import Orders

    if "Value" in assignment.defines:
        return Expressions(frozenset(has), assignment.conventions.second_backward)
    if "build_topo" in assignment.defines:
        return Orders(frozenset(has))
    return None
