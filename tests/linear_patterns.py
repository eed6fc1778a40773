"""Decide by structure whether a regular expression may take more than linear time on some text.

A backtracking matcher takes more than linear time where the ways to read one text grow with its length. There are two
places of the pattern, both in loops, of which one is reached from the other by a word that both loop on; or one loop
reads a word in two ways. A search begins at every character, which counts as one more loop before the pattern. Where
a place needs nothing more for the whole to match, nothing is tried again. Repeats of up to ``EXPANDED`` are written
out; longer bounded ones count as unbounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

EXPANDED = 6
COMMON = "aZe0_ \t\n\r-.,:;=+*/\\()[]{}<>\"'`#%!?@é³\u2028\x00"
"""Characters that stand for all others, beside those that the pattern names."""
END = ""
Symbols = frozenset[str]


@dataclass
class _Automaton:
    """An automaton whose places are the pattern's characters; steps between them depend on both neighbours."""

    symbols: Symbols
    reads: list[Symbols] = field(default_factory=list)
    """What each place reads."""
    after: list[int] = field(default_factory=list)
    """The node that follows each place."""
    steps: list[list[tuple[int, Symbols, Symbols]]] = field(default_factory=list)
    """For each node: further nodes, each with the characters that may stand before and after."""
    places_at: list[list[int]] = field(default_factory=list)
    _known: dict[tuple[int, str, str], dict[int, int]] = field(default_factory=dict)

    def add_node(self) -> int:
        self.steps.append([])
        self.places_at.append([])
        return len(self.steps) - 1

    def add_place(self, node: int, symbols: Symbols) -> int:
        self.reads.append(symbols)
        self.after.append(self.add_node())
        self.places_at[node].append(len(self.reads) - 1)
        return self.after[-1]

    def add_step(self, start: int, end: int, before: Symbols | None = None, then: Symbols | None = None) -> None:
        ends = self.symbols | {END}
        self.steps[start].append((end, ends if before is None else before, ends if then is None else then))

    def reach(self, node: int, before: str, then: str) -> dict[int, int]:
        """Return the nodes that are reached without reading, each with the number of ways, counted up to two."""
        ways = self._known.get((node, before, then))
        if ways is not None:
            return ways
        ways = self._known[node, before, then] = {}

        def go(node: int, taken: frozenset[tuple[int, int]]) -> None:
            ways[node] = min(2, ways.get(node, 0) + 1)
            for end, may_stand_before, may_follow in self.steps[node]:
                is_open = before in may_stand_before and then in may_follow and ways.get(end, 0) < 2
                if is_open and (node, end) not in taken:
                    go(end, taken | {(node, end)})

        go(node, frozenset())
        return ways


class _Builder:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        if isinstance(pattern, bytes):
            pattern, flags = pattern.decode("latin-1"), flags | re.ASCII
        self.tree = sre_parser.parse(pattern, flags)
        self.flags = self.tree.state.flags
        self.automaton = _Automaton(frozenset({*COMMON, *self._list_named_characters(self.tree)}))

    def _list_named_characters(self, tree: Any) -> Iterator[str]:
        for operation, value in tree:
            if operation in (sre.LITERAL, sre.NOT_LITERAL):
                yield chr(value)
            elif operation is sre.RANGE:
                yield from (chr(value[0]), chr(value[1]))
            elif operation is sre.IN:
                yield from self._list_named_characters(value)
            else:
                for part in value if isinstance(value, tuple | list) else ():
                    for tree_below in part if isinstance(part, list) else [part]:
                        if isinstance(tree_below, sre_parser.SubPattern):
                            yield from self._list_named_characters(tree_below)

    def read_set(self, operation: Any, value: Any) -> Symbols:
        """Return the characters that one place of the pattern reads."""
        every = self.automaton.symbols
        if operation is sre.LITERAL:
            same = {chr(value)} if not self.flags & re.I else {chr(value).lower(), chr(value).upper()}
            return every & same
        if operation is sre.NOT_LITERAL:
            return every - {chr(value)}
        if operation is sre.ANY:
            return every if self.flags & re.S else every - {"\n"}
        if operation is sre.RANGE:
            return frozenset(char for char in every if value[0] <= ord(char) <= value[1])
        if operation is sre.CATEGORY:
            letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
            letter = letter.upper() if "_NOT_" in str(value) else letter
            one = re.compile(f"\\{letter}", self.flags & re.ASCII)
            return frozenset(char for char in every if one.match(char))
        assert operation is sre.IN, operation
        is_negated = value[0][0] is sre.NEGATE
        found = frozenset[str]().union(*(self.read_set(*part) for part in value if part[0] is not sre.NEGATE))
        if self.flags & re.I:
            found = frozenset(char for char in every if {char.lower(), char.upper(), char} & found)
        return every - found if is_negated else found

    def _read_one_or_none(self, tree: Any) -> Symbols | None:
        """Return what a tree reads where it is one character; None where it is more."""
        tree = [*tree]
        while len(tree) == 1 and tree[0][0] in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            tree = [*(tree[0][1][3] if tree[0][0] is sre.SUBPATTERN else tree[0][1])]
        if len(tree) == 1 and tree[0][0] is sre.BRANCH:
            branches = [self._read_one_or_none(one) for one in tree[0][1][1]]
            return None if None in branches else frozenset[str]().union(*(one for one in branches if one is not None))
        if len(tree) == 1 and tree[0][0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self.read_set(*tree[0])
        return None

    def add_tree(self, tree: Any, node: int) -> int:
        for operation, value in tree:
            node = self._add(operation, value, node)
        return node

    def _add(self, operation: Any, value: Any, node: int) -> int:
        automaton = self.automaton
        if operation in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return automaton.add_place(node, self.read_set(operation, value))
        if operation is sre.GROUPREF:
            return automaton.add_place(node, automaton.symbols)
        if operation is sre.SUBPATTERN:
            return self.add_tree(value[3], node)
        if operation is sre.ATOMIC_GROUP:
            return self.add_tree(value, node)
        if operation is sre.BRANCH:
            end = automaton.add_node()
            for branch in value[1]:
                automaton.add_step(self.add_tree(branch, node), end)
            return end
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._add_repeat(*value, node=node, is_possessive=operation is sre.POSSESSIVE_REPEAT)
        end = automaton.add_node()
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            direction, body = value
            one = self._read_one_or_none(body)
            neighbours = None
            if one is not None:
                neighbours = one if operation is sre.ASSERT else (automaton.symbols | {END}) - one
            elif direction > 0:
                self.add_tree(body, node)  # looks ahead, and leads nowhere
            if direction > 0:
                automaton.add_step(node, end, then=neighbours)
            else:
                automaton.add_step(node, end, before=neighbours)
            return end
        assert operation is sre.AT, operation
        line_ends = frozenset({"\n", END})
        words = frozenset(char for char in automaton.symbols if re.match(r"\w", char, self.flags & re.ASCII))
        others = (automaton.symbols | {END}) - words
        if value in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            is_of_line = value is sre.AT_BEGINNING and self.flags & re.M
            automaton.add_step(node, end, before=line_ends if is_of_line else frozenset({END}))
        elif value in (sre.AT_END, sre.AT_END_STRING):
            automaton.add_step(node, end, then=frozenset({END}) if value is sre.AT_END_STRING else line_ends)
        elif value is sre.AT_BOUNDARY:
            automaton.add_step(node, end, words, others)
            automaton.add_step(node, end, others, words)
        else:
            automaton.add_step(node, end)
        return end

    def _add_repeat(self, least: int, most: Any, body: Any, *, node: int, is_possessive: bool) -> int:
        automaton, one = self.automaton, self._read_one_or_none(body)
        exits = (automaton.symbols | {END}) - one if is_possessive and one is not None else None
        for _ in range(min(least, EXPANDED)):
            node = self.add_tree(body, node)
        end = automaton.add_node()
        if most is not sre.MAXREPEAT and most <= EXPANDED:
            for _ in range(most - least):
                automaton.add_step(node, end, then=exits)
                node = self.add_tree(body, node)
            automaton.add_step(node, end)
            return end
        loop = automaton.add_node()
        automaton.add_step(node, loop)
        automaton.add_step(loop, end, then=exits)
        automaton.add_step(self.add_tree(body, loop), loop)
        return end


State = tuple[int, str]
"""A place, and the character that it read."""


class _Runs:
    """All ways to read texts with a pattern, as a graph of states."""

    def __init__(self, pattern: str | bytes, flags: int, method: str) -> None:
        builder = _Builder(pattern, flags)
        self._automaton = automaton = builder.automaton
        start = automaton.add_node()
        if method not in ("match", "fullmatch"):
            again = automaton.add_place(start, automaton.symbols)
            automaton.add_step(again, start)
        self._accept = builder.add_tree(builder.tree, start)
        self._must_end = method == "fullmatch"
        self._symbols = self._choose_symbols()
        self.next: dict[State, dict[str, dict[State, int]]] = {}
        waiting = [*self._go(start, END)]
        self.next_of_start = waiting
        while waiting:
            state = waiting.pop()
            if state not in self.next:
                by_symbol: dict[str, dict[State, int]] = {}
                for target, ways in self._go(automaton.after[state[0]], state[1]).items():
                    by_symbol.setdefault(target[1], {})[target] = ways
                    waiting.append(target)
                self.next[state] = by_symbol

    def _choose_symbols(self) -> list[str]:
        """Return one character of each kind that the pattern tells apart."""
        automaton = self._automaton
        conditions = [
            one for steps in automaton.steps for _, before, then in steps for one in (before, then)
        ] + automaton.reads
        kinds = {tuple(char in one for one in conditions): char for char in sorted(automaton.symbols)}
        return [*kinds.values()]

    def _go(self, node: int, before: str) -> dict[State, int]:
        found: dict[State, int] = {}
        for symbol in self._symbols:
            for reached, ways in self._automaton.reach(node, before, symbol).items():
                for place in self._automaton.places_at[reached]:
                    if symbol in self._automaton.reads[place]:
                        found[place, symbol] = min(2, found.get((place, symbol), 0) + ways)
        return found

    def _may_stop(self, state: State, then: str) -> bool:
        """Return whether the whole matches here, before a character."""
        if self._must_end and then != END:
            return False
        return self._accept in self._automaton.reach(self._automaton.after[state[0]], state[1], then)

    def find_failing(self) -> set[State]:
        """Return the states after which some text makes the whole fail."""
        failing: set[State] = set()
        ends = {
            state: [then for then in (*self._symbols, END) if not self._may_stop(state, then)] for state in self.next
        }
        while found := {
            state
            for state in self.next.keys() - failing
            if any(failing.issuperset(self.next[state].get(then, ())) for then in ends[state])
        }:
            failing |= found
        return failing

    def keeps_nothing(self, state: State, then: str) -> bool:
        """Return whether all that was read is lost where the rest does not match: no match ends here."""
        return not self._may_stop(state, then)

    def find_reachable(self) -> dict[State, set[State]]:
        """Return the states that each state leads to."""
        graph = {state: {target for targets in by.values() for target in targets} for state, by in self.next.items()}
        reachable = {}
        for state in graph:
            seen: set[State] = set()
            waiting = [*graph[state]]
            while waiting:
                one = waiting.pop()
                if one not in seen:
                    seen.add(one)
                    waiting += graph[one] - seen
            reachable[state] = seen
        return reachable


def find_superlinear_word(pattern: str | bytes, flags: int = 0, method: str = "search") -> str | None:
    r"""Return a word that, repeated, may take more than linear time; None if no word does.

    >>> find_superlinear_word(r"\s+$"), find_superlinear_word(r"(?<!\s)\s+$"), find_superlinear_word(r"\w+")
    ('\t', None, None)
    """
    runs = _Runs(pattern, flags, method)
    reachable, failing = runs.find_reachable(), runs.find_failing()
    loops = [state for state in reachable if state in reachable[state]]
    for one in {*loops} & failing:
        for symbol, targets in runs.next[one].items():
            if any(ways > 1 and one in reachable[target] for target, ways in targets.items()):
                return symbol
    for first, second in product(loops, loops):
        if first[1] == second[1] and first != second and second in failing and second in reachable[first]:
            word = _find_common_word(runs, reachable, first, second)
            if word is not None:
                return word
    return None


def _find_common_word(runs: _Runs, reachable: dict[State, set[State]], first: State, second: State) -> str | None:
    """Return a word that leads from the first to itself and to the second, and from the second to itself."""
    goal = (first, second, second)
    waiting: list[tuple[tuple[State, State, State], str]] = [((first, first, second), "")]
    seen = {waiting[0][0]}
    for (one, between, other), word in waiting:
        for symbol, targets in runs.next[other].items():
            seconds = [target for target in targets if second in reachable[target]]
            if not seconds or not runs.keeps_nothing(other, symbol):
                continue
            firsts = [target for target in runs.next[one].get(symbol, ()) if first in reachable[target]]
            betweens = [target for target in runs.next[between].get(symbol, ()) if second in reachable[target]]
            for triple in product(firsts, betweens, seconds):
                if triple == goal:
                    return word + symbol
                if triple not in seen:
                    seen.add(triple)
                    waiting.append((triple, word + symbol))
    return None
