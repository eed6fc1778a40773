"""The same interface as ``Student`` with no process in between, for authors who want a debugger."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autograder.bridge.student import Container


class LocalNode:
    """An object with ``_prev``."""

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev


class LocalStudent:
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

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
        make: Any = {"tuple": tuple, "list": list, "set": set}[container]
        made: Any = []
        for indices in operands:
            made.append(LocalNode(make(made[index] for index in indices)))
        return made

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
