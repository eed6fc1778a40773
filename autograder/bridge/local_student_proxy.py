"""Offer the interface of ``StudentProxy`` within this process, for authors who want to use a debugger."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from autograder.bridge.callback_order_recorder import CallbackOrderRecorder
from autograder.bridge.inside.attribute_and_gradient_relays import (
    CallThenAddWeightedGradientsRelay,
    CallThenSetAttributeRelay,
    RecordAttributeThenCallRelay,
)
from autograder.bridge.inside.container_iteration_counter import make_and_install_iteration_counter
from autograder.bridge.inside.gradient_propagation_without_backward import (
    propagate_gradient,
    set_gradient_and_call_local_backward,
)
from autograder.bridge.inside.request_sequence_runner import run_request_sequences_within_time
from autograder.bridge.request_sequence_results import RequestSequenceResult, parse_sequence_result
from autograder.bridge.request_sequences import RequestSequence
from autograder.bridge.student_proxy import Container, Relayed, Share


class _LocalPlainNode:
    """An object with ``_prev``."""

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev


class LocalStudentProxy:
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names
        self.remembered: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """See ``StudentProxy.get``."""
        return self._names[name]

    def list(self, *items: Any) -> Any:
        """See ``StudentProxy.list``."""
        return [*items]

    def set(self, *items: Any) -> Any:
        """See ``StudentProxy.set``."""
        return {*items}

    def nodes(self, operands: Sequence[Iterable[int]], container: Container = "tuple") -> Any:
        """See ``StudentProxy.nodes``."""
        make: Any = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}[container]
        made: Any = []
        for indices in operands:
            made.append(_LocalPlainNode(make(made[index] for index in indices)))
        return made

    def chain(self, length: int, stride: int) -> Any:
        """See ``StudentProxy.chain``."""
        made = [_LocalPlainNode(()) for _ in range(length)]
        for step in range(1, length):
            made[stride * step % length]._prev = (made[stride * (step - 1) % length],)
        return made

    def make(self, kind: Any, arguments: Sequence[Any]) -> Sequence[Any]:
        """See ``StudentProxy.make``."""
        return [kind(argument) for argument in arguments]

    def kept(self, function: Any, *arguments: Any) -> Any:
        """See ``StudentProxy.kept``."""
        return function(*arguments)

    def set_all(self, changes: Iterable[tuple[Any, str, Any]]) -> None:
        """See ``StudentProxy.set_all``."""
        for value, name, content in changes:
            setattr(value, name, content)

    def relays(self, items: Iterable[Relayed]) -> Sequence[Any]:
        """See ``StudentProxy.relays``."""
        return [
            CallThenSetAttributeRelay(function, [*values], name, content) for function, values, name, content in items
        ]

    def readers(self, items: Iterable[tuple[Any, str, Any]]) -> Sequence[Any]:
        """See ``StudentProxy.readers``."""
        return [RecordAttributeThenCallRelay(*item) for item in items]

    def shares(self, items: Iterable[Share]) -> Sequence[Any]:
        """See ``StudentProxy.shares``."""
        return [
            CallThenAddWeightedGradientsRelay(note, node, [*below], [*weights], name)
            for note, node, below, weights, name in items
        ]

    def recorder(self) -> CallbackOrderRecorder:
        """See ``StudentProxy.recorder``."""
        return CallbackOrderRecorder()

    def call_back(self, node: Any, upstream: float) -> None:
        """See ``StudentProxy.call_back``."""
        set_gradient_and_call_local_backward(node, upstream)

    def pull(self, out: Any, upstream: float = 1.0, *, keep: bool = False, last_first: bool = False) -> None:
        """See ``StudentProxy.pull``."""
        propagate_gradient(out, upstream, keep, last_first)

    def watch(self, values: Iterable[Any], name: str, most: int) -> Any:
        """See ``StudentProxy.watch``."""
        return make_and_install_iteration_counter([*values], name, most)

    def get_all(self, values: Iterable[Any], name: str) -> Sequence[Any]:
        """See ``StudentProxy.get_all``."""
        return [getattr(value, name) for value in values]

    def called(self, name: str) -> str:
        """Return the name itself: this proxy does not look for an engine's own names."""
        return name

    def run_request_sequences_within_time(
        self, sequences: Sequence[RequestSequence], before_step: Callable[[int], None] | None = None
    ) -> Sequence[RequestSequenceResult]:
        """See ``StudentProxy.run_request_sequences_within_time``."""
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
        packed = [sequence.packed_steps for sequence in sequences]
        results = run_request_sequences_within_time(packed, requests, lambda: None, before_step, _keep_value)
        return [*map(parse_sequence_result, results)]

    def positions(self, items: Any, among: Any) -> Sequence[int]:
        """See ``StudentProxy.positions``."""
        places = {id(item): place for place, item in enumerate(among)}
        return [places.get(id(item), -1) for item in items]

    def repeat(self, operation: str, value: Any, other: Any, times: int) -> Any:
        """See ``StudentProxy.repeat``."""
        function = getattr(operator, operation)
        for _ in range(times):
            value = function(value, other)
        return value

    def repr(self, value: Any) -> str:
        """See ``StudentProxy.repr``."""
        return repr(value)

    def class_name(self, value: Any) -> str:
        """See ``StudentProxy.class_name``."""
        return type(value).__name__


def _keep_value(value: Any) -> tuple[Any, bool]:
    """Return the value itself, and whether it is an object and not plain data."""
    return value, type(value).__module__ != "builtins"
