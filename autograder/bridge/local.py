"""Offer the same interface as ``Student`` with no process in between, for authors who want a debugger."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from autograder.bridge.endings import Ending, ending_of
from autograder.bridge.inside.looks import watch
from autograder.bridge.inside.pulls import Share as Sharing
from autograder.bridge.inside.pulls import call_back, pull
from autograder.bridge.inside.scripts import run_all
from autograder.bridge.notes import Recorder
from autograder.bridge.scripts import Script
from autograder.bridge.student import Container, Relayed, Share


class LocalNode:
    """An object with ``_prev``."""

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev


class LocalStudent:
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self.remembered: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """See ``Student.get``."""
        return self._names[name]

    def list(self, *items: Any) -> Any:
        """See ``Student.list``."""
        return [*items]

    def set(self, *items: Any) -> Any:
        """See ``Student.set``."""
        return {*items}

    def nodes(self, operands: Sequence[Iterable[int]], container: Container = "tuple") -> Any:
        """See ``Student.nodes``."""
        make: Any = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}[container]
        made: Any = []
        for indices in operands:
            made.append(LocalNode(make(made[index] for index in indices)))
        return made

    def chain(self, length: int, stride: int) -> Any:
        """See ``Student.chain``."""
        made = [LocalNode(()) for _ in range(length)]
        for step in range(1, length):
            made[stride * step % length]._prev = (made[stride * (step - 1) % length],)
        return made

    def make(self, kind: Any, arguments: Sequence[Any]) -> Sequence[Any]:
        """See ``Student.make``."""
        return [kind(argument) for argument in arguments]

    def kept(self, function: Any, *arguments: Any) -> Any:
        """See ``Student.kept``."""
        return function(*arguments)

    def set_all(self, changes: Iterable[tuple[Any, str, Any]]) -> None:
        """See ``Student.set_all``."""
        for value, name, content in changes:
            setattr(value, name, content)

    def relays(self, items: Iterable[Relayed]) -> Sequence[Any]:
        """See ``Student.relays``."""

        def relay(
            function: Callable[[], None] | None, values: Sequence[Any], name: str, content: Any
        ) -> Callable[[], None]:
            def both() -> None:
                if function is not None:
                    function()
                for value in values:
                    setattr(value, name, content)

            return both

        return [relay(*item) for item in items]

    def shares(self, items: Iterable[Share]) -> Sequence[Any]:
        """See ``Student.shares``."""
        return [Sharing(note, node, [*below], [*weights], name) for note, node, below, weights, name in items]

    def recorder(self) -> Recorder:
        """See ``Student.recorder``."""
        return Recorder()

    def call_back(self, node: Any, upstream: float) -> None:
        """See ``Student.call_back``."""
        call_back(node, upstream)

    def pull(self, out: Any, upstream: float = 1.0, *, keep: bool = False, last_first: bool = False) -> None:
        """See ``Student.pull``."""
        pull(out, upstream, keep, last_first)

    def watch(self, values: Iterable[Any], name: str, most: int) -> Any:
        """See ``Student.watch``."""
        return watch([*values], name, most)

    def get_all(self, values: Iterable[Any], name: str) -> Sequence[Any]:
        """See ``Student.get_all``."""
        return [getattr(value, name) for value in values]

    def called(self, name: str) -> str:
        """Return the name itself: here, an engine's own names are not looked for."""
        return name

    def run_scripts(self, scripts: Sequence[Script], tell: Callable[[int], None] | None = None) -> Sequence[Ending]:
        """See ``Student.run_scripts``."""
        requests = {
            "get": self.get,
            "make": self.make,
            "op": lambda name, *operands: getattr(operator, name)(*operands),
            "call": lambda target, arguments, named: target(*arguments, **named),
            "call method": lambda value, name, arguments, named: getattr(value, name)(*arguments, **named),
            "value": lambda value: value,
            "getattrs": self.get_all,
            "list": list,
            "set": set,
            "nodes": self.nodes,
            "kept": lambda function, arguments: function(*arguments),
            "len": len,
            "positions": self.positions,
        }
        texts = [script.text for script in scripts]
        return [*map(ending_of, run_all(texts, requests, lambda: None, tell, _as_it_is))]

    def positions(self, items: Any, among: Any) -> Sequence[int]:
        """See ``Student.positions``."""
        places = {id(item): place for place, item in enumerate(among)}
        return [places.get(id(item), -1) for item in items]

    def repeat(self, operation: str, value: Any, other: Any, times: int) -> Any:
        """See ``Student.repeat``."""
        function = getattr(operator, operation)
        for _ in range(times):
            value = function(value, other)
        return value

    def repr(self, value: Any) -> str:
        """See ``Student.repr``."""
        return repr(value)

    def class_name(self, value: Any) -> str:
        """See ``Student.class_name``."""
        return type(value).__name__


def _as_it_is(value: Any) -> tuple[Any, bool]:
    """Return the value itself, and whether it is an object and not plain data."""
    return value, type(value).__module__ != "builtins"
