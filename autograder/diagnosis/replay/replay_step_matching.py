"""Match the steps of a recorded run with those of the reference solution's run.

Steps are matched by the node that is called, not by their position, because several orders of calls are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.replay.backward_replay_records import BackwardReplayStep, RecordedBackwardRun, Replay
from autograder.diagnosis.replay.first_replay_difference import find_first_difference

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
    return replace(replay, difference=find_first_difference(replay, counterexample))


def _one_step_a_line(run: RecordedBackwardRun) -> RecordedBackwardRun:
    last = {step.line: BackwardReplayStep(line=step.line, grads=step.grads) for step in run.steps}
    return replace(run, steps=tuple(last.values()), sees_calls=False)


def _keys(steps: Sequence[BackwardReplayStep]) -> Iterator[Key]:
    seen: Counter[tuple[int, str]] = Counter()
    for step in steps:
        yield step.line, step.node, seen[step.line, step.node]
        seen[step.line, step.node] += 1
