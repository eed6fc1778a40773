"""What a test asks that leaves its known path is known, but for the numbers of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from autograder.author_checks.grading_pool import make_submission_from_source
from autograder.bridge import StudentStopped
from autograder.bridge.request_transcript import (
    Exchange,
    RequestTranscript,
    TranscriptMismatch,
    make_finding_lookup_request,
)
from autograder.course import Assignment
from autograder.course.misconceptions import apply_misconceptions
from autograder.grading import Grader
from autograder.grading.prefetching.request_prediction import predict_off_path_requests
from autograder.grading.suite.runnable_test import RawTestRun, RunnableTest
from autograder.sandbox.frame_channel import FrameChannel
from tests.catalogues import load_catalogue_once


def shown_by(request: int, place: int = 1) -> int:
    return (request << 20) + place


def trial(first: int, *, mirrored: bool) -> list[bytes]:
    """Two leaves, made by request ``first``; their sum; its data, its `backward()`, and the leaves' gradients."""
    a, b = shown_by(first, 1), shown_by(first, 2)
    operands = (b, a) if mirrored else (a, b)
    return [
        b'["make",{"h":1},{"l":[2.0,3.0]}]',
        b'["op","add",{"h":%d},{"h":%d}]' % operands,
        b'["getattr",{"h":%d},"data"]' % shown_by(first + 1),
        b'["call method",{"h":%d},"backward",{"t":[]},{"d":[]}]' % shown_by(first + 1),
        b'["getattrs",{"hl":[%d,%d]},"grad"]' % (a, b),
    ]


PATH = trial(1, mirrored=False) + trial(6, mirrored=True)


def rest(left_at: int, *, known: Sequence[bytes] = PATH) -> list[bytes]:
    asked = trial(left_at + 1, mirrored=True)
    return predict_off_path_requests(known, left_at, asked[0])


@pytest.mark.parametrize("left_at", [3, 4])
def test_the_second_trial_follows_with_the_numbers_that_its_objects_have_then(left_at: int) -> None:
    assert rest(left_at) == trial(left_at + 1, mirrored=True)


def test_a_request_that_both_trials_would_ask_next_does_not_hide_where_the_test_went() -> None:
    asked = trial(4, mirrored=True)
    known = [*PATH[:3], *trial(4, mirrored=False), *trial(9, mirrored=True)]
    assert known[3] == asked[0]

    assert predict_off_path_requests(known, 4, asked[1]) == asked[1:]


def test_what_is_looked_up_has_no_number() -> None:
    known = [*PATH[:5], make_finding_lookup_request("container"), *PATH[5:]]
    assert rest(3, known=known) == trial(4, mirrored=True)


def test_nothing_is_foretold_about_objects_that_were_not_shown() -> None:
    known = [*PATH, b'["getattr",{"h":%d},"grad"]' % shown_by(4)]
    assert rest(3, known=known) == trial(4, mirrored=True)


def test_text_that_looks_like_an_object_is_text() -> None:
    odd = b'["call",{"h":1},{"t":["\\"h\\":9437185"]},{"d":[]}]'
    assert rest(3, known=[*PATH, odd]) == [*trial(4, mirrored=True), odd]


def test_a_request_that_is_nowhere_in_the_path_is_followed_by_nothing() -> None:
    assert predict_off_path_requests(PATH, 3, b'["repr",{"h":1048577}]') == [b'["repr",{"h":1048577}]']


def test_an_object_that_stands_for_another_one_does_so_in_the_rest() -> None:
    path = trial(1, mirrored=False)
    same = shown_by(1, 1)
    asked = b'["op","add",{"h":%d},{"h":%d}]' % (same, same)
    expected = [asked, *path[2:4], b'["getattrs",{"hl":[%d,%d]},"grad"]' % (same, same)]

    assert predict_off_path_requests(path, 1, asked) == expected


def test_a_test_that_asked_something_in_addition_comes_back_with_other_numbers() -> None:
    moved = [*PATH[5:8], b'["getattr",{"h":%d},"grad"]' % shown_by(7)]
    after = [*trial(8, mirrored=True)[:3], b'["getattr",{"h":%d},"grad"]' % shown_by(9)]

    assert predict_off_path_requests([*PATH[:5], *moved], 5, after[0], added_request_count=2) == after


def test_what_is_asked_in_addition_is_followed_by_nothing_until_the_test_comes_back() -> None:
    assert predict_off_path_requests(PATH, 5, b'["repr",{"h":1048577}]', added_request_count=1) == [
        b'["repr",{"h":1048577}]'
    ]


@pytest.mark.parametrize("hook", ["ask_again", "ask_ahead"])
def test_a_submission_that_is_stopped_in_what_was_predicted_lets_the_test_ask_for_itself(hook: str) -> None:
    def stop(used: Sequence[Exchange], request: bytes) -> Sequence[Exchange]:
        raise StudentStopped("cpu", "it computed without an end")

    transcript = RequestTranscript(is_closed=hook == "ask_again")
    setattr(transcript, hook, stop)

    with pytest.raises(TranscriptMismatch):
        transcript.take_prefetched_answer_or_none(PATH[0])
    assert transcript.left_known_path


def test_an_engine_whose_equal_numbers_are_one_node_is_asked_in_few_messages(
    grader: Grader, engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    slip = next(
        one for one in load_catalogue_once(engine).misconceptions if one.id == "leaves-of-equal-numbers-are-one"
    )
    source = apply_misconceptions(engine.solution_file.read_text(encoding="utf-8"), slip)
    runs: list[str] = []
    run = RunnableTest.run

    def count(test: RunnableTest, following: pytest.Item | None) -> RawTestRun:
        runs.append(test.node)
        return run(test, following)

    monkeypatch.setattr(RunnableTest, "run", count)

    grader.grade_submission(make_submission_from_source("wrong.py", source))

    assert len(runs) > 20
    assert len({*runs}) > len(runs) * 0.9  # nearly no test is run a second time because it left its path


def test_a_wrong_engine_is_asked_in_few_messages(
    grader: Grader, engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    slip = next(one for one in load_catalogue_once(engine).misconceptions if one.id == "product-passes-own-number")
    source = apply_misconceptions(engine.solution_file.read_text(encoding="utf-8"), slip)
    sent: list[bytes] = []
    send = FrameChannel.send_packed_frames

    def count(channel: FrameChannel, data: bytes, *looks: Callable[[], None]) -> None:
        sent.append(data)
        send(channel, data, *looks)

    monkeypatch.setattr(FrameChannel, "send_packed_frames", count)

    grader.grade_submission(make_submission_from_source("wrong.py", source))

    assert len(sent) < 150
