"""Load a submission: find and leave out statements that hang or end its process, and run the others."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from autograder.bridge.loading_time_limit_clock import OVERTIME_SECONDS
from autograder.bridge.process_connection import ProcessConnection
from autograder.bridge.reported_load_result_filter import STOPPED, TIMED_OUT, LoadResultFilter
from autograder.bridge.student_exceptions import StudentError, StudentStopped
from autograder.bridge.submission_program import LoadProblem, LoadResult, ReportedLoadResult, SubmissionProgram

APPEAL_FACTOR = 2
"""How many times its limit loading gets once it met the limit. Only what does not end then is left out."""
LAST_ATTEMPT_SHARE = 0.25
"""The share of the loading time that an attempt gets after a process had to be killed."""


def load_program(
    client: ProcessConnection,
    program: SubmissionProgram,
    cpu_seconds: float,
    *,
    announces_each_statement: bool,
) -> ReportedLoadResult:
    """Send a program into a process that holds none, and have it run.

    Args:
        client: to the process.
        program: the code.
        cpu_seconds: CPU time of this machine that all statements may take together.
        announces_each_statement: whether the process is to say which statement it comes to, before it runs it.

    Raises:
        StudentStopped: the process ended, broke a limit, or did not say what was loaded.
    """
    config = {
        "units": [list(unit) for unit in program.units],
        "modules": program.modules,
        "imports": program.list_imports(),
        "defines": list(program.defines),
        "also_named": list(program.also_named),
        "skipped_statements": [list(place) for place in sorted(program.skipped_statements)],
        "seconds": cpu_seconds,
        "overtime_seconds": OVERTIME_SECONDS,
        "announces_each_statement": announces_each_statement,
        "makes_instances": program.makes_instances,
        "possible_attributes": list(program.possible_attributes),
    }
    try:
        pieces = client.send_request("load", config)
        return msgspec.json.decode("".join(pieces if type(pieces) is list else ()), type=ReportedLoadResult)
    except StudentError:
        raise StudentStopped("protocol", "its process did not say what was loaded") from None
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        raise StudentStopped("protocol", "its process sent a malformed answer") from None


class LoadRetryState:
    """The state of loading one program, kept from one attempt to the next.

    ``Bridge`` loads the program until all of its remaining statements run to their end, or gives up.

    Attributes:
        program: the program without the statements that are known to hang or to end the process.
        announces_each_statement: whether the next process announces each statement before it runs it.
        seconds: CPU time that all statements may take together.
    """

    def __init__(self, program: SubmissionProgram, seconds: float) -> None:
        self.program, self.seconds = program, seconds
        self.announces_each_statement = False
        self._max_seconds = seconds
        self._is_appeal = False
        self._problems: list[LoadProblem] = []
        self._checker = LoadResultFilter(program)

    def prepare_retry_after_stop(
        self, stop: StudentStopped, announced_statement_and_line: tuple[int, int, int] | None
    ) -> None:
        """Leave out the statement that ended the process, if it is known; have the next process announce each one.

        Args:
            stop: how the process ended.
            announced_statement_and_line: (unit, statement, line) that the process announced last; ignored if it
                does not exist.
        """
        self.announces_each_statement, self.seconds = True, self._max_seconds * LAST_ATTEMPT_SHARE
        if announced_statement_and_line is None:
            return
        unit, position, line = announced_statement_and_line
        if unit < 0:
            self.program = replace(self.program, makes_instances=False)  # a constructor ended the process
        elif self._checker.has_statement(unit, position):
            self._leave_out({(unit, position)})
            line = self._checker.get_existing_line_number_or_zero(unit, line)
            self._problems.append(LoadProblem(STOPPED, unit, position, line, stop.cause, stop.message))

    def finish_or_prepare_retry(self, answer: ReportedLoadResult) -> LoadResult | None:
        """Return what the submission defines; None if it must be loaded again without statements that did not end."""
        answer = self._checker.copy_without_impossible_parts(answer)
        late = set(answer.late)
        if late and not self._is_appeal:
            self._is_appeal, self.seconds = True, self._max_seconds * APPEAL_FACTOR
            return None
        if late - self.program.skipped_statements:
            self._problems += [problem for problem in answer.problems if problem.kind == TIMED_OUT]
            self._leave_out(late)
            self.announces_each_statement = False
            return None
        if answer.hangs:
            self.program = replace(self.program, makes_instances=False)
        problems = (*answer.problems, *self._problems)
        problem_by_place = {(problem.unit, problem.statement): problem for problem in problems}
        return LoadResult(
            answer.defined,
            {name: frozenset(attributes) for name, attributes in answer.features.items()},
            tuple(answer.missing),
            tuple(problem_by_place[place] for place in sorted(problem_by_place)),
        )

    def make_failed_load_result(self) -> LoadResult:
        """Return the result for a program that never ran to its end: its problems alone."""
        return LoadResult(problems=tuple(self._problems))

    def _leave_out(self, places: set[tuple[int, int]]) -> None:
        self.program = replace(self.program, skipped_statements=self.program.skipped_statements | places)
