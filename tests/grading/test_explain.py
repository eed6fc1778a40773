"""What a student is told of an error: what the interpreter really said, and nothing that the submission made up."""

from __future__ import annotations

import re
import subprocess
import sys
from operator import attrgetter
from typing import Any

import pytest

from autograder.bridge.student_exceptions import ReportedException
from autograder.grading.explanations import (
    DisclosableFacts,
    collect_disclosable_facts,
    explain_exception_with_hint,
    explain_test_exception,
)
from autograder.grading.interpreter_messages import compile_message_hints
from autograder.submissions import SourceUnit, Submission

SNIPPETS = {
    "a missing attribute": "(3).data",
    "a missing attribute of a class": "int.tanhh",
    "a missing operator": "object() + 1",
    "a missing negation": "-object()",
    "too many arguments": "(lambda a: a)(1, 2)",
    "a missing argument": "(lambda a, b: a)()",
    "an unknown keyword": "(lambda a: a)(b=1)",
    "calling a number": "(1)()",
    "calling a list": "[]()",
    "iterating over a number": "[x for x in 1]",
    "what reverse gives": "[x for x in [].reverse()]",
    "turning around what reverse gives": "reversed([].reverse())",
    "turning around a method": "reversed([].reverse)",
    "an attribute of what a function without a return gives": "(lambda: None)().data",
    "adding to None": "None + 1.0",
    "adding None": "1.0 + None",
    "appending two": "[].append(1, 2)",
    "an unhashable operand": "{[]}",
    "math on an object": "__import__('math').tanh(object())",
    "a misspelled name": "mth",
    "division by zero": "1 / 0",
    "overflow": "__import__('math').exp(1e6)",
    "a domain error": "__import__('math').log(-1)",
    "an index too large": "[][1]",
    "pop from nothing": "[].pop()",
    "reading what nobody types": "input()",
    "a file that is not there": "open('tanhh.mth')",
    "a module that is not there": "__import__('tanhh')",
    "recursion": "(lambda f: f(f))(lambda f: f(f))",
    "swapped arguments of isinstance": "isinstance(int, 1)",
    "two values for one argument": "(lambda a: a)(1, a=1)",
    "an argument of a class without `__init__`": "type('Value', (), {})(1)",
    "no argument where one is needed": "abs()",
    "two arguments where none is taken": "[].clear(1)",
    "an `__init__` that gives something": "type('Value', (), {'__init__': lambda self: 1})()",
    "too few values": "a, b = [1]",
    "too many values": "a, b = 1, 2, 3",
    "no values at all": "a, b = 1",
    "putting into a tuple": "(1, 2)[0] = 1",
    "the next of a list": "next([])",
    "a range of a fraction": "range(1.0)",
    "comparing with an object": "object() < 1",
    "an index that is a fraction": "[1][1.0]",
    "adding a number to a list": "[] + 1",
    "adding a number to a text": "'a' + 1",
    "a number made of a list": "float([])",
    "rounding an object": "round(object())",
    "what is in a number": "1 in 1",
    "removing what is not there": "[].remove(1)",
    "raising a text": "raise 'tanhh'",
    "a function that a module lacks": "__import__('math').tanhh",
    "spreading a number": "max(*1)",
    "a property that cannot be set": "type('Value', (), {'data': property()})().data = 1",
    "an attribute of an object that has none": "object().data = 1",
}


SOURCE = "class Value:\n    def tanh(self): mth; self.data; tanhh; append; self.backward; f(b=1); a; math" + "\n" * 20
OWN_HINTS = (("'Value' object is not iterable", "Go through `_prev`."),)
CELL = "import numpy\n\n\nclass Value:\n    def tanh(self): numpy.tanh"
KNOWN = collect_disclosable_facts(
    Submission("s", "", (), (SourceUnit("value.py", SOURCE), SourceUnit("code cell 2", CELL))), ["Value"]
)


def explain(message: str = "", known: DisclosableFacts = KNOWN, **given: Any) -> tuple[str, str]:
    """What is said of an exception, and the hint."""
    kind = given.get("kind", "TypeError")
    raised = {"kind": kind, "builtin": kind, "unit": "value.py", "line": 3, "function": "Value.backward", **given}
    return explain_exception_with_hint(ReportedException(message=message, **raised), known)


@pytest.mark.first_cases(8)
@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_what_this_interpreter_really_says_is_shown_with_advice(snippet: str) -> None:
    code = f"try:\n    {snippet}\nexcept Exception as e:\n    print(type(e).__name__); print(e)"
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    kind, message = said.rstrip("\n").split("\n", 1)
    shown, hint = explain(message, kind=kind, line=12, function="Value.tanh")
    assert message in shown
    assert "value.py, line 12" in shown
    assert "`Value.tanh`" in shown
    assert hint


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("'NoneType' object has no attribute 'data'", "end with a `return`"),
        ("unsupported operand type(s) for +: 'NoneType' and 'Value'", "without a `return` gives None"),
        ("'NoneType' object is not iterable", "`reverse()`"),
        ("'NoneType' object is not callable", "stored, without `()`"),
        ("object of type 'generator' has no len()", "Make a list of it"),
        ("'list_reverseiterator' object is not subscriptable", "Make a list of it"),
        ("'method' object is not reversible", "call it"),
        ("'list' object is not callable", "parentheses"),
        ("'float' object has no attribute 'data'", "A plain number"),
        ("Value.tanh() takes 0 positional arguments but 1 was given", "Is `self`"),
        ("Value.tanh() missing 1 required positional argument: 'self'", "called on an object"),
    ],
)
def test_none_is_told_from_other_things_in_the_wrong_place(message: str, advice: str) -> None:
    _, hint = explain(message, line=12, function="Value.tanh")
    assert advice in hint


def test_a_hidden_test_that_gets_none_asks_for_a_return() -> None:
    with pytest.raises(AttributeError) as none:
        attrgetter("data")(None)
    with pytest.raises(AttributeError) as number:
        attrgetter("data")(1.0)
    assert "`return`" in explain_test_exception(none.value)[1]
    assert explain_test_exception(number.value)[1] == ""


@pytest.mark.parametrize(
    "message",
    ["I saw 6.8813735870195432", "name 'x' is not defined: 2.0, 3.0", "'Value' object has no attribute 'x'; 22", ""],
)
def test_a_text_of_the_students_own_making_is_not_shown(message: str) -> None:
    shown, _ = explain(message)
    assert shown == "Your code raised TypeError at value.py, line 3, in `Value.backward`."


def test_an_exception_class_cannot_carry_text_out() -> None:
    shown, _ = explain(kind="I saw 2.0 and 3.0", builtin="Exception", function="")
    assert "2.0" not in shown


@pytest.mark.parametrize(
    ("unit", "line"),
    [("I saw 2.0", 3), ("value.py", 2003), ("value.py", -2), ("value.py", 0), ("code cell 7", 1), ("", 4)],
)
def test_a_place_that_is_not_in_the_submission_is_not_shown(unit: str, line: int) -> None:
    shown, _ = explain(unit=unit, line=line)
    assert shown == "Your code raised TypeError, in `Value.backward`."


def test_a_package_that_the_submission_does_not_name_is_not_shown() -> None:
    shown, _ = explain(kind="MissingPackageUsed", builtin="ImportError", line=4, function="", package="saw_2_and_3")
    assert shown == "Your code raised ImportError at value.py, line 4."


def test_a_missing_package_is_named() -> None:
    shown, hint = explain(
        kind="MissingPackageUsed",
        builtin="ImportError",
        unit="code cell 2",
        line=4,
        function="Value.tanh",
        package="numpy",
    )
    assert "numpy is not installed" in shown
    assert "without numpy" in hint


def test_hints_of_the_kit_speak_of_no_assignment() -> None:
    words = re.compile(r"_prev|_backward|_op\b|\bnodes?\b|grad\b|self\.data|tanh|Value")
    assert [hint for _, hint in compile_message_hints() if words.search(hint)] == []


def test_an_assignments_own_hint_goes_before_the_kits() -> None:
    submission = Submission("s", "", (), (SourceUnit("value.py", SOURCE),))
    known = collect_disclosable_facts(submission, ["Value"], OWN_HINTS)
    assert explain("'Value' object is not iterable", known)[1] == "Go through `_prev`."
    assert explain("'int' object is not iterable", known)[1] != "Go through `_prev`."
    assert explain("I saw 2.0: 'Value' object is not iterable", known)[0].startswith("Your code raised TypeError at")


def test_every_pattern_leaves_room_for_names_and_single_digits_alone() -> None:
    for pattern, _ in compile_message_hints():
        assert not pattern.fullmatch("3.14159265")
        assert r"\d+" not in pattern.pattern
        assert ".*" not in pattern.pattern


@pytest.mark.parametrize("name", ["data", "grad", "_prev", "_op", "_backward", "backward", "zero_grad", "build_topo"])
def test_a_name_that_the_handout_asks_for_is_always_shown(name: str) -> None:
    known = collect_disclosable_facts(
        Submission("s", "", (), (SourceUnit("value.py", "class Value: pass"),)), ["build_topo"]
    )
    message = f"'Value' object has no attribute '{name}'"
    shown, hint = explain(message, kind="AttributeError", unit="", line=0, function="", known=known)
    assert shown == f"Your code raised AttributeError: {message}."
    assert hint


@pytest.mark.parametrize(
    "message",
    [
        "name 'x\uff12\uff10' is not defined",
        "name 'x.\uff12' is not defined",
        "name 'a.31415' is not defined",
        "314.15() takes no arguments (\u0661 given)",
        "31415() got an unexpected keyword argument 'a'",
        "__add__() missing \u0669 required positional arguments: 'a'",
    ],
)
def test_digits_in_no_alphabet_pass_for_names(message: str) -> None:
    shown, _ = explain(message)
    assert shown == "Your code raised TypeError at value.py, line 3, in `Value.backward`."


@pytest.mark.parametrize("name", ["add_of_2_and_3", "grad_is_22"])
def test_a_name_made_up_while_the_code_runs_is_not_shown(name: str) -> None:
    shown, _ = explain(f"name '{name}' is not defined", kind=name, builtin="NameError", function=name)
    assert shown == "Your code raised NameError at value.py, line 3."


@pytest.mark.parametrize(
    ("kind", "message", "said", "hint"),
    [
        ("NameError", "name 'exit' is not defined", "ends the program", "Take out `exit` and `quit`."),
        ("SystemExit", "done", "ends the program", "Take out `exit`, `quit` and `os._exit`."),
        ("EOFError", "EOF when reading a line", "waits for somebody to type, and nobody does", "Nobody types"),
    ],
)
def test_what_ends_the_program_or_waits_for_somebody_is_told_as_such(
    kind: str, message: str, said: str, hint: str
) -> None:
    facts = DisclosableFacts(line_count_by_file={"value.py": 90})
    shown, tried = explain_exception_with_hint(ReportedException(kind, kind, message, "value.py", 85, ""), facts)
    assert shown == f"Your code {said} at value.py, line 85."
    assert tried.startswith(hint)
