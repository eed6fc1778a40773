"""Define the interface of an assignment's diagnosis programs: how they are made, run, checked and explained."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from autograder.bridge import StudentProxy
from autograder.bridge.request_sequence_results import RequestSequenceResult
from autograder.bridge.request_sequences import PackedRequests
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.program_readings import ProgramReadings

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LETTERS = "abcdefghijkmnopqrstuvwxyz"
"""Names for what a program makes, without l, which looks like 1."""


class DiagnosisProgram(Hashable, Protocol):
    """A few lines of code that use what a student wrote; immutable, and equal to a program with the same steps."""

    def format_lines(self) -> tuple[str, ...]:
        """Return the program's lines, which a student can paste into an interpreter."""


class DiagnosisProgramFamily(Protocol):
    """The programs of one assignment that use nothing but what a submission has.

    Its programs are ``DiagnosisProgram`` objects of one class. They are all deterministic: the same for every
    submission that has the same names.
    """

    def enumerate_small_programs(self) -> Iterator[Any]:
        """Yield the small programs, the simplest first."""

    def enumerate_state_leak_programs(self) -> Iterator[Any]:
        """Yield a few programs that show state that one program leaves behind for the next."""

    def make_hypothesis_strategy(self) -> SearchStrategy[Any]:
        """Return a strategy for larger programs, for Hypothesis to search and shrink."""

    def enumerate_simpler_programs(self, program: Any) -> Iterator[Any]:
        """Yield simpler programs to prefer to this one if they fail too, the best first.

        Simplifying again and again must come to an end.
        """

    def draw_random_programs(self) -> tuple[Any, ...]:
        """Return random programs, always the same ones, on which two submissions can be compared."""

    def make_programs_of_same_shape(self, program: Any) -> tuple[Any, ...]:
        """Return this program, and others of the same shape."""

    def includes_program(self, program: Any) -> bool:
        """Return whether a program belongs to this family: it uses only names that the submission has."""

    def run_program(self, student: StudentProxy, program: Any) -> ProgramReadings:
        """Run a program on what the student wrote, step by step; raise no exception of the student's code."""

    def is_trace_correct(self, program: Any, trace: ProgramReadings) -> bool:
        """Return whether a right submission may show this trace."""

    def make_counterexample(self, program: Any, trace: ProgramReadings) -> Counterexample:
        """Return the counterexample that a program with a wrong trace makes."""


@runtime_checkable
class BatchableProgramFamily(DiagnosisProgramFamily, Protocol):
    """A family whose programs can also be sent as request sequences, many in one message, which is far faster."""

    def make_request_sequence(self, program: Any) -> PackedRequests:
        """Return the whole program as a request sequence."""

    def parse_trace(self, program: Any, result: RequestSequenceResult) -> ProgramReadings:
        """Return the trace of a program from the result of its request sequence."""
