"""Tell a repair in plain words, from the kinds of its edits and their places, for any assignment."""

from __future__ import annotations

import builtins
import math
import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby

from msgspec import structs

from autograder.edits import EditKind
from autograder.repair.model import Edit, EditDiff, Repair, diff_edit, split_lines
from autograder.text import LINE_END, choose_by_count, escape_for_sentence, format_count, join_with_and

USUAL_FILE = "value.py"
"""The file that needs no name, because students have no other."""
LONGEST_PIECE = 80
ALL_TOGETHER = "When all of them are put right, all that is asked for holds."
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
KEPT_VARIABLE = re.compile(r"\b(\w+)=\1\b")
"""A parameter that keeps what a variable is where the function is made: ``lambda a=a: f(a)``."""
CALLED = re.compile(r"\.(\w+)\(")

KIND_CLAUSES: dict[EditKind, str] = {
    "assignment": "the value is stored in the wrong way: think of the difference between `=` and `+=`",
    "operator": "an operator is used that is not the right one",
    "comparison": "two things are compared in a way that is not the right one",
    "condition": "a condition does not ask the right question",
    "constant": "a fixed value, such as a number or a text, is not the right one",
    "sign": "a sign is wrong: plus where minus is needed, or minus where plus is",
    "name": "a name or an expression is used that is not the right one",
    "attribute": "an attribute is used that is not the right one",
    "operands": "an operator has the right parts in the wrong order, or the wrong parts",
    "term": "a term or a factor is missing, or there is one too many",
    "argument": "a call gets an argument that is not the right one, one too few or one too many",
    "call": "a call is missing, or there is one too many",
    "default": "a parameter has no default value or not the right one",
    "add statement": "a statement is missing, or is not the right one",
    "remove statement": "there is a statement that should not be there",
    "move statement": "a statement is in the wrong place: it should run earlier, later, or not as often",
    "remove method": "there is a method that should not be there",
    "method": "something is not right yet",
}
"""What a line is said to have, by the kind of its change; each goes on after the place."""
CHANGE_CLAUSES: dict[EditKind, str] = {
    "condition": "the condition is {old}, and {new} is needed",
    "constant": "{old} stands where {new} is needed",
    "operands": "{old} stands where {new} is needed",
    "sign": "{old} stands where {new} is needed",
    "term": "{old} stands where {new} is needed",
    "argument": "a call gets {old} where it needs {new}",
    "default": "the default is {old} where {new} is needed",
}
ADDED_CLAUSES: dict[EditKind, str] = {
    "argument": "a call does not get {new}, which it needs",
    "call": "the call {new} is missing",
    "default": "the default {new} is missing",
    "add statement": "the statement {new} is missing",
}
REMOVED_CLAUSES: dict[EditKind, str] = {
    "argument": "a call gets {old}, which it should not get",
    "call": "the call {old} should not be there",
    "default": "there should be no default, and it is {old}",
    "remove statement": "the statement {old} should not be there",
    "remove method": "the method {old} should not be there",
}


MOST_OTHERS = 2
"""The most other changes that the staff reads of one mistake."""


@dataclass(frozen=True, slots=True)
class ToldMistake:
    """One mistake of a submission, told up to where its reader may see it."""

    title: str
    """For the staff what is wrong, for a student where it lies."""
    summary: str
    """What comes of putting it right."""
    steps: tuple[str, ...]
    """For a student, the ladder after the method: each step tells more; the last of all is the change."""
    diffs: tuple[EditDiff, ...]
    """The change, line by line; empty where the reader may not see it, or where it is another method."""
    is_for_staff: bool
    mends: tuple[str, ...]
    """Ids of the failed tests that it explains."""


def tell_mistakes(repair: Repair, failed_tests: Collection[str]) -> tuple[ToldMistake, ...]:
    """Return the mistakes that a repair mends, each in words.

    Args:
        repair: a repair, or what ``redact_repair`` left of one.
        failed_tests: ids of the failed tests that the reader knows of.
    """
    groups = _group_by_mistake(repair.edits)
    if len(groups) == 1:
        return (_tell_mistake(groups[0], repair, repair.mends, failed_tests),)
    part = structs.replace(repair, others=(), complete=False)
    mistakes = [_tell_mistake(edits, part, edits[0].mends, failed_tests) for edits in groups]
    if mistakes and repair.complete:
        summary = f"{mistakes[-1].summary} {ALL_TOGETHER}"
        mistakes[-1] = replace(mistakes[-1], summary=summary)
    return tuple(mistakes)


def _group_by_mistake(edits: Sequence[Edit]) -> tuple[tuple[Edit, ...], ...]:
    """Return edits by the mistake that they belong to: those that mend the same tests mend one mistake."""
    edits_by_mended: dict[tuple[str, ...], list[Edit]] = {}
    for edit in edits:
        edits_by_mended.setdefault(edit.mends, []).append(edit)
    return tuple(map(tuple, edits_by_mended.values()))


def say_method(edits: Sequence[Edit], *alternatives: Sequence[Edit]) -> str:
    """Say in which methods a mistake lies, or may lie.

    >>> edit = Edit(file="value.py", line=31, end_line=31, before="", after="", kind="name", function="Value.__mul__")
    >>> say_method([edit])
    'Something in `Value.__mul__` is not right yet'
    """
    return f"Something in {_list_methods([edits, *alternatives], 'or')} is not right yet"


def say_line(edits: Sequence[Edit]) -> str:
    """Say which lines to look at, as in "Look at line 31, in `__mul__`."."""
    return f"Look at {_format_places(edits)}."


def _say_kind(edits: Sequence[Edit]) -> str:
    """Say which lines to look at, and what kind of thing is wrong there."""
    return " ".join(f"Look at {_format_place(edit)}, where {KIND_CLAUSES[edit.kind]}." for edit in edits if edit.kind)


def say_change(edits: Sequence[Edit], *, is_complete: bool = True) -> str:
    """Say what has to change: "In line 31, inside `__mul__`, `self.grad` is used where `out.grad` is needed."."""
    moved = _say_move([edit for edit in edits if edit.kind == "move statement"])
    rest = [edit for edit in edits if not (moved and edit.kind == "move statement")]
    same_changes = groupby(rest, lambda edit: (edit.kind, edit.function, _format_change(edit), edit.after and 1))
    told = [_say_edit(*group, is_complete=is_complete) for group in (list(group) for _, group in same_changes)]
    return " ".join([*moved, *told])


def _say_move(edits: Sequence[Edit]) -> list[str]:
    """Say where a statement belongs that stands elsewhere; nothing where it is not as simple as that."""
    starts = [edit for edit in edits if _split_move(edit)[0] and not _split_move(edit)[1]]
    ends = [edit for edit in edits if _split_move(edit)[1] and not _split_move(edit)[0]]
    if len(edits) != 2 or not starts or not ends or _split_move(starts[0])[0] != _split_move(ends[0])[1]:
        return []
    edit, side = starts[0], _choose_preposition(ends[0]).lower()
    inside = f", inside {_quote(_get_method(edit, with_class=False))}," if edit.function else ","
    where = f"In {_format_lines([edit])}{_format_file(edit)}{inside}"
    statement, place = _quote("\n".join(_split_move(edit)[0])), f"{side} {_format_lines([ends[0]])}"
    return [f"{where} {statement} is in the wrong place: it belongs {place}."]


def _split_move(edit: Edit) -> tuple[list[str], list[str]]:
    """Return the lines that go, and those that come."""
    before, after = split_lines(edit.before), split_lines(edit.after)
    gone = [line.strip() for line in before if line not in after]
    return gone, [line.strip() for line in after if line not in before]


def _say_other(edits: Sequence[Edit]) -> str:
    """Say where another change would do as well."""
    comma = "," if edits[-1].function else ""
    return f"A change of {_format_places(edits)}{comma} would do as well."


def say_what_it_mends(
    mends: Collection[str],
    failed_tests: Collection[str],
    *,
    is_complete: bool,
    is_for_staff: bool = False,
    shows_change: bool = True,
) -> str:
    """Say how much of what fails a change mends.

    >>> say_what_it_mends(["a", "b"], ["a", "b", "c"], is_complete=False, is_for_staff=True)
    'This mends 2 of 3 failed tests.'
    >>> say_what_it_mends(["a", "b"], ["a", "b"], is_complete=True)
    'Put it right, and all that is asked for holds.'
    """
    if is_complete:
        start = f"With {'this' if shows_change else 'another one'}," if is_for_staff else "Put it right, and"
        return f"{start} all that is asked for holds."
    start = f"{'This' if shows_change else 'Another one'} mends" if is_for_staff else "Putting it right mends"
    known = {*mends} & {*failed_tests}
    if len(known) < len({*mends}):  # a student who does not see the tests is not told how many there are
        return f"{start} a part of what fails."
    return f"{start} {len(known)} of {format_count(len({*failed_tests}), 'failed test')}."


def _tell_mistake(
    edits: Sequence[Edit], repair: Repair, mends: tuple[str, ...], failed_tests: Collection[str]
) -> ToldMistake:
    level, is_for_staff = repair.shown_to, repair.shown_to == "staff"
    summary = say_what_it_mends(
        mends,
        failed_tests,
        is_complete=repair.complete,
        is_for_staff=is_for_staff,
        shows_change=any(edit.kind != "method" for edit in edits),
    )
    said = say_change(edits, is_complete=repair.complete) if level in ("staff", "change") else ""
    if is_for_staff:
        others = [words for one in repair.others if (words := say_change(one)) != said]
        more = [f"Another change that would do: {words}" for words in dict.fromkeys(others)][:MOST_OTHERS]
        return ToldMistake(said, " ".join([summary, *more]), (), _list_diffs(edits), is_for_staff, mends)
    title = say_method(edits, *repair.others)
    if level == "method":
        return ToldMistake(title, summary, (), (), is_for_staff, mends)
    line = " ".join(dict.fromkeys([say_line(edits), *map(_say_other, repair.others)]))
    kind = (_say_kind(edits),) if level != "line" else ()
    change, diffs = ((said,), _list_diffs(edits)) if said else ((), ())
    return ToldMistake(title, summary, (line, *kind, *change), diffs, is_for_staff, mends)


def _list_diffs(edits: Sequence[Edit]) -> tuple[EditDiff, ...]:
    return tuple(diff_edit(edit).remove_indent() for edit in edits if edit.kind != "method")


def _say_edit(edit: Edit, *same: Edit, is_complete: bool) -> str:
    if edit.kind == "method" and not edit.function and (found := DEFINED.search(edit.new)):
        return f"Below line {edit.line}{_format_file(edit)}, the method {_quote(found[1])} is missing."
    if edit.kind == "method":
        name = _quote(_get_method(edit, with_class=False) or edit.file)
        start, end = ("The", "everything else holds") if is_complete else ("A", "more of the tests pass")
        below = "below " * (_choose_preposition(edit) == "Below")
        lines = f"{below}{_format_lines([edit])}{_format_file(edit)}"
        helpers = [_quote(helper) for helper in _list_helpers(edit)]
        called = f", or in {join_with_and(helpers)}, which {name} calls" if helpers else ""
        return f"{start} mistake lies somewhere in {name}, {lines}{called}: with another {name} {end}."
    is_inside = edit.function and edit.kind != "remove method"
    inside = f", inside {_quote(_get_method(edit, with_class=False))}," if is_inside else ","
    lines = _format_lines([edit, *same])
    change = f"{_format_change(edit)}{_say_lines_below(edit)}"
    return f"{_choose_preposition(edit)} {lines}{_format_file(edit)}{inside} {change}."


def _say_lines_below(edit: Edit) -> str:
    """Say what is added below a line that changes itself."""
    first, *more = split_lines(edit.after) or [""]
    is_said = edit.line < edit.end_line or edit.kind in ("move statement", "default")
    if is_said or not more or _choose_preposition(edit) != "In":
        return ""
    where = "it" if _measure_indent(more[0]) >= _measure_indent(first) else "its block"
    return f", and below {where} {_quote(chr(10).join(more))}"


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _list_helpers(edit: Edit) -> list[str]:
    """Return the student's functions that a method calls and another one does not: the mistake may lie in them."""
    own = {*DEFINED.findall(edit.before), *chain(*map(dir, (builtins, list, set, dict, str, bytes, deque, math)))}
    called = [name for name in CALLED.findall(edit.before) if name not in own and not name[0].isupper()]
    return [name for name in dict.fromkeys(called) if not re.search(rf"\b{name}\b", edit.after)]


def _choose_preposition(edit: Edit) -> str:
    """Return where something changes: in a line, or below or above it where lines are only added."""
    if edit.after.startswith(f"{edit.before}\n"):
        return "Below"
    return "Above" if edit.after.endswith(f"\n{edit.before}") else "In"


def _format_change(edit: Edit) -> str:
    """Return what is to change, with both pieces where there are two."""
    assert edit.kind
    old, new = edit.old.strip(), edit.new.strip()
    if edit.kind == "move statement":
        return _format_move(edit)
    if edit.kind == "default" and KEPT_VARIABLE.search(new) and not KEPT_VARIABLE.search(old):
        return f"{_quote(old)} reads its variables when it is called, not when it is made: {_quote(new)} keeps them"
    if edit.kind == "default" and edit.new == "None" and "\n" in edit.after:
        return f"the default {_quote(old)} is made once, and all calls share it"
    if edit.kind == "remove method" and (found := DEFINED.search(edit.old) or DEFINED.search(edit.before)):
        old = found[1]
    if old and new and edit.kind == "condition" and new in ("True", "False"):
        how = "always" if new == "True" else "never"
        return f"what depends on {_quote(old)} should {how} be done"
    if old and new:
        is_expression = edit.kind != "condition" or "\n" not in old
        clause = CHANGE_CLAUSES.get(edit.kind if is_expression else "name", "{old} is used where {new} is needed")
    elif new:
        clause = ADDED_CLAUSES.get(
            edit.kind if _choose_preposition(edit) == "In" else "add statement", "{new} is missing"
        )
    elif old and not edit.after and edit.kind != "remove method":
        clause = REMOVED_CLAUSES["remove statement"]
    elif old:
        clause = REMOVED_CLAUSES.get(edit.kind, "{old} should not be there")
    else:
        clause = KIND_CLAUSES[edit.kind]
    if old and new and _quote(old) == _quote(new):
        return f"what begins with {_quote(old)} needs a change"
    return clause.format(old=_quote(old), new=_quote(new))


def _format_move(edit: Edit) -> str:
    """Return where a statement belongs, of the lines that it leaves or goes to."""
    gone, come = _split_move(edit)
    if gone == come and gone:
        return f"{_quote(chr(10).join(gone))} belongs into another block: it needs another indentation"
    if gone and come:
        return f"{_quote(chr(10).join(gone))} stands where {_quote(chr(10).join(come))} belongs"
    if come:
        return f"{_quote(chr(10).join(come))} should stand"
    return f"{_quote(chr(10).join(gone) or edit.old)} is in the wrong place"


def _quote(text: str) -> str:
    """Return a piece of code as code on one line; of several lines, the first."""
    first, *more = LINE_END.split(text)
    piece = escape_for_sentence(first.strip().expandtabs(1), LONGEST_PIECE)
    return f"`{piece} ...`" if more else f"`{piece}`"


def _format_places(edits: Sequence[Edit]) -> str:
    """Return the places of edits: ``lines 31 and 33, in `__mul__`, and line 40, in `backward```."""
    places = [
        _format_place(*group)
        for group in (list(group) for _, group in groupby(edits, lambda edit: (edit.file, _get_method(edit))))
    ]
    return ", and ".join(places)


def _format_place(*edits: Edit) -> str:
    """Return the lines of edits in one method: ``line 31, in `__mul__```."""
    method = f", in {_quote(_get_method(edits[0], with_class=False))}" if edits[0].function else ""
    return f"{_format_lines(edits)}{_format_file(edits[0])}{method}"


def _format_lines(edits: Sequence[Edit]) -> str:
    """Return the numbers of lines: ``line 31``, ``lines 31 and 33``, ``lines 40 to 52``."""
    spans = dict.fromkeys((edit.line, edit.end_line) for edit in edits)
    numbers = [str(first) if first == last else f"{first} to {last}" for first, last in spans]
    is_one = len(numbers) == 1 and all(first == last for first, last in spans)
    return f"{choose_by_count(is_one, 'line', 'lines')} {join_with_and(numbers)}"


def _format_file(edit: Edit) -> str:
    return "" if edit.file == USUAL_FILE else f" of {escape_for_sentence(edit.file, LONGEST_PIECE)}"


def _list_methods(groups: Sequence[Sequence[Edit]], conjunction: str) -> str:
    """Return the methods of edits: ``Value.__mul__``, or what stands outside of all."""
    names = dict.fromkeys(
        _quote(_get_method(edit)) if edit.function else f"the lines outside of all functions{_format_file(edit)}"
        for edits in groups
        for edit in edits
    )
    *first, last = names
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def _get_method(edit: Edit, *, with_class: bool = True) -> str:
    """Return the method around an edit, without functions inside of it: ``Value.__mul__`` of ``Value.__mul__.step``.

    Args:
        edit: the edit.
        with_class: whether its class is named; beside the number of a line it need not be.
    """
    names = edit.function.split(".")
    is_class = len(names) > 1 and (names[0][:1].isupper() or names[1].startswith("__"))
    return ".".join(names[:2] if with_class else names[1:2]) if is_class else names[0]
