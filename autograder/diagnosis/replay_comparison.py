"""Compare a recorded run with the reference solution's, and find the first step that differs.

Steps are matched by the node that is called, and not by their place: several orders of calls are right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from autograder.diagnosis.counterexample_report import Counterexample, format_number
from autograder.diagnosis.program_trace import Seen
from autograder.diagnosis.replay_model import Gradients, RecordedRun, Replay, ReplayStep

Key = tuple[int, str, int]
"""A line of the program, the node that is called in it, and how many times that was called in it before."""


def compare_runs(student: RecordedRun, reference: RecordedRun, story: Counterexample) -> Replay:
    """Return both runs side by side.

    Args:
        student: what was seen of the submission.
        reference: what was seen of the reference solution.
        story: the program that was run.
    """
    if not student.sees_calls:
        reference = _one_step_a_line(reference)
    places = {key: at for at, key in enumerate(_keys(reference.steps))}
    keys = [*_keys(student.steps)]
    beside = tuple(places.get(key, -1) for key in keys)
    missing = () if student.cut or student.error else tuple(at for key, at in places.items() if key not in keys)
    first, why = _first_difference(student, reference, beside, missing, story)
    return Replay(
        student=student,
        reference=reference,
        beside=beside,
        missing=missing,
        first_difference=first,
        difference=why,
    )


def list_changes(run: RecordedRun) -> list[dict[str, float | None]]:
    """Return for each step what it adds to which gradient; None where one of the readings is no number."""
    return [
        {name: _difference(before.get(name), after[name]) for name in after if before.get(name) != after[name]}
        for before, after in pairwise([run.before, *(step.grads for step in run.steps)])
    ]


def is_close(one: Seen, other: Seen) -> bool:
    """Return whether two readings are the same, but for rounding."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def _difference(before: Seen, after: Seen) -> float | None:
    numbers = isinstance(before, int | float) and isinstance(after, int | float)
    return float(after) - float(before) if numbers else None  # type: ignore[arg-type]  # both are numbers


def _one_step_a_line(run: RecordedRun) -> RecordedRun:
    last = {step.line: ReplayStep(line=step.line, grads=step.grads) for step in run.steps}
    return replace(run, steps=tuple(last.values()), sees_calls=False)


def _keys(steps: Sequence[ReplayStep]) -> Iterator[Key]:
    seen: Counter[tuple[int, str]] = Counter()
    for step in steps:
        yield step.line, step.node, seen[step.line, step.node]
        seen[step.line, step.node] += 1


def _first_difference(
    student: RecordedRun,
    reference: RecordedRun,
    beside: Sequence[int],
    missing: Sequence[int],
    story: Counterexample,
) -> tuple[int, str]:
    """Return the first step that differs, and why; -1 and no words if none does."""
    open_lines = _lines_left_open(story)
    changes, right_changes = list_changes(student), list_changes(reference)
    before, right_before = student.list_gradients_before(), reference.list_gradients_before()
    leaves = {node.name for node in story.nodes if not node.operands}
    for at, step in enumerate(student.steps):
        if step.line in open_lines:
            continue
        if beside[at] < 0:
            if step.node or not leaves.isdisjoint(changes[at]):
                return at, _extra(step, changes[at], story)
            continue  # a right engine may clear what its nodes in between no longer need
        if not step.node:
            named = sorted(changes[at].keys() | right_changes[beside[at]].keys())
            if why := _other_result(step, reference.steps[beside[at]], named, story):
                return at, why
            continue
        if why := _early(step, before[at], right_before[beside[at]], missing, reference, story):
            return at, why
        if why := _other_amounts(step, changes[at], right_changes[beside[at]]):
            return at, why
    for at in missing:
        if (step := reference.steps[at]).line not in open_lines and right_changes[at]:
            return len(student.steps), _lacking(step, right_changes[at], story)
    return -1, ""


def _lines_left_open(story: Counterexample) -> set[int]:
    """Return the lines of a second ``backward()``: which gradients nodes in between have there is left open."""
    lines, again = set(), False
    for at, line in enumerate(story.program):
        if line.endswith(".backward()"):
            if again:
                lines.add(at)
            again = True
        elif line.endswith(".zero_grad()"):
            again = False
    return lines


def _other_result(step: ReplayStep, right: ReplayStep, named: Sequence[str], story: Counterexample) -> str:
    """Say which gradient has another value after a change outside calls."""
    for name in named:
        got, wanted = step.grads[name], right.grads[name]
        if not is_close(got, wanted):
            shown = format_number(got, wanted), format_number(wanted, got)
            return f"{_call(story, step.line)} sets {name}.grad to {shown[0]}; it should be {shown[1]}."
    return ""


def _early(
    step: ReplayStep,
    before: Gradients,
    right: Gradients,
    missing: Sequence[int],
    reference: RecordedRun,
    story: Counterexample,
) -> str:
    """Say that a node is called while its gradient is not what it is in the reference's run."""
    node = step.node
    if is_close(before[node], right[node]):
        return ""
    has, wanted = format_number(before[node], right[node]), format_number(right[node], before[node])
    seeds = [reference.steps[at] for at in missing if not reference.steps[at].node]
    if any(seed.line == step.line and not is_close(seed.grads[node], before[node]) for seed in seeds):
        return f"{_call(story, step.line)} does not set {node}.grad to {wanted} before the first call."
    return (
        f"{node}._backward() is called while {node}.grad is {has}; "
        f"it is {wanted} once every node that uses {node} has passed on its part."
    )


def _other_amounts(step: ReplayStep, got: dict[str, float | None], right: dict[str, float | None]) -> str:
    """Say which gradient gets another amount by a call."""
    for name in sorted(got.keys() | right.keys()):
        one, other = got.get(name, 0.0), right.get(name, 0.0)
        if is_close(one, other):
            continue
        if one is None:
            return f"{step.node}._backward() leaves {name}.grad as {format_number(step.grads[name])}: no number."
        amounts = format_number(one, other), format_number(other, one)
        return f"{step.node}._backward() adds {amounts[0]} to {name}.grad; it should add {amounts[1]}."
    return ""


def _extra(step: ReplayStep, got: dict[str, float | None], story: Counterexample) -> str:
    if step.node:
        return f"{step.node}._backward() is called again, and passes its gradient on once more."
    names = " and ".join(f"{name}.grad" for name in sorted(got))
    return f"{_call(story, step.line)} changes {names} outside any `_backward`."


def _lacking(step: ReplayStep, right: dict[str, float | None], story: Counterexample) -> str:
    gets = " and ".join(f"{name}.grad lacks {format_number(amount)}" for name, amount in sorted(right.items()))
    who = f"{step.node}._backward() is never called" if step.node else f"{_call(story, step.line)} changes nothing"
    return f"{who}: {gets}."


def _call(story: Counterexample, line: int) -> str:
    return story.program[line] if 0 <= line < len(story.program) else "the program"
