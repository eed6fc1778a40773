"""Compute what flowed along each edge of a graph: how much each node gave to its operands, and how much is right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

from autograder.diagnosis.counterexample_model import Counterexample, format_number
from autograder.diagnosis.program_readings import are_readings_close
from autograder.diagnosis.replay.backward_replay_records import RecordedBackwardRun, Replay
from autograder.diagnosis.replay.gradient_increments import list_gradient_increments_by_step

Edge = tuple[str, str]
"""The names of a node and of one of its operands."""


@dataclass(frozen=True, slots=True)
class ComparedGradientContribution:
    """The contribution of one node to another's gradient, beside that in the reference solution."""

    got: float | None
    """The amount that the student's run added in all calls; None if it is not a number."""
    right: float
    calls: int
    right_calls: int

    @property
    def verdict(self) -> Literal["right", "missing", "repeated", "wrong"]:
        """Return whether the contribution is right, and else in which way it is wrong."""
        if are_readings_close(self.got, self.right):
            return "right"
        if self.got == 0 or self.calls == 0:
            return "missing"
        if self.calls > self.right_calls > 0 and self.got is not None and self.got * self.right > 0:
            return "repeated"
        return "wrong"

    @property
    def label_lines(self) -> tuple[str, ...]:
        """Return the lines of the edge's label."""
        got, right = self._signed_amounts
        return {
            "right": (got,),
            "missing": ("missing:", right),
            "repeated": (f"{self.calls} calls: {got}", f"not {right}"),
            "wrong": (got, f"not {right}"),
        }[self.verdict]

    @property
    def verdict_phrase(self) -> str:
        """Return the label as words that follow the name of the node that gets the contribution."""
        got, right = self._signed_amounts
        return {
            "right": f"gets {got}",
            "missing": f"lacks {right}",
            "repeated": f"gets {got} in {self.calls} calls, not {right}",
            "wrong": f"gets {got}, not {right}",
        }[self.verdict]

    @property
    def verb_phrase(self) -> str:
        """Return the label as words that stand between the names of the two nodes."""
        return {
            "right": f"gives {self._got_text} to",
            "missing": f"gives nothing and should give {self._right_text} to",
            "repeated": f"gives {self._got_text} in {self.calls} calls and should give {self._right_text} to",
            "wrong": f"gives {self._got_text} and should give {self._right_text} to",
        }[self.verdict]

    @property
    def _signed_amounts(self) -> tuple[str, str]:
        return f"+{self._got_text}".replace("+-", "−"), f"+{self._right_text}".replace("+-", "−")

    @property
    def _got_text(self) -> str:
        return "?" if self.got is None else format_number(self.got, self.right)

    @property
    def _right_text(self) -> str:
        return format_number(self.right, self.got)


def compare_edge_contributions(
    replay: Replay, counterexample: Counterexample
) -> dict[Edge, ComparedGradientContribution]:
    """Return what flowed along each edge since the gradients were last set to zero.

    The result is empty if the recording does not show calls.

    Args:
        replay: both runs of the program.
        counterexample: the program; its nodes name the edges.
    """
    if not replay.student.sees_calls:
        return {}
    start = max(
        (number + 1 for number, line in enumerate(counterexample.program) if line.endswith(".zero_grad()")), default=0
    )
    start = 0 if start == len(counterexample.program) else start
    got, calls = _sum_contributions(replay.student, start)
    right, right_calls = _sum_contributions(replay.reference, start)
    edges = {(node.name, operand) for node in counterexample.nodes for operand in node.operands}
    return {
        edge: ComparedGradientContribution(got.get(edge, 0.0), amount, calls.get(edge[0], 0), right_calls[edge[0]])
        for edge in sorted(edges)
        if (amount := right.get(edge, 0.0 if edge[0] in right_calls else None)) is not None
    }


def _sum_contributions(run: RecordedBackwardRun, start: int) -> tuple[dict[Edge, float | None], dict[str, int]]:
    """Return what calls added along each edge from program line ``start`` on, and how often each node was called."""
    amounts: dict[Edge, float | None] = {}
    calls: dict[str, int] = defaultdict(int)
    for step, changes in zip(run.steps, list_gradient_increments_by_step(run), strict=True):
        if step.line < start or not step.node:
            continue
        calls[step.node] += 1
        for name, change in changes.items():
            amount = amounts.get((step.node, name), 0.0)
            amounts[step.node, name] = None if change is None or amount is None else amount + change
    return amounts, dict(calls)
