"""Provide what a hidden test can ask for besides operations on stand-ins: the ``student`` fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from autograder.bridge.callback_order_recorder import CallbackOrderRecorder, RecordingCallback
from autograder.bridge.remembered_findings import RememberedFindings
from autograder.bridge.request_sequence_results import RequestSequenceResult, parse_sequence_result
from autograder.bridge.request_sequences import PackedRequests
from autograder.bridge.student_object_stand_ins import RequestSender, StandIn

Container = Literal["tuple", "list", "set", "frozenset"]
Relayed = tuple[Callable[[], None] | None, Sequence[Any], str, Any]
Share = tuple[RecordingCallback, Any, Sequence[Any], Sequence[float], str]


class StudentProxy:
    """The ``student`` fixture: the whole process of the student, as a hidden test sees it.

    Stand-ins represent its single objects. ``LocalStudentProxy`` has the same interface within one process.
    """

    def __init__(self, request_sender: RequestSender) -> None:
        self._request_sender = request_sender
        self.remembered = RememberedFindings(request_sender.record_remembered_lookup)
        """What the tests of one submission find out about it once; must not depend on which test asks first."""

    def get(self, name: str) -> Any:
        """Return what the submission defines under ``name``."""
        return self._request_sender.send_request("get", name)

    def run(self, program: str, *expressions: str) -> Sequence[Any]:
        """Run a program on the student's side, with the submission's names; return what expressions give after it.

        Nothing but the program holds its objects: what it drops is gone, as when a student runs it. Write into the
        program what is to be computed, and no answer: ``student.run("a = Value(3.0); b = a + a", "b.data")``.
        """
        results: Sequence[Any] = self._request_sender.send_request("run", program, [*expressions])
        return results

    def make_list(self, *items: Any) -> Any:
        """Return a list that lives on the student's side, for arguments that student code changes."""
        return self._request_sender.send_request("list", items)

    def make_set(self, *items: Any) -> Any:
        """Return a set that lives on the student's side."""
        return self._request_sender.send_request("set", items)

    def make_plain_nodes(
        self, operands: Sequence[Iterable[int]], prev_container: Container = "tuple"
    ) -> Sequence[Any]:
        """Make plain objects with ``_prev`` on the student's side.

        Args:
            operands: for each node, the positions of the earlier nodes that it uses.
            prev_container: what ``_prev`` is.
        """
        nodes: Sequence[Any] = self._request_sender.send_request(
            "nodes", [list(indices) for indices in operands], prev_container
        )
        return nodes

    def make_plain_chain(self, length: int, stride: int) -> Any:
        """Make a list of plain nodes on the student's side, each with one other as ``_prev``, in an opaque order.

        Args:
            length: the number of nodes.
            stride: has no divisor in common with ``length``. The ``_prev`` of node ``stride * i % length`` is node
                ``stride * (i - 1) % length``; node 0 has none.
        """
        return self._request_sender.send_request("chain", length, stride)

    def make_all(self, kind: Any, arguments: Sequence[Any]) -> Sequence[Any]:
        """Return ``[kind(argument) for argument in arguments]``, made in one message."""
        results: Sequence[Any] = self._request_sender.send_request("make", kind, [*arguments])
        return results

    def call_and_keep_result(self, function: Any, *arguments: Any) -> Any:
        """Return the result of a call, left on the student's side even if it is plain data, such as a long list."""
        return self._request_sender.send_request("kept", function, [*arguments])

    def set_attributes(self, changes: Iterable[tuple[Any, str, Any]]) -> None:
        """Set the attribute of each (object, name, value), in one message."""
        columns = [*zip(*changes, strict=True)]
        if columns:
            self._request_sender.send_request("setattrs", *columns)

    def make_relays(self, items: Iterable[Relayed]) -> Sequence[Any]:
        """Make callables for the student's code, one for each (function, objects, name, value).

        When called, each calls the test's function and then sets the attribute on the objects, all in one message. If
        the function is None, it sets the attribute without any message.
        """
        return self._send_columns("relays", items)

    def make_attribute_reading_relays(self, items: Iterable[tuple[Any, str, Any]]) -> Sequence[Any]:
        """Make callables for the student's code, one for each (object, name, relay).

        When called, each records the current value of the object's attribute, then calls the relay; see
        ``make_relays``. Its ``found`` is the list of the recorded values.
        """
        return self._send_columns("readers", items)

    def make_gradient_adders(self, items: Iterable[Share]) -> Sequence[Any]:
        """Make callables for the student's code, one for each (callback, node, operands, weights, name).

        When called, each calls the callback of a ``CallbackOrderRecorder``, then adds to one attribute of each
        operand its weight times the node's own.
        """
        return self._send_columns("shares", items)

    def _send_columns(self, request: str, items: Iterable[tuple[Any, ...]]) -> Sequence[Any]:
        """Send a request with one column for each part of the items: things of one kind travel faster together."""
        columns = [*zip(*items, strict=True)]
        results: Sequence[Any] = self._request_sender.send_request(request, *columns) if columns else []
        return results

    def make_call_recorder(self) -> CallbackOrderRecorder:
        """Return a recorder of the order of calls; see ``CallbackOrderRecorder``."""
        return CallbackOrderRecorder()

    def call_node_backward(self, node: Any, upstream: float) -> None:
        """Put a gradient on one node and call its ``_backward``, in one message."""
        self._request_sender.send_request("call back", node, upstream)

    def propagate_gradient(
        self, out: Any, upstream: float = 1.0, *, keep_inner_grads: bool = False, last_first: bool = False
    ) -> None:
        """Send a gradient down from a result without ``backward``, in one message.

        This goes through every node below that has operands, users first, and calls its ``_backward``. So an
        operation may be built from others.

        Args:
            out: the result.
            upstream: its gradient.
            keep_inner_grads: leave the gradients of the nodes in between as they are, instead of starting them at
                zero.
            last_first: go into the last operand of each node first: another valid order.
        """
        self._request_sender.send_request("pull", out, upstream, keep_inner_grads, last_first)

    def count_iterations(self, objects: Iterable[Any], attribute_name: str, max_count: int) -> Any:
        """Count how often the containers in one attribute of these objects are gone through, all together.

        This measures work; a clock would depend on the machine.

        Args:
            objects: the objects; each one's tuple, list, set or frozenset is replaced by one that counts.
            attribute_name: the attribute.
            max_count: code that goes through them more often gets a ``RuntimeError``.

        Returns:
            An object whose ``count`` says how often so far.
        """
        return self._request_sender.send_request("watch", [*objects], attribute_name, max_count)

    def get_attributes(self, objects: Iterable[Any], attribute_name: str) -> Sequence[Any]:
        """Return one attribute of each object, in one message."""
        attributes: Sequence[Any] = self._request_sender.send_request("getattrs", [*objects], attribute_name)
        return attributes

    def resolve_attribute_name(self, name: str) -> str:
        """Return the engine's own name for an attribute of the handout, such as ``parents`` for ``_prev``."""
        return str(self._request_sender.send_request("called", name))

    def run_request_sequences_until_timeout(
        self, sequences: Sequence[PackedRequests], before_step: Callable[[int], None] | None = None
    ) -> Sequence[RequestSequenceResult]:
        """Carry out request sequences in one message, each with nothing left of the one before it.

        Args:
            sequences: in their order.
            before_step: called with the number of each step just before it; one more message for each.

        Returns:
            The results in order. If they took long, only those of the first sequences, at least one.
        """
        results = self._request_sender.send_request(
            "scripts",
            [sequence.packed_steps for sequence in sequences],
            [sequence.reading_lengths for sequence in sequences],
            before_step,
        )
        return [*map(parse_sequence_result, results)]

    def find_positions(self, items: Any, among: Any) -> Sequence[int]:
        """Return where each item stands among the others, by identity; -1 for one that is not there."""
        places: Sequence[int] = self._request_sender.send_request("positions", items, among)
        return places

    def repeat_operation(self, operation: str, value: Any, other: Any, times: int) -> Any:
        """Do ``value = value <operation> other`` ``times`` times, in one message; return the last value."""
        return self._request_sender.send_request("repeat", operation, value, other, times)

    def repr(self, value: Any) -> str:
        """Return what ``repr`` gives for a student's object."""
        return str(self._request_sender.send_request("repr", value))

    def get_class_name(self, value: Any) -> str:
        """Return the name of a value's class, for a student's object as for a plain number."""
        if isinstance(value, StandIn):
            return str(self._request_sender.send_request("type name", value))
        return type(value).__name__
