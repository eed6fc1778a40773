"""Put a recorded run beside the reference solution's, step by step.

Steps are matched by the node that is called, and not by their place: several orders of calls are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.replay_differences import find_first_difference
from autograder.diagnosis.replay_model import RecordedRun, Replay, ReplayStep

Key = tuple[int, str, int]
"""A line of the program, the node that is called in it, and how many times that was called in it before."""


def make_replay(student: RecordedRun, reference: RecordedRun, story: Counterexample) -> Replay:
    """Return both runs side by side.

    Args:
        student: what was seen of the submission.
        reference: what was seen of the reference solution.
        story: the program that was run.
    """
    if not (student.sees_calls and reference.sees_calls):
        student, reference = _one_step_a_line(student), _one_step_a_line(reference)
    places = {key: at for at, key in enumerate(_keys(reference.steps))}
    keys = [*_keys(student.steps)]
    ended_early = student.cut or student.error
    replay = Replay(
        student=student,
        reference=reference,
        beside=tuple(places.get(key, -1) for key in keys),
        missing=() if ended_early else tuple(at for key, at in places.items() if key not in keys),
    )
    return replace(replay, difference=find_first_difference(replay, story))


def _one_step_a_line(run: RecordedRun) -> RecordedRun:
    last = {step.line: ReplayStep(line=step.line, grads=step.grads) for step in run.steps}
    return replace(run, steps=tuple(last.values()), sees_calls=False)


def _keys(steps: Sequence[ReplayStep]) -> Iterator[Key]:
    seen: Counter[tuple[int, str]] = Counter()
    for step in steps:
        yield step.line, step.node, seen[step.line, step.node]
        seen[step.line, step.node] += 1
