"""Carry out what a test can ask of the student's process, with a function for each request."""

import operator
from typing import Any

from autograder.bridge.inside import attribute_name_translation, determinism
from autograder.bridge.inside.attribute_overrides import patch_attribute, undo_method_overrides
from autograder.bridge.inside.container_iteration_limiter import limit_iterations
from autograder.bridge.inside.gradient_propagation import call_local_backward, propagate_gradient
from autograder.bridge.inside.local_callbacks import (
    CallThenSetAttributeRelay,
    ReadAttributeThenCallRelay,
    WeightedGradientAdder,
)
from autograder.bridge.inside.object_handles import mark_as_passed_by_handle
from autograder.bridge.inside.request_sequence_runner import run_request_sequences_until_timeout
from autograder.bridge.inside.submission_loading import (
    get_by_name,
    get_instance_class,
    load_submission,
    run_program,
)
from autograder.bridge.inside.value_codec import MOST_ITEMS, MOST_TEXT, reset_for_test


@determinism.use_sequential_hashes
class Node:
    """A plain object with ``_prev``, from which tests build graphs by hand.

    Students see its name in messages; ``handle_table.HARMLESS`` lists it.
    """

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev

    def __repr__(self) -> str:
        return "Node"


def _make_nodes(operands: list[list[int]], container: str) -> Any:
    """Return plain nodes, each with the given earlier ones as its ``_prev``."""
    make: Any = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}[container]
    nodes: list[Node] = []
    for indices in operands:
        nodes.append(Node(make([nodes[index] for index in indices])))
    return nodes


def make_chain(length: int, stride: int) -> list[Node]:
    """Return plain nodes; node ``stride * i`` (modulo the length) has node ``stride * (i - 1)`` as its ``_prev``."""
    nodes = [Node(()) for _ in range(length)]
    for step in range(1, length):
        nodes[stride * step % length]._prev = (nodes[stride * (step - 1) % length],)
    return nodes


def _set_all(values: Any, names: Any, contents: Any) -> None:
    for value, name, content in zip(values, names, contents, strict=True):
        patch_attribute(value, name, content)


def _find_positions(items: Any, among: list[Any]) -> list[int]:
    """Return where each item stands among the others, by identity; -1 for one that is not there."""
    place_by_id = {id(item): place for place, item in enumerate(among)}
    return [place_by_id.get(id(item), -1) for item in _unroll(items)]


def _repeat(name: str, value: Any, other: Any, times: int) -> Any:
    function = _get_operator(name)
    for _ in range(times):
        value = function(value, other)
    return value


def _unroll(value: Any) -> list[Any]:
    items = []
    for item in value:
        items.append(item)
        if len(items) > MOST_ITEMS:
            raise OverflowError(f"there are more than {MOST_ITEMS} items")
    return items


def _is_instance(value: Any, kind: Any) -> bool:
    instance_class = get_instance_class(kind)
    return any(base is kind or base is instance_class for base in type(value).__mro__)


def _get_operator(name: str) -> Any:
    return getattr(operator, name)


def _begin_again() -> None:
    """Drop the current test's objects and overrides, and keep its set order, as if another test began."""
    reset_for_test(determinism.is_set_order_reversed())
    undo_method_overrides()


REQUESTS: dict[str, Any] = {
    "load": load_submission,
    "get": get_by_name,
    "run": run_program,
    "call": lambda target, arguments, named: target(*arguments, **named),
    "call method": lambda value, name, arguments, named: attribute_name_translation.get_attribute_by_handout_name(
        value, name
    )(*arguments, **named),
    "getattr": attribute_name_translation.get_attribute_by_handout_name,
    "called": attribute_name_translation.get_unmangled_engine_attribute_name,
    "setattr": patch_attribute,
    "delattr": delattr,
    "op": lambda name, *operands: _get_operator(name)(*operands),
    "repeat": _repeat,
    "items": _unroll,
    "len": len,
    "bool": bool,
    "repr": lambda value: repr(value)[:MOST_TEXT],
    "isinstance": _is_instance,
    "type name": lambda value: type(value).__name__,
    "getitem": operator.getitem,
    "setitem": operator.setitem,
    "delitem": operator.delitem,
    "list": lambda items: mark_as_passed_by_handle(list(items)),
    "set": lambda items: mark_as_passed_by_handle(set(items)),
    "nodes": _make_nodes,
    "chain": lambda length, stride: mark_as_passed_by_handle(make_chain(length, stride)),
    "make": lambda kind, arguments: [kind(argument) for argument in arguments],
    "kept": lambda function, arguments: mark_as_passed_by_handle(function(*arguments)),
    "relays": lambda *columns: [*map(CallThenSetAttributeRelay, *columns)],
    "readers": lambda *columns: [*map(ReadAttributeThenCallRelay, *columns)],
    "shares": lambda *columns: [*map(WeightedGradientAdder, *columns)],
    "watch": limit_iterations,
    "call back": call_local_backward,
    "pull": propagate_gradient,
    "setattrs": _set_all,
    "getattrs": lambda values, name: [
        attribute_name_translation.get_attribute_by_handout_name(value, name) for value in values
    ],
    "positions": _find_positions,
    "value": lambda value: value,
    "scripts": lambda texts, _, before_step: run_request_sequences_until_timeout(
        texts, REQUESTS, _begin_again, before_step
    ),
}
