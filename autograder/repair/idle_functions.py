"""Find the functions that a failed test has nothing to do with: no change of their bodies mends it."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.edits import FunctionBody, list_function_bodies
from autograder.repair.candidate_runs import ChangedText
from autograder.repair.steps import Candidate, CandidateTester


class IdleFunctions:
    """The functions without whose bodies the chosen failed tests see what they see now, for each test."""

    def __init__(self, tester: CandidateTester, units: Sequence[tuple[int, str]]) -> None:
        """Take out one body after another.

        Args:
            tester: knows the tests.
            units: number and text of the units that are the student's own.
        """
        bodies = [(unit, body) for unit, source in units for body in list_function_bodies(source)]
        texts = [ChangedText(unit, body.text_without) for unit, body in bodies]
        self._bodies: dict[str, dict[tuple[int, str], FunctionBody]] = {}
        for test_id in tester.filters:
            idle = [bodies[place] for place in tester.runner.select_equal(texts, test_id)]
            self._bodies[test_id] = {(unit, body.function): body for unit, body in idle}

    def list_common(self) -> set[tuple[int, str]]:
        """Return unit and path of the functions that no chosen test has to do with."""
        functions = [{*bodies} for bodies in self._bodies.values()]
        return set.intersection(*functions) if functions else set()

    def may_mend_all(self, candidate: Candidate) -> bool:
        """Return whether a candidate may mend all chosen tests, as far as the functions tell."""
        return all(self.may_mend(candidate, test_id) for test_id in self._bodies)

    def may_mend(self, candidate: Candidate, test_id: str) -> bool:
        """Return whether a candidate changes more than the body of a function that a chosen test does without."""
        edit, names = candidate.edit, candidate.edit.function.split(".")
        for count in range(1, len(names) + 1):
            body = self._bodies[test_id].get((candidate.unit, ".".join(names[:count])))
            if body is not None and body.line <= edit.line <= edit.end_line <= body.end_line:
                return False
        return True
