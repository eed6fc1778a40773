"""Carry out what a test can ask of the student's process, with a function for each request."""

import gc
import operator
import sys
from typing import Any

from autograder.bridge.inside import attribute_name_translation, determinism, grader_signals, package_placeholders
from autograder.bridge.inside.attribute_overrides import force_set_attribute, undo_method_overrides
from autograder.bridge.inside.container_iteration_counter import install_iteration_counter
from autograder.bridge.inside.gradient_propagation import call_local_backward, propagate_gradient
from autograder.bridge.inside.local_callbacks import (
    CallThenSetAttributeRelay,
    ReadAttributeThenCallRelay,
    WeightedGradientRelay,
)
from autograder.bridge.inside.message_channel import dumps
from autograder.bridge.inside.request_sequence_runner import run_first_request_sequences
from autograder.bridge.inside.source_runner import SourceRunner
from autograder.bridge.inside.value_codec import (
    MOST_ITEMS,
    MOST_TEXT,
    drop_all_objects,
    list_registered_submission_names,
    mark_as_passed_by_handle,
    register_submission_name,
    reserve_submission_handles,
    reset_for_test,
)

runner: SourceRunner | None = None
RECURSION_LIMIT = sys.getrecursionlimit()
FIND_NAMES = compile("find(make)", "<names>", "exec")


@determinism.use_sequential_hashes
class Node:
    """A plain object with ``_prev``, from which tests build graphs by hand.

    Students see its name in messages; ``handle_table.HARMLESS`` lists it.
    """

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev

    def __repr__(self) -> str:
        return "Node"


def _load(config: dict[str, Any]) -> list[str]:
    """Load a submission; return the report as JSON text, in pieces short enough to be sent by value."""
    global runner
    runner = SourceRunner(config)
    report = runner.run_submission()
    _begin_grading(runner, report["features"])
    gc.freeze()
    text = dumps({**report, "hangs": runner.inspector.hangs})
    return [text[start : start + MOST_TEXT] for start in range(0, len(text), MOST_TEXT)]


def reload_submission() -> None:
    """Run the submission's code again in this process; its own module starts as in a fresh process."""
    if runner is None:
        return
    sys.setrecursionlimit(RECURSION_LIMIT)
    attribute_name_translation.forget_engine_attribute_names()
    names = list_registered_submission_names()
    drop_all_objects()
    determinism.restart_numbering_for_loading()
    package_placeholders.grading = False
    printing, sys.stdout = sys.stdout, _OutputDiscarder()
    try:
        _begin_grading(runner, runner.rerun_and_list_attributes())
    finally:
        sys.stdout = printing
    reserve_submission_handles(map(_get_by_name, names))


class _OutputDiscarder:
    """Replaces standard output while the submission is run a second time, and discards what is printed."""

    def write(self, text: str) -> int:
        """Print nothing."""
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def _begin_grading(runner: SourceRunner, features: dict[str, list[str]]) -> None:
    """Prepare for tests once the submission is loaded."""
    _find_names(runner, features)
    grader_signals.install_grader_signal_handlers(runner.list_source_file_names())
    package_placeholders.grading = True
    names = (*runner.defines, *runner.also_named)
    reserve_submission_handles(_get_by_name(name) for name in names if callable(vars(runner.module).get(name)))
    determinism.end_loading(runner.objects_outlive_tests)


def _find_names(runner: SourceRunner, features: dict[str, list[str]]) -> None:
    """Find engines' own names for attributes of the handout, within the time that is left for loading."""
    for name, attributes in features.items():
        if (
            runner.makes_instances
            and "__add__" in attributes
            and not set(attribute_name_translation.ASKED_FOR).issubset(attributes)
        ):
            try:
                runner.inspector.execute_and_record_hang(
                    FIND_NAMES,
                    {
                        "find": attribute_name_translation.discover_engine_attribute_names,
                        "make": vars(runner.module)[name],
                    },
                )
            except BaseException:
                continue  # `+` does not work: a test will say so


def _get_by_name(name: str) -> Any:
    """Return what the submission defines under ``name``; its handle outlives ``reset_for_test``."""
    try:
        value = vars(runner.module)[name] if runner else None
        return register_submission_name(name, value, _made_by(value))
    except KeyError:
        raise NameError(f"name {name!r} is not defined") from None


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
        force_set_attribute(value, name, content)


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


def _made_by(kind: Any) -> Any:
    """Return the class of the objects that a class of the submission makes; most often that class itself."""
    return runner.inspector.class_of_instances.get(id(kind), kind) if runner else kind


def _is_instance(value: Any, kind: Any) -> bool:
    instance_class = _made_by(kind)
    return any(base is kind or base is instance_class for base in type(value).__mro__)


def _get_operator(name: str) -> Any:
    return getattr(operator, name)


def _begin_again() -> None:
    """Drop the current test's objects and overrides, and keep its set order, as if another test began."""
    reset_for_test(determinism.is_set_order_reversed())
    undo_method_overrides()


REQUESTS: dict[str, Any] = {
    "load": _load,
    "get": _get_by_name,
    "call": lambda target, arguments, named: target(*arguments, **named),
    "call method": lambda value, name, arguments, named: attribute_name_translation.get_attribute_by_handout_name(
        value, name
    )(*arguments, **named),
    "getattr": attribute_name_translation.get_attribute_by_handout_name,
    "called": attribute_name_translation.get_unmangled_engine_attribute_name,
    "setattr": force_set_attribute,
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
    "shares": lambda *columns: [*map(WeightedGradientRelay, *columns)],
    "watch": install_iteration_counter,
    "call back": call_local_backward,
    "pull": propagate_gradient,
    "setattrs": _set_all,
    "getattrs": lambda values, name: [
        attribute_name_translation.get_attribute_by_handout_name(value, name) for value in values
    ],
    "positions": _find_positions,
    "value": lambda value: value,
    "scripts": lambda texts, _, before_step: run_first_request_sequences(texts, REQUESTS, _begin_again, before_step),
}
