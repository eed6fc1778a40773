"""What a hidden test can ask for besides operations on stand-ins: the ``student`` fixture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from autograder.bridge.standin import Asks, StandIn

Container = Literal["tuple", "list", "set"]


class Student:
    """The student's process, as a test sees it. ``LocalStudent`` is the same within one process."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    def get(self, name: str) -> Any:
        """What the submission defines under ``name``."""
        return self._asks.ask("get", name)

    def list(self, *items: Any) -> Any:
        """A list that lives on the student's side, for arguments that student code changes."""
        return self._asks.ask("list", items)

    def set(self, *items: Any) -> Any:
        """A set that lives on the student's side."""
        return self._asks.ask("set", items)

    def nodes(self, operands: Sequence[Iterable[int]], container: Container = "tuple") -> list[Any]:
        """Plain objects with ``_prev``, made on the student's side.

        Args:
            operands: for each node, the positions of the earlier nodes that it uses.
            container: what ``_prev`` is.
        """
        made: list[Any] = self._asks.ask("nodes", [list(indices) for indices in operands], container)
        return made

    def repeat(self, operation: str, value: Any, other: Any, times: int) -> Any:
        """``value = value <operation> other``, ``times`` times, in one message; gives the last value."""
        return self._asks.ask("repeat", operation, value, other, times)

    def repr(self, value: Any) -> str:
        """What ``repr`` gives for a student's object."""
        return str(self._asks.ask("repr", value))

    def class_name(self, value: Any) -> str:
        """The name of a value's class; for a plain number, of the number's."""
        return str(self._asks.ask("type name", value)) if isinstance(value, StandIn) else type(value).__name__
