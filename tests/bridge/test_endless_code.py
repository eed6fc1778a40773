"""Code that does not end, or ends its process, is left out with a note, in every tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.course import Limits
from tests.bridge.loading import BEFORE, loaded_around
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


SOON = Limits(import_seconds=0.3)
ROOM = Limits(memory_mb=128, output_kb=64)

# --- Code that does not end.


@pytest.mark.parametrize(
    "trouble",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except Exception: pass",
        "import time\ntime.sleep(60)",
        "import threading\nthreading.Event().wait()",
        "def f():\n    while True: pass\nf()",
    ],
    ids=["loop", "loop that catches exceptions", "sleep", "lock", "loop in a function"],
)
def test_code_without_an_end_is_left_out_with_a_note(hand_in: HandIn, trouble: str) -> None:
    (note,) = loaded_around(hand_in, trouble, SOON).problems
    assert (note.kind, note.line) == ("timed out", 2 + trouble.count("\n") * trouble.startswith(("import", "def")))


@pytest.mark.redteam
@once
@pytest.mark.parametrize(
    "trouble",
    [
        "import itertools\nsum(itertools.repeat(0))",
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    ],
    ids=["endless sum", "loop without an alarm", "SIGSTOP"],
)
def test_code_that_cannot_be_interrupted_is_left_out_with_a_note(hand_in: HandIn, trouble: str) -> None:
    (note,) = loaded_around(hand_in, trouble, SOON).problems
    assert (note.kind, note.line) == ("stopped", 2 + trouble.count("\n"))


@once
def test_what_follows_many_statements_that_take_all_the_time_still_works(hand_in: HandIn) -> None:
    loaded_around(hand_in, "import time\n" + "time.sleep(0.1)\n" * 100, SOON)


def test_a_constructor_without_an_end_does_not_keep_its_class_from_being_loaded(hand_in: HandIn) -> None:
    source = "class Value:\n    def __init__(self, data):\n        while True: pass\n    def tanh(self): return 1"
    loaded = hand_in(source, defines=["Value"], limits=SOON).loaded
    assert loaded.kind_by_name == {"Value": "class"}
    assert {"__init__", "tanh"} <= loaded.attributes_by_class["Value"]


@once
def test_statements_share_the_time_for_loading(hand_in: HandIn) -> None:
    burns = "import time\nstart = time.process_time()\nwhile time.process_time() - start < {seconds}: pass\n"
    (note,) = loaded_around(hand_in, burns.format(seconds=3), SOON).problems
    assert note.kind == "timed out"
    assert loaded_around(hand_in, burns.format(seconds=0.05), SOON).problems == ()


# --- Code that ends its process.


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        ("__import__('os')._exit(0)", "exit"),
        ("__import__('os').kill(__import__('os').getpid(), 9)", "signal"),
        ("__import__('ctypes').string_at(0)", "signal"),
        ("__import__('os').closerange(0, 1024)", "exit"),
        ("while True: print('x' * 1000)", "flood"),
    ],
)
def test_a_statement_that_ends_the_process_is_left_out_with_a_note(hand_in: HandIn, trouble: str, cause: str) -> None:
    (note,) = loaded_around(hand_in, trouble, ROOM).problems
    assert (note.kind, note.line, note.error) == ("stopped", 2, cause)


@once
def test_a_submission_that_ends_its_process_again_and_again_defines_nothing(hand_in: HandIn) -> None:
    loaded = hand_in(BEFORE + "\n__import__('os')._exit(0)" * 20, defines=["before"]).loaded
    assert loaded.kind_by_name == {}
    assert {note.kind for note in loaded.problems} == {"stopped"}


def test_a_constructor_that_ends_the_process_is_not_blamed_on_an_innocent_line(hand_in: HandIn) -> None:
    source = "class Value:\n    def __init__(self, data): __import__('os')._exit(0)\ndef innocent(): return 1"
    submission = hand_in(source, defines=["Value"])
    assert 3 not in [note.line for note in submission.loaded.problems]


def test_a_recursion_without_an_end_is_left_out_with_a_note(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "def f(): return f()\nf()").problems
    assert (note.line, note.error) == (3, "RecursionError")
