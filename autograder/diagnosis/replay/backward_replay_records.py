"""Describe as plain data what a program's ``backward()`` was seen to do, call by call."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from autograder.diagnosis.program_readings import Seen

Gradients = dict[str, Seen]
"""The gradient of each node, by its name in the program."""


class BackwardReplayStep(Struct, frozen=True, kw_only=True):
    """One call of a node's ``_backward``, or a change of gradients outside such calls."""

    node: str = ""
    """The node that is called; empty for a change outside such calls, such as the seed of the result."""
    line: int
    """The line of the program that it happens in, counted from 0."""
    grads: Gradients
    """All gradients afterwards."""


class RecordedBackwardRun(Struct, frozen=True, kw_only=True):
    """The gradients before and after each step of ``backward()``, while one engine ran a program."""

    before: Gradients
    """The gradients before the first method is called."""
    steps: tuple[BackwardReplayStep, ...] = ()
    sees_calls: bool = True
    """Whether calls are seen: nodes have a ``_backward``, and every operation is one node. Else a step is a line."""
    cut: bool = False
    """Whether there were more calls than are recorded."""
    error: str = ""
    """The built-in exception that ended the run; empty where it came to its end."""
    error_file: str = ""
    """The student's file, or the cell of the notebook, that raised it; empty where that is not known."""
    error_line: int = 0

    def list_gradients_before_each_step(self) -> list[Gradients]:
        """Return the gradients before each step."""
        return [self.before, *(step.grads for step in self.steps)][: len(self.steps)]


class FirstWrongStep(Struct, frozen=True, kw_only=True):
    """The first step of a student's run that differs from the reference solution's."""

    step: int
    """Which of the student's steps; the number of all steps if they are right and another one is missing."""
    kind: Literal["amount", "early", "again", "missing", "outside"]
    """A call adds another amount; comes while the node's gradient is not complete; comes once more; never comes; or
    gradients are changed outside calls, as the seed is."""
    node: str = ""
    """The node that is called, or never is; empty for a change outside calls."""
    line: int
    """The line of the program in which it happens, or should."""
    gradient: str = ""
    """The node whose gradient gets another amount; empty where that is not the point."""
    sentence: str
    """The same in words."""


class Replay(Struct, frozen=True, kw_only=True):
    """The student's run of the counterexample beside the reference solution's."""

    student: RecordedBackwardRun
    reference: RecordedBackwardRun
    beside: tuple[int, ...]
    """For each of the student's steps, the step of the reference that does the same; -1 for none."""
    missing: tuple[int, ...] = ()
    """Steps of the reference that the student's run lacks."""
    difference: FirstWrongStep | None = None
    """The first step that differs; None where none does."""
