"""Define what an assignment's programs are: how they are made, run, checked and explained."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.bridge.script_results import ScriptResult
from autograder.bridge.script_writer import Script
from autograder.course import Assignment
from autograder.diagnosis.counterexample_report import Counterexample
from autograder.diagnosis.operations import OPERATIONS
from autograder.diagnosis.program_trace import ProgramTrace

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class ProgramFamily(Protocol):
    """The programs of one assignment. A program is plain, frozen and hashable; its class is the subject's affair."""

    def enumerate_small_programs(self) -> Iterator[Any]:
        """Yield every small program, the simplest first."""

    def enumerate_leak_programs(self) -> Iterator[Any]:
        """Yield a few programs that show what one graph leaves behind for the next."""

    def make_search_strategy(self) -> SearchStrategy[Any]:
        """Return a strategy for larger programs, for Hypothesis to search and shrink."""

    def simplify_program(self, program: Any) -> Iterator[Any]:
        """Yield programs to be preferred to this one if they fail too, the best first."""

    def draw_random_programs(self, seed: int = 0, about: Collection[str] = ()) -> tuple[Any, ...]:
        """Return random programs, always the same for a seed, on which two engines can be compared.

        Args:
            seed: decides which programs.
            about: names of what is in question (``tanh``, ``__mul__``), which comes up more often.
        """

    def make_similar_programs(self, program: Any) -> tuple[Any, ...]:
        """Return this program, and others of its shape."""

    def run_program(self, student: StudentProxy | LocalStudentProxy, program: Any) -> ProgramTrace:
        """Run a program on what the student wrote, step by step; raise nothing of the student's."""

    def write_script(self, program: Any) -> Script:
        """Return the whole program as one message."""

    def parse_trace(self, program: Any, ending: ScriptResult) -> ProgramTrace:
        """Return what a program's script gave."""

    def is_trace_correct(self, program: Any, trace: ProgramTrace) -> bool:
        """Return whether a right submission may show this trace."""

    def explain_wrong_trace(self, program: Any, trace: ProgramTrace) -> Counterexample:
        """Tell the story of a program from its trace, which is not right."""


ALL_NAMES = frozenset(name for operation in OPERATIONS.values() for name in operation.needs) | {
    "backward", "zero_grad", "build_topo", "backward_order"
}  # fmt: skip


def find_program_family(assignment: Assignment, defined_names: Collection[str] = ALL_NAMES) -> ProgramFamily | None:
    """Return the programs for an assignment; None when it is about something else.

    Args:
        assignment: the assignment; what it ``defines`` decides.
        defined_names: the names that everything to be tried has (``tanh``, ``__add__``, ``backward``, ...); programs
            use nothing else.
    """
    from autograder.diagnosis.engine_programs import ExpressionPrograms
    from autograder.diagnosis.sort_programs import SortPrograms

    if "Value" in assignment.defines:
        return ExpressionPrograms(frozenset(defined_names), assignment.conventions.second_backward)
    if "build_topo" in assignment.defines:
        return SortPrograms(frozenset(defined_names))
    return None
