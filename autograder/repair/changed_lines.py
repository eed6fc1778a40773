"""Find which lines a text lost and got by the steps of a repair, whichever other steps there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

ALIKE = 0.5
"""How much of two lines is equal if the one is the other with a change."""


@dataclass(slots=True)
class ChangedLines:
    """Lines in a row that one step changes, takes out or adds."""

    step: int | None
    """The place of the step; None where the student's lines stay."""
    line: int
    """The first of the old lines, counted from 1; where lines are only added, the one above them."""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def end_line(self) -> int:
        """Return the last of the old lines."""
        return self.line + max(0, len(self.before) - 1)

    @property
    def is_added(self) -> bool:
        """Return whether the old lines stay, and others come below or above them."""
        count = len(self.before)
        return self.before in (self.after[:count], self.after[len(self.after) - count :])


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    origin: int | None
    """The line of the text that was handed in from which it comes; None where a step added it."""
    step: int | None


def list_changed_lines(source: str, texts: dict[int, str], methods: Sequence[int] = ()) -> list[ChangedLines]:
    r"""Return what each step changed of the lines of a text, from the top.

    Args:
        source: the text that was handed in.
        texts: the text after each step.
        methods: the steps of which all lines from the first to the last are one change.

    >>> [(one.line, one.before, one.after) for one in list_changed_lines("a\nb\nc\n", {0: "a\nx\nc\n"})]
    [(2, ['b'], ['x'])]
    """
    lost: dict[int, int] = {}
    lines = [_Line(text, number, None) for number, text in enumerate(_split(source))]
    for step, text in texts.items():
        lines = _follow(lines, _split(text), step, lost)
    return _merge_methods(_put_beside_old_lines(_gather(_split(source), lines, lost)), methods, _split(source))


def _split(text: str) -> list[str]:
    """Return the lines of a text; behind its last line break is none."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _follow(lines: list[_Line], texts: list[str], step: int, lost: dict[int, int]) -> list[_Line]:
    """Return the lines after a step; the student's ones that it takes out come to ``lost``."""
    after: list[_Line] = []
    matcher = SequenceMatcher(None, [line.text for line in lines], texts, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = lines[start:end], texts[new_start:new_end]
        if tag == "equal":
            after += old
        elif len(old) == len(new) and all(_is_alike(one.text, other) for one, other in zip(old, new, strict=True)):
            after += [_Line(text, one.origin, step) for one, text in zip(old, new, strict=True)]
        else:
            lost |= dict.fromkeys((one.origin for one in old if one.origin is not None), step)
            after += [_Line(text, None, step) for text in new]
    return after


def _is_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() >= ALIKE


def _gather(source: list[str], lines: list[_Line], lost: dict[int, int]) -> list[ChangedLines]:
    """Return the lines in order, in rows that one step has changed."""
    found: list[ChangedLines] = []
    place = 0

    def lose_until(stop: int, only: int | None = None) -> None:
        nonlocal place
        while place < stop and place in lost and only in (None, lost[place]):
            step = lost[place]
            if not (found and found[-1].step == step and not found[-1].after):
                found.append(ChangedLines(step, place + 1))
            found[-1].before.append(source[place])
            place += 1

    for line in lines:
        lose_until(*((len(source), line.step) if line.origin is None else (line.origin,)))
        if line.origin is not None:
            found.append(ChangedLines(line.step, line.origin + 1, [source[line.origin]], [line.text]))
            place = line.origin + 1
        elif found and found[-1].step == line.step:
            found[-1].after.append(line.text)
        else:
            found.append(ChangedLines(line.step, place, [], [line.text]))
    lose_until(len(source))
    return found


def _put_beside_old_lines(found: list[ChangedLines]) -> list[ChangedLines]:
    """Return what changed; lines that are only added come with a line above or below them that stays, if there is."""
    result: list[ChangedLines] = []
    used: set[int] = set()
    for at, lines in enumerate(found):
        above, below = found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None
        if lines.step is None:
            continue
        if lines.before:
            result.append(lines)
        elif above and above.step is None and above.line not in used:
            result.append(ChangedLines(lines.step, above.line, above.before, [*above.before, *lines.after]))
        elif below and below.step is None and not (above and above.step is None):
            used.add(below.line)
            result.append(ChangedLines(lines.step, below.line, below.before, [*lines.after, *below.before]))
        elif result:
            result[-1].after += lines.after
    return result


def _merge_methods(found: list[ChangedLines], methods: Sequence[int], source: list[str]) -> list[ChangedLines]:
    """Return what changed, where another method is one change, from its first line that changes to the last."""
    result = [one for one in found if one.step not in methods]
    for step in methods:
        parts = [one for one in found if one.step == step]
        if parts:
            result.append(_join(source, parts, [one for one in found if parts[0].line <= one.line <= parts[-1].line]))
            result = [one for one in result if one.step == step or not parts[0].line <= one.line <= parts[-1].line]
    return sorted(result, key=lambda one: one.line)


def _join(source: list[str], parts: list[ChangedLines], all_parts: list[ChangedLines]) -> ChangedLines:
    joined = ChangedLines(parts[0].step, parts[0].line)
    place = joined.line
    for part in all_parts:
        joined.before += [*source[place - 1 : part.line - 1], *part.before]
        joined.after += [*source[place - 1 : part.line - 1], *part.after]
        place = part.line + len(part.before)
    return joined
