"""Code that ends its process costs the test that ran it, and is told from an ordinary error, in every tier."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import fork_server
from tests.bridge.attacked import attacked

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

pytestmark = pytest.mark.every_tier


@pytest.mark.parametrize(
    "body",
    [
        "os._exit(0)",
        "os._exit(3)",
        "print('12 passed', flush=True)\nos._exit(0)",
        "threading.Thread(target=os._exit, args=(0,)).start()\ntime.sleep(60)",
        "os.closerange(0, 1024)",
        "os.close(channel())",
    ],
)
def test_ending_the_process_is_called_an_exit(hand_in: HandIn, body: str) -> None:
    assert attacked(hand_in, body, Limits()).cause == "exit"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("0", "exit code 0"),
        ("1", "exit code 1"),
        ("37", "exit code 37"),
        ("30 + 7", "another exit code than 0 or 1"),
        ("int('37.5'[:2])", "another exit code than 0 or 1"),
        ("3 * 37", "another exit code than 0 or 1"),
    ],
)
def test_only_an_exit_code_that_stands_in_the_source_is_told(hand_in: HandIn, code: str, told: str) -> None:
    stopped = attacked(hand_in, f"os._exit({code})", Limits())
    assert stopped.message == f"it ended its process ({'with ' * (told[0] == 'a')}{told}) instead of returning"


@pytest.mark.parametrize("number", ["14 + 1", "30 + 10"], ids=["SIGTERM", "a real-time signal"])
def test_a_signal_whose_name_the_source_does_not_have_is_not_named(hand_in: HandIn, number: str) -> None:
    stopped = attacked(hand_in, f"os.kill(os.getpid(), {number})", Limits())
    assert (stopped.cause, stopped.message) == ("signal", "its process ended with a signal: it was killed")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("ctypes.string_at(0)", "SIGSEGV"),
        ("os.abort()", "SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "SIGTERM"),
    ],
)
def test_a_crash_of_the_interpreter_is_called_a_signal(hand_in: HandIn, body: str, name: str) -> None:
    stopped = attacked(hand_in, body, Limits())
    assert stopped.cause == "signal"
    assert name in stopped.message


def test_a_process_that_ends_with_what_forked_it_is_no_fault_of_the_students(hand_in: HandIn) -> None:
    source = "def fine(): return 'fine'"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("fine")() == "fine"
        server, client = fork_server._server_of_thread.server, submission.bridge._client
        if server is None or client is None:
            pytest.skip(f"processes of tier {hand_in.tier} are not forked here")
        server._connection.shutdown(socket.SHUT_RDWR)
        client.process.wait_for_exit_status_or_none(300)
        with pytest.raises(KitFault, match="was killed"):
            student.get("fine")()
    with hand_in(source).test() as student:
        assert student.get("fine")() == "fine"


def test_a_recursion_beyond_the_stack_is_called_a_signal(hand_in: HandIn) -> None:
    body = "class V:\n    def __add__(self, other): return self + other\nsys.setrecursionlimit(10**9)\nV() + 1"
    assert attacked(hand_in, body, Limits()).cause in ("signal", "memory")
