"""Offer the interface of ``StudentProxy`` within this process, for authors who want to use a debugger."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from autograder.bridge.callback_order_recorder import CallbackOrderRecorder
from autograder.bridge.former_student_names import FormerStudentNames
from autograder.bridge.inside.container_iteration_counter import install_iteration_counter
from autograder.bridge.inside.gradient_propagation import (
    call_local_backward,
    propagate_gradient,
)
from autograder.bridge.inside.local_callbacks import (
    CallThenSetAttributeRelay,
    ReadAttributeThenCallRelay,
    WeightedGradientRelay,
)
from autograder.bridge.inside.request_sequence_runner import run_first_request_sequences
from autograder.bridge.request_sequence_results import RequestSequenceResult, parse_sequence_result
from autograder.bridge.request_sequences import PackedRequests
from autograder.bridge.student_proxy import Container, Relayed, Share


class _LocalPlainNode:
    """An object with ``_prev``."""

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev


class LocalStudentProxy(FormerStudentNames):
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self.remembered: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """See ``StudentProxy.get``."""
        return self._names[name]

    def make_list(self, *items: Any) -> Any:
        """See ``StudentProxy.make_list``."""
        return [*items]

    def make_set(self, *items: Any) -> Any:
        """See ``StudentProxy.make_set``."""
        return {*items}

    def make_plain_nodes(self, operands: Sequence[Iterable[int]], prev_container: Container = "tuple") -> Any:
        """See ``StudentProxy.make_plain_nodes``."""
        make: Any = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}[prev_container]
        nodes: Any = []
        for indices in operands:
            nodes.append(_LocalPlainNode(make(nodes[index] for index in indices)))
        return nodes

    def make_plain_chain(self, length: int, stride: int) -> Any:
        """See ``StudentProxy.make_plain_chain``."""
        nodes = [_LocalPlainNode(()) for _ in range(length)]
        for step in range(1, length):
            nodes[stride * step % length]._prev = (nodes[stride * (step - 1) % length],)
        return nodes

    def make_all(self, kind: Any, arguments: Sequence[Any]) -> Sequence[Any]:
        """See ``StudentProxy.make_all``."""
        return [kind(argument) for argument in arguments]

    def call_and_keep_result(self, function: Any, *arguments: Any) -> Any:
        """See ``StudentProxy.call_and_keep_result``."""
        return function(*arguments)

    def set_attributes(self, changes: Iterable[tuple[Any, str, Any]]) -> None:
        """See ``StudentProxy.set_attributes``."""
        for value, name, content in changes:
            setattr(value, name, content)

    def make_relays(self, items: Iterable[Relayed]) -> Sequence[Any]:
        """See ``StudentProxy.make_relays``."""
        return [
            CallThenSetAttributeRelay(function, [*values], name, content) for function, values, name, content in items
        ]

    def make_attribute_recorders(self, items: Iterable[tuple[Any, str, Any]]) -> Sequence[Any]:
        """See ``StudentProxy.make_attribute_recorders``."""
        return [ReadAttributeThenCallRelay(*item) for item in items]

    def make_gradient_adders(self, items: Iterable[Share]) -> Sequence[Any]:
        """See ``StudentProxy.make_gradient_adders``."""
        return [
            WeightedGradientRelay(note, node, [*operands], [*weights], name)
            for note, node, operands, weights, name in items
        ]

    def make_call_recorder(self) -> CallbackOrderRecorder:
        """See ``StudentProxy.make_call_recorder``."""
        return CallbackOrderRecorder()

    def call_node_backward(self, node: Any, upstream: float) -> None:
        """See ``StudentProxy.call_node_backward``."""
        call_local_backward(node, upstream)

    def propagate_gradient(
        self, out: Any, upstream: float = 1.0, *, keep_inner_grads: bool = False, last_first: bool = False
    ) -> None:
        """See ``StudentProxy.propagate_gradient``."""
        propagate_gradient(out, upstream, keep_inner_grads, last_first)

    def count_iterations(self, values: Iterable[Any], name: str, max_count: int) -> Any:
        """See ``StudentProxy.count_iterations``."""
        return install_iteration_counter([*values], name, max_count)

    def get_attributes(self, values: Iterable[Any], name: str) -> Sequence[Any]:
        """See ``StudentProxy.get_attributes``."""
        return [getattr(value, name) for value in values]

    def resolve_attribute_name(self, name: str) -> str:
        """Return the name itself: this proxy does not look for an engine's own names."""
        return name

    def run_first_request_sequences(
        self, sequences: Sequence[PackedRequests], before_step: Callable[[int], None] | None = None
    ) -> Sequence[RequestSequenceResult]:
        """See ``StudentProxy.run_first_request_sequences``."""
        requests = {
            "get": self.get,
            "make": self.make_all,
            "op": lambda name, *operands: getattr(operator, name)(*operands),
            "call": lambda target, arguments, keywords: target(*arguments, **keywords),
            "call method": lambda value, name, arguments, keywords: getattr(value, name)(*arguments, **keywords),
            "value": lambda value: value,
            "getattrs": self.get_attributes,
            "list": list,
            "set": set,
            "nodes": self.make_plain_nodes,
            "kept": lambda function, arguments: function(*arguments),
            "len": len,
            "positions": self.find_positions,
        }
        packed = [sequence.packed_steps for sequence in sequences]
        results = run_first_request_sequences(packed, requests, lambda: None, before_step, _keep_value)
        return [*map(parse_sequence_result, results)]

    def find_positions(self, items: Any, among: Any) -> Sequence[int]:
        """See ``StudentProxy.find_positions``."""
        places = {id(item): place for place, item in enumerate(among)}
        return [places.get(id(item), -1) for item in items]

    def repeat_operation(self, operation: str, value: Any, other: Any, times: int) -> Any:
        """See ``StudentProxy.repeat_operation``."""
        function = getattr(operator, operation)
        for _ in range(times):
            value = function(value, other)
        return value

    def repr(self, value: Any) -> str:
        """See ``StudentProxy.repr``."""
        return repr(value)

    def get_class_name(self, value: Any) -> str:
        """See ``StudentProxy.get_class_name``."""
        return type(value).__name__


def _keep_value(value: Any) -> tuple[Any, bool]:
    """Return the value itself, and whether it is an object and not plain data."""
    return value, type(value).__module__ != "builtins"
