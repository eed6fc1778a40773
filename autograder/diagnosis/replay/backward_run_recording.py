"""Record what an engine's ``backward()`` does on a program, by observation alone.

Each node's ``_backward`` is replaced by a function of the kit that calls the original and reads the gradients
afterwards. For an engine without ``_backward``, gradients are read only between the program's lines.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped
from autograder.bridge.student_object_stand_ins import StandIn
from autograder.diagnosis.program_readings import convert_to_reading, make_comparable_failure
from autograder.diagnosis.replay.backward_replay_records import BackwardReplayStep, Gradients, RecordedBackwardRun
from autograder.faults import KitFault

MOST_STEPS = 40
"""How many steps are recorded at most; an engine that calls nodes again and again may never stop."""


def try_record_backward_run(bridge: Bridge, program_lines: Sequence[str]) -> RecordedBackwardRun | None:
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
