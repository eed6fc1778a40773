"""Check a process's report of how a submission was loaded, and drop the parts that its source contradicts.

The answer comes from the student's process, which can put anything into it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from autograder.bridge.submission_program import LoadProblem, ReportedLoadResult, SubmissionProgram
from autograder.cached_syntax_trees import try_parse_program
from autograder.syntax_tree import SyntaxTree

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
        return tuple(map(_count_statements, sources, try_parse_program(sources)))


def _count_statements(source: str, syntax: SyntaxTree | None) -> int:
    """Return how many statements a source has at its top level; an upper bound if it is not parsed here."""
    return source.count("\n") + source.count(";") + 1 if syntax is None else len(syntax.tree.body)
