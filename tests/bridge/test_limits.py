"""Code that takes too much time or memory, or says too much, costs the test that ran it, in every tier."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentTimeout
from autograder.course import Limits
from tests.bridge.attacked import ROOM, STUDENT, WALL, attacked
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

pytestmark = pytest.mark.every_tier

CPU = Limits(cpu_seconds=0.1, wall_seconds=20)

# --- Time.


@pytest.mark.parametrize("body", ["while True: pass", "return 10**10**8"], ids=["loop", "power"])
def test_computing_without_an_end_uses_up_the_cpu_time(hand_in: HandIn, body: str) -> None:
    stopped = attacked(hand_in, body, CPU)
    assert isinstance(stopped, StudentTimeout)
    assert stopped.cause == "cpu"


@pytest.mark.parametrize("body", ["time.sleep(60)", "os.kill(os.getpid(), signal.SIGSTOP)"], ids=["sleep", "SIGSTOP"])
def test_waiting_without_an_end_uses_up_the_wall_time(hand_in: HandIn, body: str) -> None:
    stopped = attacked(hand_in, body, WALL)
    assert isinstance(stopped, StudentTimeout)
    assert stopped.cause == "sleep"


@once
@pytest.mark.parametrize(
    "body",
    [
        "threading.Event().wait()",
        "os.read(channel(), 1)",
        "send(b'\\0\\0\\1\\0[1')\ntime.sleep(60)",
        "send(b'\\0\\0\\1\\0[1')\nreturn 1",
    ],
    ids=["lock", "reading the channel", "half an answer", "half an answer and a whole one"],
)
def test_an_answer_that_never_comes_uses_up_the_wall_time(hand_in: HandIn, body: str) -> None:
    assert attacked(hand_in, body, WALL).cause == "sleep"


@once
def test_all_tests_together_have_a_time_too(hand_in: HandIn) -> None:
    submission = hand_in(STUDENT + "    time.sleep(0.2)", limits=Limits(submission_seconds=0.5))

    def sleep_once() -> None:
        with submission.test() as student:
            student.get("attack")()

    for _ in range(2):
        sleep_once()
    with pytest.raises(StudentTimeout) as caught:
        deque(iter(sleep_once, ""), maxlen=0)  # on a busy machine, a sleep is not seen from its first moment
    assert caught.value.cause == "submission"


def test_a_test_is_not_begun_when_all_the_time_is_used_up(hand_in: HandIn) -> None:
    submission = hand_in(STUDENT + "    time.sleep(60)", limits=Limits(submission_seconds=0.2))
    with submission.test() as student, pytest.raises(StudentTimeout):
        student.get("attack")()
    with pytest.raises(StudentTimeout), submission.test():
        pass


# --- Memory.


@pytest.mark.parametrize(
    "body",
    [
        "return bytearray(1 << 40)",
        "kept = []\nwhile True: kept.append(' ' * 1_000_000)",
        "global kept\nkept = []\nwhile True: kept.append(' ' * 1_000_000)",
        "global kept\nkept = []\nwhile True: kept.append([])",
        "text = 'x'\nwhile True: text += text",
    ],
    ids=["one piece", "many pieces", "many pieces that are kept", "small pieces that are kept", "doubling"],
)
def test_a_memory_bomb_meets_the_limit(hand_in: HandIn, body: str) -> None:
    assert attacked(hand_in, body, ROOM).cause == "memory"


# --- Floods.


@pytest.mark.parametrize(
    "body",
    [
        "while True: print('x' * 1000)",
        "while True: print('x' * 1000, file=sys.stderr)",
        "while True: os.write(1, b'x' * 65536)",
        "print('x' * 1_000_000)\ntime.sleep(60)",
        "def write():\n    while True: os.write(1, b'x' * 65536)\n"
        "for _ in range(3): threading.Thread(target=write, daemon=True).start()\ntime.sleep(60)",
    ],
    ids=["stdout", "stderr", "descriptor", "one piece", "threads"],
)
def test_printing_too_much_is_called_a_flood(hand_in: HandIn, body: str) -> None:
    assert attacked(hand_in, body, ROOM).cause == "flood"


def test_printing_a_little_costs_nothing(hand_in: HandIn) -> None:
    with hand_in(STUDENT + "    print('x' * 10_000); return 1", limits=ROOM).test() as student:
        assert student.get("attack")() == 1


def test_an_answer_too_large_is_called_a_flood(hand_in: HandIn) -> None:
    assert attacked(hand_in, "return ['x' * 1000] * 20_000", Limits()).cause == "flood"


def test_an_exception_with_a_huge_message_is_an_ordinary_error(hand_in: HandIn) -> None:
    with hand_in(STUDENT + "    raise ValueError('x' * 50_000_000)").test() as student:
        with pytest.raises(ValueError, match="xxx"):
            student.get("attack")()
        assert student.get("fine")() == "fine"


def test_calling_the_tests_function_without_an_end_uses_up_the_messages(hand_in: HandIn) -> None:
    assert attacked(hand_in, "while True: arguments[0]()", ROOM).cause == "messages"


def test_telling_of_progress_without_an_end_uses_up_the_messages(hand_in: HandIn) -> None:
    assert attacked(hand_in, "while True: send(frame('[0,\"at\",1,1,1]'))", ROOM).cause == "messages"
