"""Review proven steps: undo what is not needed of them, and find those that only put code out of use."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from autograder.edits import ProposedEdit, iterate_condition_probes
from autograder.repair.candidate_runs import ChangedText
from autograder.repair.changed_lines import list_changed_lines
from autograder.repair.shrinking import MOST_PIECES, Change, Piece
from autograder.repair.steps import FEW_TESTS, Candidate, CandidateTester, RepairStep

MOST_PROBES = 24
"""How many probes of conditions show whether a change is odd."""
MOST_UNDONE = 60
"""How many pieces of a proven change, or groups of them, are undone to see whether they are needed."""
CONSTANT_CONDITION = 2
"""How many lines a condition counts that is always true, or never."""
FEW_LINES = 3
"""So few lines of another method are a change of their own."""


class StepReviewer:
    """Reviews the steps that one search has proven.

    Attributes:
        tried: how many programs were tried for that.
    """

    def __init__(self, tester: CandidateTester, candidates: Sequence[Candidate]) -> None:
        """Review steps; what is left of one is told like the candidate that proposed just that, if there is one."""
        self._tester, self._candidates = tester, candidates
        self.tried = 0

    def list_smallest(self, steps: Sequence[RepairStep]) -> list[RepairStep]:
        """Return the steps that change the fewest lines, and the least in them, each without what is not needed."""
        shrunk = {step.edit.text: step for step in map(self.shrink, steps)}
        sizes = {text: self._measure(step) for text, step in shrunk.items()}
        return [step for text, step in shrunk.items() if sizes[text] == min(sizes.values())]

    def _measure(self, step: RepairStep) -> tuple[int, int]:
        """Return how many lines a step changes, and how many tokens go and come.

        A condition that is made constant counts as more lines: where as few do without it, they are clearer.
        """
        source = self._tester.get_source(step.unit)
        hunks = list_changed_lines(source, {0: step.edit.text})
        lines = sum(max(len(one.before), len(one.after)) - one.is_added * len(one.before) for one in hunks)
        lines += CONSTANT_CONDITION * (step.edit.kind == "condition" and step.edit.new in ("True", "False"))
        return lines, sum(len(piece.old) + len(piece.new) for piece in Change(source, step.edit.text).pieces)

    def is_odd(self, step: RepairStep) -> bool:
        """Return whether a condition in the function is always true after a step, or never, and was not before.

        Such a change only puts code out of use, in a roundabout way.
        """
        function = step.edit.function
        before = dict(iterate_condition_probes(self._tester.get_source(step.unit), function))
        passed = self._tester.list_passed(step.candidate)
        for condition, text in islice(iterate_condition_probes(step.edit.text, function), MOST_PROBES):
            self.tried += 1
            if self._tester.holds(Candidate(step.unit, replace(step.edit, text=text)), passed):
                own = ChangedText(step.unit, before.get(condition, ""))
                if not own.text or self._tester.is_unlike_before(own):
                    return True
        return False

    def shrink(self, step: RepairStep) -> RepairStep:
        """Return a step that mends as much with as few pieces of its change as are needed; each is undone in turn.

        What is left after a few small tests is nearly always proven; if not, it is sought with all tests.
        """
        change = Change(self._tester.get_source(step.unit), step.edit.text)
        for most_tests in (FEW_TESTS, None):
            kept = self._find_needed(step, change, most_tests)
            if len(kept) == len(change.pieces):
                return step
            self._tester.proofs_left = max(self._tester.proofs_left, 1)
            proven = self._tester.prove(Candidate(step.unit, self._describe_smaller(step, change.make_text(kept))))
            if proven is not None and proven.mends >= step.mends & self._tester.baseline.to_mend:
                return proven
        return step

    def _find_needed(self, step: RepairStep, change: Change, most_tests: int | None) -> frozenset[Piece]:
        """Return the pieces of a change without any one of which, or more, it holds no more."""
        kept, left = frozenset(change.pieces), MOST_UNDONE if self._tester.runner.shares_process else 0
        passed = self._tester.list_passed(step.candidate)
        is_smaller = 1 < len(kept) <= MOST_PIECES
        while is_smaller and left > 0:
            is_smaller = False
            for group in change.list_groups(kept)[:left]:
                fewer = kept - group
                if not fewer or fewer == kept:
                    continue
                left -= 1
                self.tried += 1
                candidate = Candidate(step.unit, replace(step.edit, text=change.make_text(fewer)))
                if _is_python(candidate.edit.text) and self._tester.holds(candidate, passed, most_tests):
                    kept, is_smaller = fewer, True
        return kept

    def _describe_smaller(self, step: RepairStep, text: str) -> ProposedEdit:
        """Return the edit that makes a text: one that was proposed, or what is left of a step's."""
        for candidate in self._candidates:
            if candidate.unit == step.unit and candidate.edit.text == text:
                return candidate.edit
        hunks = list_changed_lines(self._tester.get_source(step.unit), {0: text})
        kind = step.edit.kind
        if sum(max(len(one.before), len(one.after)) for one in hunks) <= FEW_LINES or kind != "method":
            if all(one.is_added for one in hunks):
                kind = "add statement"
            elif not any(one.after for one in hunks):
                kind = "remove statement"
            elif kind in ("method", "move statement", "remove statement"):
                kind = "add statement"
        return replace(step.edit, text=text, kind=kind, old="", new="")


def hide_change(step: RepairStep) -> RepairStep:
    """Return a step that is told by its place: there lies the mistake, and a teacher would make another change."""
    return replace(step, edit=replace(step.edit, kind="method"))


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "program", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False
    return True
