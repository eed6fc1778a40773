"""Load a submission: find and leave out statements that hang or end its process, and run the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge.clocks import OVERTIME_SECONDS
from autograder.bridge.student_exceptions import StudentStopped
from autograder.bridge.submission_program import LoadProblem, LoadResult, ReportedLoadResult, SubmissionProgram
from autograder.syntax_trees import try_parse_program

BROKEN, TIMED_OUT, STOPPED = "broken", "timed out", "stopped"
KINDS_OF_PROCESS = frozenset({BROKEN, "failed", TIMED_OUT})
"""Kinds of problem that a process may report. Only the grader says that a statement ended the process."""
MOST_PROBLEMS = 50
"""Maximum number of problems accepted from one answer; an honest process sends no more."""
MOST_PLACES = 1000
"""Maximum number of statements, and of packages, accepted from one answer."""
WHOLE_UNIT = -1
"""The statement position in a problem of a unit that does not compile."""


class LoadResultFilter:
    """Knows the names, statements and lines that a process can report of one program."""

    def __init__(self, program: SubmissionProgram) -> None:
        """Prepare without parsing anything.

        Args:
            program: the program that is loaded.
        """
        self._program = program

    def copy_without_impossible_parts(self, answer: ReportedLoadResult) -> ReportedLoadResult:
        """Return a copy of an answer without the parts that cannot be true of the program that was sent.

        Left out are names that were not asked for, statements that do not exist, problems of a kind that a process
        cannot know, and all problems of a statement but the first. A line that does not exist becomes 0.

        Args:
            answer: the process's answer, unchecked.
        """
        names = self._program.defines
        return msgspec.structs.replace(
            answer,
            defined={name: answer.defined[name] for name in names if name in answer.defined},
            features={name: answer.features[name] for name in names if name in answer.features},
            missing=answer.missing[:MOST_PLACES],
            problems=self._list_possible_problems(answer.problems[:MOST_PROBLEMS]),
            late=[place for place in answer.late[:MOST_PLACES] if self.has_statement(*place)],
        )

    def has_statement(self, unit_index: int, statement_index: int) -> bool:
        """Return whether the program has a statement; in a long unit, its lines and semicolons bound their number."""
        return (
            0 <= unit_index < len(self._statement_counts)
            and 0 <= statement_index < self._statement_counts[unit_index]
        )

    def get_existing_line_number_or_zero(self, unit_index: int, line_number: int) -> int:
        """Return a line if that unit has it, else 0."""
        return line_number if 0 < line_number <= self._program.units[unit_index][1].count("\n") + 1 else 0

    def _list_possible_problems(self, problems: Iterable[LoadProblem]) -> list[LoadProblem]:
        problem_by_place: dict[tuple[int, int], LoadProblem] = {}
        for problem in problems:
            place = problem.unit, WHOLE_UNIT if problem.kind == BROKEN else problem.statement
            if problem.kind not in KINDS_OF_PROCESS or not self._has_place(*place):
                continue
            line = self.get_existing_line_number_or_zero(problem.unit, problem.line)
            real_problem = LoadProblem(problem.kind, *place, line, problem.error, problem.message)
            problem_by_place.setdefault(place, real_problem)
        return [*problem_by_place.values()]

    def _has_place(self, unit: int, statement: int) -> bool:
        if statement == WHOLE_UNIT:
            return 0 <= unit < len(self._program.units)
        return self.has_statement(unit, statement)

    @cached_property
    def _statement_counts(self) -> tuple[int, ...]:
        sources = [source for _, source in self._program.units]
        return tuple(
            # an upper bound if it is not parsed here
            source.count("\n") + source.count(";") + 1 if syntax is None else len(syntax.tree.body)
            for source, syntax in zip(sources, try_parse_program(sources), strict=True)
        )


APPEAL_FACTOR = 2
"""How many times its limit loading gets once it met the limit. Only what does not end then is left out."""
LAST_ATTEMPT_SHARE = 0.25
"""The share of the loading time that an attempt gets after a process had to be killed."""


def make_load_config(
    program: SubmissionProgram, cpu_seconds: float, *, announces_each_statement: bool
) -> dict[str, Any]:
    """Return the argument of the request that loads a program into a process that holds none.

    Args:
        program: the code.
        cpu_seconds: CPU time of this machine that all statements may take together.
        announces_each_statement: whether the process is to say which statement it comes to, before it runs it.
    """
    return {
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


def parse_load_answer(pieces: Any) -> ReportedLoadResult:
    """Return what a process says it loaded.

    Raises:
        StudentStopped: its answer is malformed.
    """
    try:
        return msgspec.json.decode("".join(pieces if type(pieces) is list else ()), type=ReportedLoadResult)
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
