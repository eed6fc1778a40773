"""Replay a counterexample on a submission and on the reference solution."""

from __future__ import annotations

from collections.abc import Callable

from autograder.bridge import Bridge
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.course_program_run_cache import CourseProgramRunCache, hash_run_inputs
from autograder.diagnosis.program_readings import are_readings_close
from autograder.diagnosis.replay.backward_replay_records import RecordedBackwardRun, Replay
from autograder.diagnosis.replay.backward_run_recording import try_record_backward_run
from autograder.diagnosis.replay.replay_step_matching import make_replay

MOST_REMEMBERED = 256
"""How many programs are remembered; most submissions of a class fail on one of a few programs."""
KINDS = ("gradient", "error")


class SideBySideReplayer:
    """Runs counterexamples step by step on a submission and on the reference solution, for the report to show.

    It remembers the reference solution's runs.
    """

    def __init__(
        self,
        open_reference_bridge: Callable[[], Bridge],
        max_remembered: int = MOST_REMEMBERED,
        run_cache: CourseProgramRunCache | None = None,
    ) -> None:
        """Replay nothing yet.

        Args:
            open_reference_bridge: opens a process for the reference solution.
            max_remembered: runs of the reference solution to remember.
            run_cache: keeps the reference solution's runs on disk; None to keep nothing.
        """
        self._open_reference, self._kept = open_reference_bridge, run_cache or CourseProgramRunCache(None)
        self._known: LruCache[tuple[str, ...], RecordedBackwardRun] = LruCache(max_remembered)

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
        student = try_record_backward_run(bridge, counterexample.program)
        if student is None or not _shows(student, counterexample):
            return None
        reference = self._known.get(counterexample.program) or self._load_or_run_reference(counterexample.program)
        if reference is None:
            return None
        self._known.store(counterexample.program, reference)
        return make_replay(student, reference, counterexample)

    def _load_or_run_reference(self, program: tuple[str, ...]) -> RecordedBackwardRun | None:
        key = hash_run_inputs("replay", further_texts=program)
        reference = self._kept.get_or_none(key, RecordedBackwardRun)
        if reference is None:
            reference = self._run_reference(program)
            if reference is not None:
                self._kept.store_if_absent(key, reference)
        return reference

    def _run_reference(self, program: tuple[str, ...]) -> RecordedBackwardRun | None:
        bridge = self._open_reference()
        try:
            return try_record_backward_run(bridge, program)
        finally:
            bridge.end_process()


def _shows(run: RecordedBackwardRun, story: Counterexample) -> bool:
    """Return whether a recorded run gave the counterexample's gradients, so that recording changed nothing.

    A run that was cut short, and the run of an exception, are not compared.
    """
    if run.cut or story.kind == "error":
        return True
    last = run.steps[-1].grads if run.steps else run.before
    return all(node.name not in last or are_readings_close(last[node.name], node.grad_got) for node in story.nodes)
