"""Run the tests of one submission: what a test will ask is sent in one message, and known answers need no test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from autograder.bridge import StudentStopped
from autograder.bridge.transcript import Exchanged, LookupResult, is_lookup_request
from autograder.bridge.wire_format import MalformedMessage, UnreadAnswer
from autograder.grading.path_detours import PathDetours, recall
from autograder.grading.pytest_phases import RunOutcome
from autograder.grading.request_paths import RequestPaths, steps_after_answer
from autograder.grading.request_pipeline import RequestPipeline, Turn
from autograder.grading.suite_target import BridgeTarget
from autograder.grading.verdict_cache import CachedVerdict, Node, VerdictCache


@dataclass(slots=True)
class KnownTranscripts:
    """What is known of the tests of a suite before a submission is put to them."""

    paths: RequestPaths = field(default_factory=RequestPaths)
    verdicts: VerdictCache = field(default_factory=VerdictCache)
    unknown: int = 0
    """How many tests had to be run, since there was no verdict on the answers."""

    @classmethod
    def make_empty(cls, names: Collection[str]) -> KnownTranscripts:
        """Make transcripts that know nothing yet; for ``names``, see ``VerdictCache``."""
        return cls(verdicts=VerdictCache(names))


class UnsoundRun(Exception):
    """A submission may remember what no test has asked of it: nothing of this run counts.

    Run the tests once more, and let each ask for itself.
    """


class ScriptedRunner:
    """Runs the tests of one submission, with scripts where they are known; without, once one was not answered."""

    def __init__(
        self,
        transcripts: KnownTranscripts,
        target: BridgeTarget,
        *,
        learns: bool = False,
    ) -> None:
        """Prepare to run tests; send nothing yet.

        Args:
            transcripts: what is known of the tests.
            target: the submission.
            learns: whether the submission is the course's own, and shows which ways through a test there are.
        """
        self._known, self._target = transcripts, target
        self._learns = learns
        self._sends = True
        self._ahead: RequestPipeline | None = None

    def begin_run(self, turns: Sequence[tuple[Turn, Collection[str]]]) -> None:
        """Get ready for a run.

        Args:
            turns: the tests of the run in their order, each with the names without which it is not begun.
        """
        target = self._target
        if not self._learns and target.bridge.is_stateless:
            asking = [turn for turn, needed in turns if not target.find_missing_names(needed)]
            self._ahead = RequestPipeline(self._known.paths, target.bridge, target.student.remembered, asking)

    def run_or_replay(self, test: str, needed: Collection[str], run: Callable[[], RunOutcome]) -> RunOutcome:
        """Run a test, or find out how it would end.

        Args:
            test: pytest's name for the test.
            needed: the names without which the test is not begun.
            run: runs the test.

        Raises:
            Unsound: something was asked that the test would not have asked, and the submission may remember it.
        """
        remembered = self._target.student.remembered
        remembered.begin_test()
        if not self._sends or self._target.find_missing_names(needed):
            return run()
        try:
            ran = self._run_ahead(test, run)
            if ran is not None:
                return ran
            if self._ahead and self._ahead.stopped((test, self._target.reversed_sets)):
                self._sends = False
                return run()
            self._target.begin_test_without_running(test)
            given, verdict, read = self._asked(test)
        except StudentStopped:
            self._target.end_test()
            self._sends = False
            self._require_sound(sound=False)
            return run()
        if verdict is None:
            return self._run_on(test, given, run)
        self._target.end_test()
        remembered.content.update(verdict.found)
        ran = verdict.restore_run(given)
        self._require_sound(sound=read == len(given))
        return ran

    def _run_ahead(self, test: str, run: Callable[[], RunOutcome]) -> RunOutcome | None:
        """Run a test on answers got beforehand to what the reference is asked; None where these are of no use."""
        answered = self._ahead.take_answers((test, self._target.reversed_sets)) if self._ahead else None
        remembered, verdicts = self._target.student.remembered, self._known.verdicts
        if answered is None or any(
            remembered.get_text(name).encode() != told for name, told in answered.way.recalled
        ):
            return None
        verdict = verdicts.find_by_message(test, answered)
        if verdict is not None:
            remembered.content.update(verdict.found)
            return verdict.ran
        try:
            given = answered.parse_exchanges()
        except MalformedMessage:
            return None  # once asked in the usual way, it is said to be so
        here, seen = self._known.paths.first_steps(test), verdicts.get_root_node(test)
        for request, answer in given:
            if here and all(step.request != request for step in here):
                return None
            here = steps_after_answer(here, answer.key)
            after = seen.get((request, answer.key), {})
            if isinstance(after, CachedVerdict):
                verdicts.store_by_message(test, answered, after)
                remembered.content.update(after.found)
                return after.restore_run(given)
            seen = after
        self._target.begin_test_without_running(test)
        return self._run_on(test, given, run, path=answered.way.requests, closed=True)

    def _asked(self, test: str) -> tuple[list[Exchanged], CachedVerdict | None, int]:
        """Ask what a test will ask, as far as that is known.

        Returns:
            The requests and their answers; the verdict on these answers, None if none is known; and how many of the
            answers the verdict is on.
        """
        given: list[Exchanged] = []
        seen: Node | None = self._known.verdicts.get_root_node(test)
        paths = self._known.paths
        here = paths.first_steps(test)
        while segment := paths.cached_requests_until_branch(here):
            place = len(given)
            given += zip(segment, self._answers(segment), strict=False)
            for read, (request, answer) in enumerate(given[place:], place + 1):
                here = steps_after_answer(here, answer.key)
                after = seen.get((request, answer.key)) if seen else None
                if isinstance(after, CachedVerdict):
                    return given, after, read
                seen = after
        return given, None, len(given)

    def _answers(self, segment: Sequence[bytes]) -> Sequence[UnreadAnswer | LookupResult]:
        if is_lookup_request(segment[0]):
            return [recall(self._target.student.remembered, segment[0])]
        return self._target.bridge.prefetch_answers(segment)

    def _run_on(
        self,
        test: str,
        given: list[Exchanged],
        run: Callable[[], RunOutcome],
        *,
        path: Sequence[bytes] = (),
        closed: bool = False,
    ) -> RunOutcome:
        """Run a test on the answers that are there already.

        Args:
            test: pytest's name for the test.
            given: the requests that were sent for it, and their answers.
            run: runs the test.
            path: all that it was taken to ask.
            closed: see ``Transcript``.
        """
        bridge, remembered = self._target.bridge, self._target.student.remembered
        before = dict(remembered.content)
        bridge.transcript.given, bridge.transcript.closed = given, closed
        self._known.unknown += 1
        ran = run()
        if bridge.transcript.strayed:
            self._require_sound(sound=False)

            def begin() -> None:
                remembered.content = dict(before)
                self._target.begin_test_without_running(test)

            def run_again() -> RunOutcome:
                remembered.content = dict(before)
                return run()

            detours = PathDetours(self._known.paths, test, bridge, remembered, begin, self._target.end_test)
            ran = detours.run(path, run_again)
        else:
            self._require_sound(sound=bridge.transcript.is_fully_asked)
        transcript = bridge.transcript
        after = remembered.content.items()
        found = {name: one for name, one in after if name not in before or before[name] != one}
        if self._learns:
            self._known.paths.learn_path(test, transcript.asked, ended=transcript.repeatable)
            self._known.paths.finds.setdefault(test, found)
        if transcript.repeatable:
            self._known.verdicts.store(test, transcript, ran, found)
        return ran

    def _require_sound(self, *, sound: bool) -> None:
        if not sound and not self._target.bridge.is_stateless:
            raise UnsoundRun
