"""What is forged on the channel breaks the protocol, and never disturbs the trusted side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Limits
from tests.bridge.attacked import STUDENT, WALL, attacked
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

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
