"""Run the tests of one submission: what a test will ask is sent in one message, and known answers need no test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from autograder.bridge import StudentStopped
from autograder.bridge.replay import Exchanged, Recalled, is_recall, recalled_name
from autograder.bridge.wire import Answer, Malformed
from autograder.grading.ahead import Ahead, Turn
from autograder.grading.paths import Paths, following
from autograder.grading.phases import Ran
from autograder.grading.target import BridgeTarget
from autograder.grading.verdicts import Node, Verdict, Verdicts


@dataclass(slots=True)
class Transcripts:
    """What is known of the tests of a suite before a submission is put to them."""

    paths: Paths = field(default_factory=Paths)
    verdicts: Verdicts = field(default_factory=Verdicts)
    unknown: int = 0
    """How many tests had to be run, since there was no verdict on the answers."""

    @classmethod
    def of(cls, names: Collection[str]) -> Transcripts:
        """Make transcripts that know nothing yet; for ``names``, see ``Verdicts``."""
        return cls(verdicts=Verdicts(names))


class Unsound(Exception):
    """A submission may remember what no test has asked of it: nothing of this run counts.

    Run the tests once more, and let each ask for itself.
    """


class Scripted:
    """Runs the tests of one submission, with scripts where they are known; without, once one was not answered."""

    def __init__(
        self,
        transcripts: Transcripts,
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
        self._ahead: Ahead | None = None

    def begin(self, turns: Sequence[tuple[Turn, Collection[str]]]) -> None:
        """Get ready for a run.

        Args:
            turns: the tests of the run in their order, each with the names without which it is not begun.
        """
        target = self._target
        if not self._learns and target.bridge.keeps_nothing:
            asking = [turn for turn, needed in turns if not target.missing(needed)]
            self._ahead = Ahead(self._known.paths, target.bridge, target.student.remembered, asking)

    def run(self, test: str, needed: Collection[str], run: Callable[[], Ran]) -> Ran:
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
        if not self._sends or self._target.missing(needed):
            return run()
        try:
            ran = self._run_ahead(test, run)
            if ran is not None:
                return ran
            if self._ahead and self._ahead.stopped((test, self._target.falling)):
                self._sends = False
                return run()
            self._target.begin_beforehand(test)
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
        ran = verdict.of(given)
        self._require_sound(sound=read == len(given))
        return ran

    def _run_ahead(self, test: str, run: Callable[[], Ran]) -> Ran | None:
        """Run a test on answers got beforehand to what the reference is asked; None where these are of no use."""
        answered = self._ahead.answered((test, self._target.falling)) if self._ahead else None
        remembered, verdicts = self._target.student.remembered, self._known.verdicts
        if answered is None or any(remembered.told(name).encode() != told for name, told in answered.way.recalled):
            return None
        verdict = verdicts.of_message(test, answered)
        if verdict is not None:
            remembered.content.update(verdict.found)
            return verdict.ran
        try:
            given = answered.exchanged()
        except Malformed:
            return None  # once asked in the usual way, it is said to be so
        here, seen = self._known.paths.start(test), verdicts.start(test)
        for request, answer in given:
            if here and all(step.request != request for step in here):
                return None
            here = following(here, answer.key)
            after = seen.get((request, answer.key), {})
            if isinstance(after, Verdict):
                verdicts.keep_message(test, answered, after)
                remembered.content.update(after.found)
                return after.of(given)
            seen = after
        self._target.begin_beforehand(test)
        return self._run_on(test, given, run, closed=True)

    def _recalled(self, request: bytes) -> Recalled:
        return Recalled(self._target.student.remembered.told(recalled_name(request)).encode())

    def _asked(self, test: str) -> tuple[list[Exchanged], Verdict | None, int]:
        """Ask what a test will ask, as far as that is known.

        Returns:
            The requests and their answers; the verdict on these answers, None if none is known; and how many of the
            answers the verdict is on.
        """
        given: list[Exchanged] = []
        seen: Node | None = self._known.verdicts.start(test)
        paths = self._known.paths
        here = paths.start(test)
        while segment := paths.segment(here):
            place = len(given)
            given += zip(segment, self._answers(segment), strict=False)
            for read, (request, answer) in enumerate(given[place:], place + 1):
                here = following(here, answer.key)
                after = seen.get((request, answer.key)) if seen else None
                if isinstance(after, Verdict):
                    return given, after, read
                seen = after
        return given, None, len(given)

    def _answers(self, segment: Sequence[bytes]) -> Sequence[Answer | Recalled]:
        if is_recall(segment[0]):
            return [self._recalled(segment[0])]
        return self._target.bridge.send(segment)

    def _run_on(self, test: str, given: list[Exchanged], run: Callable[[], Ran], *, closed: bool = False) -> Ran:
        """Run a test on the answers that are there already; for ``closed``, see ``Transcript``."""
        bridge, remembered = self._target.bridge, self._target.student.remembered
        before = dict(remembered.content)
        bridge.transcript.given, bridge.transcript.closed = given, closed
        self._known.unknown += 1
        ran = run()
        if bridge.transcript.strayed:
            self._require_sound(sound=False)
            remembered.content = dict(before)
            remembered.begin_test()
            ran = run()
        else:
            self._require_sound(sound=bridge.transcript.is_over)
        transcript = bridge.transcript
        after = remembered.content.items()
        found = {name: one for name, one in after if name not in before or before[name] != one}
        if self._learns:
            self._known.paths.learn(test, transcript.asked, ended=transcript.repeatable)
            self._known.paths.finds.setdefault(test, found)
        if transcript.repeatable:
            self._known.verdicts.keep(test, transcript, ran, found)
        return ran

    def _require_sound(self, *, sound: bool) -> None:
        if not sound and not self._target.bridge.keeps_nothing:
            raise Unsound
