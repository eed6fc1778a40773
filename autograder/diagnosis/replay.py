"""Replay the student's ``backward()`` beside the reference solution's, step by step, by observation alone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped
from autograder.bridge.objects import StandIn
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.model import (
    BackwardReplayStep,
    Counterexample,
    FirstWrongStep,
    Gradients,
    RecordedBackwardRun,
    Replay,
    format_number,
)
from autograder.diagnosis.readings import Seen, are_readings_close, convert_to_reading, make_comparable_failure
from autograder.faults import KitFault

MOST_STEPS = 40
"""How many steps are recorded at most; an engine that calls nodes again and again may never stop."""


def _try_record_backward_run(bridge: Bridge, program_lines: Sequence[str]) -> RecordedBackwardRun | None:
    """Run a program in a fresh process and return the recording.

    Return None if the submission cannot be loaded, or has used up its time.

    Args:
        bridge: the connection to the submission, or to the reference solution.
        program_lines: the program's lines, as in ``Counterexample.program``.

    Raises:
        KitFault: no process can be started.
    """
    bridge.reset_before_next_test()
    try:
        bridge.begin_test()
    except StudentStopped:
        return None
    recording = _Recording(StudentProxy(bridge))
    try:
        recording.run(program_lines)
    except KitFault:
        raise
    except Exception as error:
        recording.note_error(error)
    finally:
        bridge.end_test_and_charge_time()
    return recording.result()


class _Recording:
    """The state of one recorded run."""

    def __init__(self, student: StudentProxy) -> None:
        self._error: dict[str, Any] = {}
        self._student = student
        self._names: dict[str, Any] = {"__builtins__": {}}
        self._nodes: dict[str, Any] = {}
        self._leaves: set[str] = set()
        self._looked_at: set[str] = set()
        self._sees_calls = False
        self._before: Gradients = {}
        self._now: Gradients = {}
        self._steps: list[BackwardReplayStep] = []
        self._line = 0
        self._cut = False

    def run(self, program: Sequence[str]) -> None:
        """Execute the program line by line on stand-ins; its text comes from the kit, never from a student."""
        for self._line, text in enumerate(program):
            statement = ast.parse(text).body[0]
            for name in ast.walk(statement):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in self._names:
                    self._names[name.id] = self._student.get(name.id)
            if isinstance(statement, ast.Expr):
                self._watch()
            exec(text, self._names)
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self._add_node(statement.targets[0].id, statement.value)
            if self._before:
                self._note("")
        self._sees_calls = self._sees_calls and not self._hides_nodes() and not self._works_beside_calls()

    def result(self) -> RecordedBackwardRun:
        """Return the recording."""
        return RecordedBackwardRun(
            before=self._before, steps=tuple(self._steps), sees_calls=self._sees_calls, cut=self._cut, **self._error
        )

    def note_error(self, error: Exception) -> None:
        """Note the exception that ended the run, and the line of the student's code that raised it, if any."""
        self._error = {"error": make_comparable_failure(error, "read").exception_name}
        if isinstance(error, StudentError):
            self._error |= {"error_file": error.raised.unit, "error_line": error.raised.line}

    def _hides_nodes(self) -> bool:
        """Return whether an operation is built from others: nodes that the program does not name have operands."""
        own = [*self._nodes.values()]
        try:
            operands = [operand for node in own for operand in (node._prev or ())]
            inner = [one for one in operands if isinstance(one, StandIn) and not any(one is node for node in own)]
            return any(any(True for _ in (one._prev or ())) for one in inner)
        except (StudentError, TypeError):
            return False

    def _works_beside_calls(self) -> bool:
        """Return whether gradients of several nodes changed although no call of a node was seen."""
        changed = {name for step in self._steps for name, grad in step.grads.items() if grad != self._before[name]}
        return len(changed) > 1 and not any(step.node for step in self._steps)

    def _add_node(self, name: str, expression: ast.expr) -> None:
        used = {one.id for one in ast.walk(expression) if isinstance(one, ast.Name)}
        if used.isdisjoint(self._nodes):
            self._leaves.add(name)
        self._nodes[name] = self._names[name]

    def _watch(self) -> None:
        """Replace the ``_backward`` of nodes that were made since the last call of this method."""
        for name, node in self._nodes.items():
            if name in self._looked_at:
                continue
            self._looked_at.add(name)
            try:
                if callable(node._backward):
                    # A relay holds the method itself; looking it up by name later would give its replacement.
                    (original,) = self._student.make_relays([(node._backward, (), "", None)])
                    node._backward = self._observed(name, original)
                    self._sees_calls |= name not in self._leaves
            except StudentError:
                continue
        self._now = self._read()
        self._before = self._before or self._now

    def _observed(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call() -> None:
            self._note("")
            try:
                original()
            finally:
                self._note(name)

        return call

    def _note(self, name: str) -> None:
        """Add a step for the call of a node that is no leaf, or if gradients changed otherwise.

        Args:
            name: the node that was called; empty for a point in time outside calls.
        """
        if self._cut:
            return
        grads = self._read()
        is_changed = any(grads[known] != grad for known, grad in self._now.items())
        if (name and name not in self._leaves) or is_changed:
            self._steps.append(BackwardReplayStep(node=name, line=self._line, grads=grads))
            self._cut = len(self._steps) >= MOST_STEPS
        self._now = grads

    def _read(self) -> Gradients:
        read = self._student.get_attributes(self._nodes.values(), "grad")
        return {name: convert_to_reading(value) for name, value in zip(self._nodes, read, strict=True)}


Changes = dict[str, float | None]
"""The amount that a step adds to each changed gradient; None if the reading before or after is not a number."""


def list_gradient_increments_by_step(run: RecordedBackwardRun) -> list[Changes]:
    """Return the amounts that each step adds to gradients; unchanged gradients and new nodes are left out."""
    return [
        {name: _subtract(after[name], before[name]) for name in after if before.get(name, after[name]) != after[name]}
        for before, after in pairwise([run.before, *(step.grads for step in run.steps)])
    ]


def _subtract(after: Seen, before: Seen) -> float | None:
    if isinstance(after, int | float) and isinstance(before, int | float):
        return float(after) - float(before)
    return None


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
            said = f"{step.node}._backward() is not called, or does nothing: {lacks}."
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


Key = tuple[int, str, int]
"""A line of the program, the node that is called in it, and how many times it was called in that line before."""


def make_replay(
    student_run: RecordedBackwardRun, reference_run: RecordedBackwardRun, counterexample: Counterexample
) -> Replay:
    """Return both runs side by side.

    Args:
        student_run: the recorded run of the submission.
        reference_run: the recorded run of the reference solution.
        counterexample: the program that was run.
    """
    if not (student_run.sees_calls and reference_run.sees_calls):
        student_run, reference_run = _one_step_a_line(student_run), _one_step_a_line(reference_run)
    places = {key: at for at, key in enumerate(_keys(reference_run.steps))}
    keys = [*_keys(student_run.steps)]
    ended_early = student_run.cut or student_run.error
    replay = Replay(
        student=student_run,
        reference=reference_run,
        beside=tuple(places.get(key, -1) for key in keys),
        missing=() if ended_early else tuple(at for key, at in places.items() if key not in keys),
    )
    return replace(replay, difference=next(_Comparison(replay, counterexample).iterate_differences(), None))


def _one_step_a_line(run: RecordedBackwardRun) -> RecordedBackwardRun:
    last = {step.line: BackwardReplayStep(line=step.line, grads=step.grads) for step in run.steps}
    return replace(run, steps=tuple(last.values()), sees_calls=False)


def _keys(steps: Sequence[BackwardReplayStep]) -> Iterator[Key]:
    seen: Counter[tuple[int, str]] = Counter()
    for step in steps:
        yield step.line, step.node, seen[step.line, step.node]
        seen[step.line, step.node] += 1


MOST_REMEMBERED = 256
"""How many programs are remembered; most submissions of a class fail on one of a few programs."""
KINDS = ("gradient", "error")


class SideBySideReplayer:
    """Runs counterexamples step by step on a submission and on the reference solution, for the report to show.

    It remembers the reference solution's runs.
    """

    def __init__(self, open_reference_bridge: Callable[[], Bridge]) -> None:
        """Replay nothing yet.

        Args:
            open_reference_bridge: opens a process for the reference solution.
        """
        self._open_reference = open_reference_bridge
        self._known: LruCache[tuple[str, ...], RecordedBackwardRun] = LruCache(MOST_REMEMBERED)

    def replay_beside_reference_if_meaningful(
        self, bridge: Bridge, counterexample: Counterexample | None
    ) -> Replay | None:
        """Return both runs of a counterexample; None if it has no gradients to follow, or no recording shows it.

        Raises:
            KitFault: no process can be started.
        """
        if (
            counterexample is None
            or counterexample.kind not in KINDS
            or not counterexample.nodes
            or counterexample.nodes[0].data is None
        ):
            return None
        student = _try_record_backward_run(bridge, counterexample.program)
        if student is None or not _shows(student, counterexample):
            return None
        reference = self._known.get(counterexample.program)
        if reference is None:
            reference_bridge = self._open_reference()
            try:
                reference = _try_record_backward_run(reference_bridge, counterexample.program)
            finally:
                reference_bridge.end_process()
            if reference is None:
                return None
            self._known.store(counterexample.program, reference)
        return make_replay(student, reference, counterexample)


def _shows(run: RecordedBackwardRun, story: Counterexample) -> bool:
    """Return whether a recorded run gave the counterexample's gradients, so that recording changed nothing.

    A run that was cut short, and the run of an exception, are not compared.
    """
    if run.cut or story.kind == "error":
        return True
    last = run.steps[-1].grads if run.steps else run.before
    return all(node.name not in last or are_readings_close(last[node.name], node.grad_got) for node in story.nodes)
