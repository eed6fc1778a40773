"""Provide what a hidden test can ask for besides operations on stand-ins: the ``student`` fixture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Literal

from autograder.bridge.inside.request_handlers import REQUESTS, make_chain
from autograder.bridge.inside.request_sequence_runner import run_request_sequences_until_timeout
from autograder.bridge.inside.submission_loading import run_and_evaluate
from autograder.bridge.objects import CallbackOrderRecorder, RecordingCallback, RequestSender, StandIn
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult, parse_sequence_result


def get_finding_repr(findings: Mapping[str, Any], finding_name: str) -> str:
    """Return the ``repr`` of the finding with a name; an empty text if there is none."""
    return repr(findings[finding_name]) if finding_name in findings else ""


class RememberedFindings(MutableMapping[str, Any]):
    """The findings of one submission's tests about it, by name.

    A look-up is reported to ``on_lookup``, because the test's next requests depend on its result. Look-ups of
    findings of the running test itself are not reported.
    """

    def __init__(self, on_lookup: Callable[[str, str], None]) -> None:
        """Start with nothing remembered.

        Args:
            on_lookup: called with a name that was looked up, and the ``repr`` of its finding, or an empty text.
        """
        self.content: dict[str, Any] = {}
        self._own_names: set[str] = set()
        self._on_lookup = on_lookup

    def start_from(self, findings: Mapping[str, Any]) -> None:
        """Remember nothing but findings of other tests."""
        self.content = dict(findings)
        self.mark_all_as_from_earlier_tests()

    def mark_all_as_from_earlier_tests(self) -> None:
        """Treat all findings so far as findings of other tests."""
        self._own_names.clear()

    def peek_repr(self, finding_name: str) -> str:
        """Return the ``repr`` of the finding with a name, or an empty text, without reporting a look-up."""
        return get_finding_repr(self.content, finding_name)

    def _look_up(self, name: str) -> None:
        if name not in self._own_names:
            self._on_lookup(name, self.peek_repr(name))

    def __getitem__(self, name: str) -> Any:
        self._look_up(name)
        return self.content[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._own_names.add(name)
        self.content[name] = value

    def __delitem__(self, name: str) -> None:
        self._own_names.add(name)
        del self.content[name]

    def __contains__(self, name: object) -> bool:
        self._look_up(str(name))
        return name in self.content

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


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


class LocalStudentProxy(StudentProxy):
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(_LocalRequestSender(names))


class _LocalRequestSender:
    """Carries out requests on the objects themselves; nothing is encoded, and an attribute has the name asked for."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._handlers: dict[str, Callable[..., Any]] = {
            **REQUESTS,
            "get": names.__getitem__,
            "run": lambda text, expressions: run_and_evaluate(text, expressions, {**names}),
            "list": list,
            "set": set,
            "chain": make_chain,
            "kept": lambda function, arguments: function(*arguments),
            "setattrs": _set_attributes,
            "scripts": self._run_sequences,
        }

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """See ``RequestSender``."""
        return self._handlers[request_name](*arguments)

    def record_remembered_lookup(self, finding_name: str, finding_repr: str) -> None:
        """Do nothing: no requests are sent ahead here."""

    def _run_sequences(self, packed_sequences: Sequence[str], _: object, before_step: Any) -> Any:
        return run_request_sequences_until_timeout(
            packed_sequences, self._handlers, lambda: None, before_step, _keep_value_and_tell_if_object
        )


def _set_attributes(values: Sequence[Any], names: Sequence[str], contents: Sequence[Any]) -> None:
    for value, name, content in zip(values, names, contents, strict=True):
        setattr(value, name, content)


def _keep_value_and_tell_if_object(value: Any) -> tuple[Any, bool]:
    return value, type(value).__module__ != "builtins"
