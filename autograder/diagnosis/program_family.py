"""Define what the programs of an assignment are: how they are made, run, checked and explained."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.bridge.request_sequence_results import RequestSequenceResult
from autograder.bridge.request_sequences import RequestSequence
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.program_trace import ProgramTrace

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LETTERS = "abcdefghijkmnopqrstuvwxyz"
"""Names for what a program makes; an l looks like a 1."""


class DiagnosisProgram(Hashable, Protocol):
    """A few lines that use what a student wrote: plain, frozen, and equal to a program that does the same."""

    def format_lines(self) -> tuple[str, ...]:
        """Return the lines, as a student can paste them."""


class DiagnosisProgramFamily(Protocol):
    """The programs of one assignment that use nothing but what a submission has.

    Its programs are ``DiagnosisProgram`` objects of one class. They are all deterministic: the same for every
    submission that has the same names.
    """

    def enumerate_small_programs(self) -> Iterator[Any]:
        """Yield the small programs, the simplest first."""

    def enumerate_state_leak_programs(self) -> Iterator[Any]:
        """Yield a few programs that show what one program leaves behind for the next."""

    def make_hypothesis_strategy(self) -> SearchStrategy[Any]:
        """Return a strategy for larger programs, for Hypothesis to search and shrink."""

    def enumerate_simpler_programs(self, program: Any) -> Iterator[Any]:
        """Yield programs to be preferred to this one if they fail too, the best first; every chain of them ends."""

    def draw_random_programs(self, seed: int = 0, more_frequent_names: Collection[str] = ()) -> tuple[Any, ...]:
        """Return random programs, always the same for a seed, on which two submissions can be compared.

        Args:
            seed: decides which programs.
            more_frequent_names: names of what is in question (``tanh``, ``__mul__``), which comes up more often.
        """

    def make_program_and_variants(self, program: Any) -> tuple[Any, ...]:
        """Return this program, and others of its shape."""

    def includes_program(self, program: Any) -> bool:
        """Return whether this is a program of this family: it uses nothing else."""

    def run_program(self, student: StudentProxy | LocalStudentProxy, program: Any) -> ProgramTrace:
        """Run a program on what the student wrote, step by step; raise nothing of the student's."""

    def is_trace_correct(self, program: Any, trace: ProgramTrace) -> bool:
        """Return whether a right submission may show this trace."""

    def explain_wrong_trace(self, program: Any, trace: ProgramTrace) -> Counterexample:
        """Tell the story of a program from its trace, which is not right."""


@runtime_checkable
class BatchableProgramFamily(DiagnosisProgramFamily, Protocol):
    """Programs that can also travel as request sequences, many in one message: far faster for thousands of them."""

    def make_request_sequence(self, program: Any) -> RequestSequence:
        """Return the whole program as one message."""

    def parse_trace(self, program: Any, result: RequestSequenceResult) -> ProgramTrace:
        """Return what a program's request sequence gave."""
