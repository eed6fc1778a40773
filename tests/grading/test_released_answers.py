"""What a submission answered is gone once its test is judged."""

from __future__ import annotations

import gc
import weakref

from autograder.grading.runnable_test import RawTestRun


class Answer:
    """Stands for what a submission answered."""


def test_the_variables_of_a_failed_test_go_without_a_collection_of_garbage() -> None:
    seen: list[weakref.ref[Answer]] = []

    def fail() -> None:
        answer = Answer()
        seen.append(weakref.ref(answer))
        try:
            raise LookupError(1)
        except LookupError as error:
            caught = error  # a cycle with this frame
            raise AssertionError(str(caught)) from caught

    gc.disable()
    try:
        try:
            fail()
        except AssertionError as error:
            raw = RawTestRun(error, (0.0,))
        assert seen[0]() is not None
        raw.clear_exception_frames()
        assert seen[0]() is None
    finally:
        gc.enable()
