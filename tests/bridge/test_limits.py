"""Code that hangs, crashes, floods or forges costs the test that ran it, and nothing else, in every tier."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError, StudentStopped, StudentTimeout
from autograder.course import Limits

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

once = pytest.mark.parametrize("each_tier", ["process"], indirect=True)
"""For what the trusted side does, which is the same in every tier."""

CPU = Limits(cpu_seconds=0.1, wall_seconds=20)
WALL = Limits(cpu_seconds=20, wall_seconds=0.3)
ROOM = Limits(memory_mb=128, output_kb=64, messages=1000)

STUDENT = """
import ctypes, gc, itertools, json, os, re, signal, stat, sys, threading, time

def fine(): return "fine"

def is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError: return False

def channel(): return next(fd for fd in range(3, 1024) if is_socket(fd))

def question():
    "The id of the request that is being answered."
    frame = sys._getframe()
    while "number" not in frame.f_locals: frame = frame.f_back
    return frame.f_locals["number"]

def frame(text):
    data = text if isinstance(text, bytes) else text.encode()
    return len(data).to_bytes(4, "big") + data

def filled(text):
    return text.replace("ID", str(question())).replace("NEXT", str(question() + 1))

def send(data):
    while data: data = data[os.write(channel(), data):]

def attack(*arguments):
"""


def attacked(hand_in: HandIn, body: str, limits: Limits) -> StudentStopped:
    """Run this as the body of a student's function, in a test of its own.

    Whatever it does: it is stopped, the rest of its test is told so too, the next test gets a process that works, and
    nothing is left of the first.
    """
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    submission = hand_in(STUDENT + lines, limits=limits)
    pid = submission.pid
    with submission.test() as student:
        fine, attack = student.get("fine"), student.get("attack")
        with pytest.raises(StudentStopped) as caught:
            attack(lambda *_: None)
        with pytest.raises(StudentStopped) as again:
            fine()
    assert again.value is caught.value
    with submission.test() as student:
        assert student.get("fine")() == "fine"
        assert submission.pid != pid
    assert has_ended(pid)
    return caught.value


def has_ended(pid: int, patience: float = 2.0) -> bool:
    """Whether a process is no more, at the latest after some time."""
    deadline = time.monotonic() + patience
    while is_running(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    if pid == 0 or not Path("/proc/self/stat").exists():
        return False  # nothing is known of it here
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


# --- Time.


@pytest.mark.parametrize("body", ["while True: pass", "return 10**10**8"], ids=["loop", "power"])
def test_computing_without_an_end_uses_up_the_cpu_time(hand_in: HandIn, body: str) -> None:
    stopped = attacked(hand_in, body, CPU)
    assert isinstance(stopped, StudentTimeout)
    assert stopped.cause == "cpu"


@once
@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "return re.match('(a+)+$', 'a' * 40 + 'b')",
        "return sum(itertools.repeat(0))",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
    ],
    ids=["loop that catches everything", "regular expression", "endless sum", "blocked signals"],
)
def test_nothing_keeps_a_computation_from_being_stopped(hand_in: HandIn, body: str) -> None:
    assert attacked(hand_in, body, CPU).cause == "cpu"


@pytest.mark.parametrize("body", ["time.sleep(60)", "os.kill(os.getpid(), signal.SIGSTOP)"], ids=["sleep", "SIGSTOP"])
def test_waiting_without_an_end_uses_up_the_wall_time(hand_in: HandIn, body: str) -> None:
    stopped = attacked(hand_in, body, WALL)
    assert isinstance(stopped, StudentTimeout)
    assert stopped.cause == "wall"


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
    assert attacked(hand_in, body, WALL).cause == "wall"


@once
def test_an_answer_that_comes_byte_by_byte_uses_up_the_wall_time(hand_in: HandIn) -> None:
    started = time.monotonic()
    stopped = attacked(hand_in, "for byte in frame(' ' * 250): send(bytes([byte])); time.sleep(0.02)", WALL)
    assert stopped.cause == "wall"
    assert time.monotonic() - started < 4


@once
def test_all_tests_together_have_a_time_too(hand_in: HandIn) -> None:
    submission = hand_in(STUDENT + "    time.sleep(0.2)", limits=Limits(submission_seconds=0.5))
    for _ in range(2):
        with submission.test() as student:
            student.get("attack")()
    with submission.test() as student, pytest.raises(StudentTimeout) as caught:
        student.get("attack")()
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


# --- The end of the process.


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


@pytest.mark.parametrize("call", ["sys.exit(0)", "sys.exit('12 passed')", "quit()", "raise SystemExit"])
def test_leaving_politely_is_an_error_and_the_process_stays(hand_in: HandIn, call: str) -> None:
    with hand_in(f"{STUDENT}    {call}").test() as student:
        with pytest.raises(StudentError):
            student.get("attack")()
        assert student.get("fine")() == "fine"


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


def test_a_recursion_beyond_the_stack_is_called_a_signal(hand_in: HandIn) -> None:
    body = "class V:\n    def __add__(self, other): return self + other\nsys.setrecursionlimit(10**9)\nV() + 1"
    assert attacked(hand_in, body, Limits()).cause in ("signal", "memory")


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
    started = time.monotonic()
    assert attacked(hand_in, body, ROOM).cause == "flood"
    assert time.monotonic() - started < 3


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


# --- Forgeries on the channel.

FORGED = {
    "no JSON": "junk",
    "nothing": "",
    "not a list": "{}",
    "an empty list": "[]",
    "no id": '["ok",1]',
    "the id of an earlier question": '[1,"ok",1]',
    "the id of the next question": '[NEXT,"ok",1]',
    "an id that is no number": '[true,"ok",1]',
    "a kind of answer that does not exist": '[ID,"fine",1]',
    "too much": '[ID,"ok",1,2]',
    "too little": '[ID,"ok"]',
    "NaN as a word": '[ID,"ok",NaN]',
    "infinity as a word": '[ID,"ok",-Infinity]',
    "a bare list": '[ID,"ok",[1]]',
    "a kind of value that does not exist": '[ID,"ok",{"q":1}]',
    "two kinds of value": '[ID,"ok",{"l":[],"t":[]}]',
    "a float that is none": '[ID,"ok",{"f":"2.0"}]',
    "an integer that is none": '[ID,"ok",{"i":"zz"}]',
    "a list in a set": '[ID,"ok",{"s":[{"l":[]}]}]',
    "a dict of single things": '[ID,"ok",{"d":[[1]]}]',
    "an object without a class": '[ID,"ok",{"h":1}]',
    "an object with a broken number": '[ID,"ok",{"h":1.5,"k":"Value"}]',
    "a function that does not exist": '[ID,"ok",{"c":99}]',
    "a negative function": '[ID,"ok",{"c":-1}]',
    "a call of a function that does not exist": '[1,"call",99,[]]',
    "a call of a function by name": '[1,"call","print",[]]',
    "a call without arguments": '[1,"call",0]',
    "an exception that says nothing": '[ID,"raised",{}]',
    "an exception that is a text": '[ID,"raised","no"]',
    "a place that is none": '[0,"at","a","b","c"]',
}


@once
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED.keys())
def test_a_forged_answer_breaks_the_protocol(hand_in: HandIn, forged: str) -> None:
    body = f"send(frame(filled({forged!r})))\ntime.sleep(60)"
    assert attacked(hand_in, body, Limits()).cause == "protocol"


@once
@pytest.mark.parametrize(
    "junk",
    [
        "b'\\xff' * 64",
        "b'\\x7f\\xff\\xff\\xff'",
        "b'\\0\\0\\0\\0' * 1_000_000",
        "os.urandom(1_000) + b'\\xff' * 4",
        "frame(b'\\xff\\xfe')",
        "frame(filled('[ID,\"ok\",{\"i\":\"') + 'f' * 200_000 + '\"}]')",
    ],
)
def test_junk_on_the_channel_breaks_the_protocol(hand_in: HandIn, junk: str) -> None:
    stopped = attacked(hand_in, f"send({junk})\ntime.sleep(60)", WALL)
    assert stopped.cause in ("protocol", "wall", "flood")  # some junk looks like the beginning of a long answer


@once
@pytest.mark.parametrize("depth", [5_000, 100_000])
def test_an_answer_nested_without_measure_breaks_the_protocol(hand_in: HandIn, depth: int) -> None:
    nested = f"""filled('[ID,"ok",' + '{{"l":[' * {depth} + ']}}' * {depth} + ']')"""
    assert attacked(hand_in, f"send(frame({nested}))\ntime.sleep(60)", Limits()).cause == "protocol"


@once
@pytest.mark.parametrize("layers", range(4))
def test_no_depth_of_nesting_disturbs_the_trusted_side(hand_in: HandIn, layers: int) -> None:
    body = """
for depth in range(400, 600):
    send(frame('[1,"call",0,[%s{"i":"f"}%s]]' % ('{"l":[' * depth, ']}' * depth)))
    os.read(channel(), 1 << 16)
"""

    def further_down(layers: int) -> StudentStopped:
        return further_down(layers - 1) if layers else attacked(hand_in, body, Limits())

    assert further_down(layers).cause == "protocol"


@once
def test_not_reading_what_is_sent_uses_up_the_wall_time(hand_in: HandIn) -> None:
    started = time.monotonic()
    stopped = attacked(hand_in, "while True: send(frame('[1,\"call\",0,[]]'))", Limits(wall_seconds=0.5))
    assert isinstance(stopped, StudentStopped)
    assert time.monotonic() - started < 4


@once
def test_an_answer_given_in_advance_is_found_out(hand_in: HandIn) -> None:
    source = f"""{STUDENT}    send(frame(filled('[ID,"ok",1]')) + frame(filled('[NEXT,"ok",1]'))); return 1"""
    with hand_in(source).test() as student:
        attack = student.get("attack")
        assert attack() == 1
        with pytest.raises(StudentStopped) as caught:
            assert [attack(), attack()] == []
    assert caught.value.cause == "protocol"


@once
def test_closing_the_channel_and_going_on_breaks_the_protocol(hand_in: HandIn) -> None:
    assert attacked(hand_in, "os.closerange(0, 1024)\nwhile True: pass", Limits()).cause == "protocol"


def test_forging_from_a_thread_breaks_the_protocol(hand_in: HandIn) -> None:
    body = "threading.Thread(target=send, args=(frame('[7777,\"ok\",1]'),)).start()\ntime.sleep(60)"
    assert attacked(hand_in, body, Limits()).cause == "protocol"
