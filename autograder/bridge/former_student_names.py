"""Keep the former names of the ``student`` fixture's methods, which hidden suites of courses may use."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from autograder.former_names import FormerAttribute


class FormerStudentMethods:
    """The former names of the methods of ``StudentProxy`` and ``LocalStudentProxy``; each warns."""

    list = FormerAttribute("make_list")
    set = FormerAttribute("make_set")
    chain = FormerAttribute("make_plain_chain")
    make = FormerAttribute("make_all")
    kept = FormerAttribute("call_and_keep_result")
    set_all = FormerAttribute("set_attributes")
    get_all = FormerAttribute("get_attributes")
    relays = FormerAttribute("make_relays")
    readers = FormerAttribute("make_attribute_reading_relays")
    shares = FormerAttribute("make_gradient_adders")
    recorder = FormerAttribute("make_call_recorder")
    call_back = FormerAttribute("call_node_backward")
    watch = FormerAttribute("count_iterations")
    called = FormerAttribute("resolve_attribute_name")
    positions = FormerAttribute("find_positions")
    repeat = FormerAttribute("repeat_operation")
    class_name = FormerAttribute("get_class_name")

    def nodes(self: Any, operands: Sequence[Iterable[int]], container: str = "tuple") -> Sequence[Any]:
        """Warn, and do as ``make_plain_nodes``, whose ``prev_container`` is called ``container`` here."""
        _warn_of_former_name(self, "nodes", "make_plain_nodes")
        nodes: Sequence[Any] = self.make_plain_nodes(operands, container)
        return nodes

    def pull(self: Any, out: Any, upstream: float = 1.0, *, keep: bool = False, last_first: bool = False) -> None:
        """Warn, and do as ``propagate_gradient``, whose ``keep_inner_grads`` is called ``keep`` here."""
        _warn_of_former_name(self, "pull", "propagate_gradient")
        self.propagate_gradient(out, upstream, keep_inner_grads=keep, last_first=last_first)


def _warn_of_former_name(student: object, former_name: str, new_name: str) -> None:
    message = f"{type(student).__name__}.{former_name} is now called {new_name}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
