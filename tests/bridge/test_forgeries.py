"""What is forged on the channel breaks the protocol, and never disturbs the trusted side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Limits
from tests.bridge.attacked import STUDENT, WALL, attacked
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

WHAT = '{"kind":"ValueError","builtin":"ValueError","message":"no","package":""}'
WHERE = '{"unit":"value.py","line":3,"function":"attack"}'


def answers(*told: str) -> str:
    """The message that answers what is being asked."""
    return f'[ID,"answers",[{",".join(told)}]]'


def ok(value: str) -> str:
    """The same, with one value."""
    return answers(f'["ok",{value},[]]')


FORGED = {
    "no JSON": "junk",
    "nothing": "",
    "not a list": "{}",
    "an empty list": "[]",
    "no id": '["answers",[["ok",1,[]]]]',
    "the id of an earlier question": '[1,"answers",[["ok",1,[]]]]',
    "the id of the next question": '[NEXT,"answers",[["ok",1,[]]]]',
    "an id that is no number": '[true,"answers",[["ok",1,[]]]]',
    "a kind of message that does not exist": '[ID,"ok",1]',
    "a message with more to it": '[ID,"answers",[["ok",1,[]]],1]',
    "a message with less to it": '[ID,"answers"]',
    "answers that are no list": '[ID,"answers",{"ok":1}]',
    "an answer that is no list": answers("1"),
    "no answer": answers(),
    "an empty answer": answers("[]"),
    "more answers than questions": answers('["ok",1,[]]', '["ok",1,[]]'),
    "nothing where something was asked for": answers('["void"]'),
    "an answer, and nothing after it": answers('["ok",1,[]]', '["void"]'),
    "a kind of answer that does not exist": answers('["fine",1,[]]'),
    "a kind of answer that is no text": answers("[1,1,[]]"),
    "too much": answers('["ok",1,[],2]'),
    "too little": answers('["ok"]'),
    "nothing, and more": answers('["void",1]'),
    "a callback that was never given": answers('["ok",1,[5]]'),
    "a callback by a name": answers('["ok",1,["a"]]'),
    "callbacks that are none": answers('["ok",1,null]'),
    "a callback by itself that was never given": '[0,"called",[5]]',
    "callbacks by themselves that are none": '[0,"called","a"]',
    "NaN as a word": ok("NaN"),
    "infinity as a word": ok("-Infinity"),
    "NaN as a word beside half a character": ok(r'{"l":["\ud800",NaN]}'),
    "more answers with half a character": answers(r'["ok","\ud800",[]]', '["ok",1,[]]'),
    "half a character in the kind": answers(r'["\ud800",1,[]]'),
    "a bare list": ok("[1]"),
    "a kind of value that does not exist": ok('{"q":1}'),
    "two kinds of value": ok('{"l":[],"t":[]}'),
    "a float that is none": ok('{"f":"2.0"}'),
    "an integer that is none": ok('{"i":"zz"}'),
    "a list in a set": ok('{"s":[{"l":[]}]}'),
    "a dict of single things": ok('{"d":[[1]]}'),
    "an object without a class": ok('{"h":1}'),
    "an object with a broken number": ok('{"h":1.5,"k":"Value"}'),
    "a list of objects without a class": ok('{"hl":[1]}'),
    "a list of objects with a broken number": ok('{"hl":[1,"2"],"k":"Value"}'),
    "a list of objects that is a number": ok('{"hl":1,"k":"Value"}'),
    "a function that does not exist": ok('{"c":99}'),
    "a negative function": ok('{"c":-1}'),
    "a call of a function that does not exist": '[1,"call",99,[]]',
    "a call of a function by name": '[1,"call","print",[]]',
    "a call without arguments": '[1,"call",0]',
    "an exception that says nothing": answers('["raised",{},[],{}]'),
    "an exception that is a text": answers('["raised","no",[],{}]'),
    "an exception without a place": answers(f'["raised",{WHAT},[]]'),
    "an exception from nowhere": answers(f'["raised",{WHAT},[],{{}}]'),
    "an exception from a place that is none": answers(f'["raised",{WHAT},[],[1,2]]'),
    "an exception from a line that is none": answers(f'["raised",{WHAT},[],{WHERE.replace("3", "3.5")}]'),
    "a place that is none": '[0,"at","a","b","c"]',
}


def test_the_same_in_the_right_shape_is_taken(hand_in: HandIn) -> None:
    right = (ok("1"), ok('{"s":[1]}'), ok(r'"\ud800"'), answers(f'["raised",{WHAT},[],{WHERE}]'))
    for text in right:
        source = f"{STUDENT}    send(frame(filled({text!r})))\n    os.read(channel(), 1)"
        with hand_in(source).test() as student:
            attack = student.get("attack")
            if "raised" in text:
                with pytest.raises(ValueError, match=r"ValueError: no \(value.py, line 3\)"):
                    attack()
            else:
                assert attack() in (1, {1}, "\ud800")


@pytest.mark.first_cases(15)
@once
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED.keys())
def test_a_forged_answer_breaks_the_protocol(hand_in: HandIn, forged: str) -> None:
    body = f"send(frame(filled({forged!r})))\ntime.sleep(600)"
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
        'frame(filled(\'[ID,"answers",[["ok",{"i":"\') + \'f\' * 200_000 + \'"},[]]]]\')',
    ],
)
def test_junk_on_the_channel_breaks_the_protocol(hand_in: HandIn, junk: str) -> None:
    stopped = attacked(hand_in, f"send({junk})\ntime.sleep(600)", WALL)
    assert stopped.cause in ("protocol", "wall", "flood")  # some junk looks like the beginning of a long answer


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
