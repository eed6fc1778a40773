"""Find the first step of a student's run that differs from the reference solution's, and describe the difference."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.diagnosis.counterexample_model import Counterexample, format_number
from autograder.diagnosis.program_readings import Seen, are_readings_close
from autograder.diagnosis.replay.backward_replay_records import BackwardReplayStep, FirstWrongStep, Gradients, Replay
from autograder.diagnosis.replay.gradient_increments import Changes, list_gradient_increments_by_step


def find_first_difference(replay: Replay, counterexample: Counterexample) -> FirstWrongStep | None:
    """Return the first difference; None if there is none.

    Args:
        replay: both runs, with their steps matched.
        counterexample: the program that was run.
    """
    return next(_Comparison(replay, counterexample).iterate_differences(), None)


class _Comparison:
    """Compares both runs of one program."""

    def __init__(self, replay: Replay, story: Counterexample) -> None:
        self._replay, self._program = replay, story.program
        self._open_lines = _list_open_lines(story)
        self._leaves = {node.name for node in story.nodes if not node.operands}
        self._changes = list_gradient_increments_by_step(replay.student)
        self._before = replay.student.list_gradients_before_each_step()
        self._right_changes = list_gradient_increments_by_step(replay.reference)
        self._right_before = replay.reference.list_gradients_before_each_step()

    def iterate_differences(self) -> Iterator[FirstWrongStep]:
        """Yield differences in the order of the student's steps, then those for steps that the run lacks."""
        student, reference = self._replay.student.steps, self._replay.reference.steps
        for at, (step, beside) in enumerate(zip(student, self._replay.beside, strict=True)):
            if step.line in self._open_lines:
                continue
            if beside < 0:
                yield from self._extra(at, step)
            elif not step.node:
                yield from self._other_result(at, step, beside)
            else:
                yield from self._early(at, step, beside)
                yield from self._other_amounts(at, step, beside)
        for at in self._replay.missing:
            if reference[at].line not in self._open_lines and self._right_changes[at]:
                yield self._lacking(reference[at], self._right_changes[at])

    def _extra(self, at: int, step: BackwardReplayStep) -> Iterator[FirstWrongStep]:
        """Yield the difference for a step that the reference run does not have.

        A right engine may clear gradients of inner nodes that it no longer needs. So a change outside calls counts
        only if it changes leaves.
        """
        if step.node:
            said = f"{step.node}._backward() is called again, and passes its gradient on once more."
            yield FirstWrongStep(step=at, kind="again", node=step.node, line=step.line, sentence=said)
        elif changed := sorted(self._leaves & self._changes[at].keys()):
            names = " and ".join(f"{name}.grad" for name in changed)
            said = f"{self._program[step.line]} changes {names} outside any `_backward`."
            yield FirstWrongStep(step=at, kind="outside", line=step.line, gradient=changed[0], sentence=said)

    def _other_result(self, at: int, step: BackwardReplayStep, beside: int) -> Iterator[FirstWrongStep]:
        """Compare the gradients after a change outside calls."""
        right = self._replay.reference.steps[beside].grads
        for name in sorted(self._changes[at].keys() | self._right_changes[beside].keys()):
            got, wanted = _format_pair(step.grads[name], right[name])
            if not are_readings_close(step.grads[name], right[name]):
                does = f"sets {name}.grad to" if name in self._changes[at] else f"leaves {name}.grad at"
                said = f"{self._program[step.line]} {does} {got}; it should be {wanted}."
                yield FirstWrongStep(step=at, kind="outside", line=step.line, gradient=name, sentence=said)

    def _early(self, at: int, step: BackwardReplayStep, beside: int) -> Iterator[FirstWrongStep]:
        """Compare the gradient that a node has when it is called."""
        node, before, right = step.node, self._before[at], self._right_before[beside]
        if are_readings_close(before[node], right[node]):
            return
        got, wanted = _format_pair(before[node], right[node])
        if self._program[step.line].startswith(f"{node}.") or self._lacks_seed(step, before):
            said = f"{self._program[step.line]} does not set {node}.grad to {wanted} before the first call."
            yield FirstWrongStep(step=at, kind="outside", line=step.line, gradient=node, sentence=said)
        else:
            said = (
                f"{node}._backward() is called while {node}.grad is {got}; "
                f"it is {wanted} once every node that uses {node} has passed on its part."
            )
            yield FirstWrongStep(step=at, kind="early", node=node, line=step.line, sentence=said)

    def _lacks_seed(self, step: BackwardReplayStep, before: Gradients) -> bool:
        lacking = [self._replay.reference.steps[at] for at in self._replay.missing]
        return any(
            not seed.node
            and seed.line == step.line
            and not are_readings_close(seed.grads[step.node], before[step.node])
            for seed in lacking
        )

    def _other_amounts(self, at: int, step: BackwardReplayStep, beside: int) -> Iterator[FirstWrongStep]:
        """Compare the amounts that a call adds to gradients."""
        got, right = self._changes[at], self._right_changes[beside]
        for name in sorted(got.keys() | right.keys()):
            one, other = got.get(name, 0.0), right.get(name, 0.0)
            if are_readings_close(one, other):
                continue
            if one is None:
                said = f"leaves {name}.grad as {format_number(step.grads[name])}: no number."
            else:
                adds, should = _format_pair(one, other)
                said = f"adds {adds} to {name}.grad; it should add {should}."
            said = f"{step.node}._backward() {said}"
            yield FirstWrongStep(step=at, kind="amount", node=step.node, line=step.line, gradient=name, sentence=said)

    def _lacking(self, step: BackwardReplayStep, right: Changes) -> FirstWrongStep:
        """Return the difference for a step of the reference run that the student's run lacks."""
        names = sorted(right)
        if step.node:
            lacks = " and ".join(f"{name}.grad lacks {format_number(right[name])}" for name in names)
            said = f"{step.node}._backward() is never called: {lacks}."
        else:
            sets = " and ".join(f"{name}.grad to {format_number(step.grads[name])}" for name in names)
            said = f"{self._program[step.line]} changes nothing; it should set {sets}."
        return FirstWrongStep(
            step=len(self._replay.student.steps), kind="missing", node=step.node, line=step.line, sentence=said
        )


def _list_open_lines(story: Counterexample) -> set[int]:
    """Return the lines that repeat ``backward()`` without ``zero_grad()``: right engines may differ there."""
    lines, again = set(), False
    for at, line in enumerate(story.program):
        if line.endswith(".backward()"):
            if again:
                lines.add(at)
            again = True
        elif line.endswith(".zero_grad()"):
            again = False
    return lines


def _format_pair(got: Seen, right: Seen) -> tuple[str, str]:
    return format_number(got, right), format_number(right, got)
