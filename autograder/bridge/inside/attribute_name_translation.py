"""Find an engine's own names for the handout's internals once, and use them wherever a test says the handout's.

Many correct engines keep the operands of a node in `parents` or `children`. The tests ask for `_prev`; they mean the
attribute in which `a + b` holds `a` and `b`.
"""

from types import MemberDescriptorType
from typing import Any

ASKED_FOR = ("_prev", "_backward", "_op")
CONTAINERS = (tuple, list, set, frozenset, dict)
MOST_OPERANDS = 10

called: dict[str, str] = {}
"""For each name of the handout's that this engine does not have, the engine's own."""
_with_more: set[str] = set()  # names whose containers hold tuples, such as (operand, local derivative)
_classes_with_own_names: set[int] = set()  # ids of the engine's classes


def forget_engine_attribute_names() -> None:
    """Forget the engine's own names, and call everything as the handout does."""
    called.clear()
    _with_more.clear()
    _classes_with_own_names.clear()


def translate_attribute_name(value: Any, handout_name: str) -> str:
    """Return what an attribute of the handout's is called on this object."""
    if handout_name not in called or not any(id(base) in _classes_with_own_names for base in type(value).__mro__):
        return handout_name
    return called[handout_name]


def get_attribute_by_handout_name(value: Any, handout_name: str) -> Any:
    """Read an attribute of the handout's, under the engine's own name where that is another one."""
    own_name = translate_attribute_name(value, handout_name)
    content = getattr(value, own_name)
    if own_name == handout_name or handout_name not in _with_more or content is None:
        return content
    return tuple([_node_in(item, type(value)) for item in content])


def get_unmangled_engine_attribute_name(handout_name: str) -> str:
    """Translate the name of an attribute of the handout's into the one that the engine's source writes.

    Where Python prefixed the class's name, that is ``__x`` without the prefix.
    """
    own_name = called.get(handout_name, handout_name)
    return f"__{own_name.partition('__')[2]}" if own_name[0] == "_" != own_name[1] and "__" in own_name else own_name


def discover_engine_attribute_names(value_class: Any) -> None:
    """Find out from ``a + b`` which of the handout's attributes have another name.

    Args:
        value_class: the engine's class; may raise, as may all that it makes.
    """
    a, b = value_class(2.0), value_class(3.0)
    result = a + b
    missing_names = [name for name in ASKED_FOR if not hasattr(result, name)]
    _classes_with_own_names.update(id(kind) for kind in (value_class, type(a), type(result)))
    own_names: dict[str, str] = {}
    if "_prev" in missing_names:
        kind_by_container = {
            name: kind for name, content in _list_attributes(result) if (kind := _find_container_kind(content, a, b))
        }
        node_containers = [name for name, kind in kind_by_container.items() if kind == "nodes"]
        if kind_by_container:
            own_names["_prev"] = [*node_containers, *kind_by_container][0]
            _with_more.update([] if node_containers else ["_prev"])
    if "_op" in missing_names:
        product_attributes, leaf_attributes = dict(_list_attributes(a * b)), dict(_list_attributes(a))
        texts = [(name, text) for name, text in _list_attributes(result) if type(text) is str]
        operation_names = [
            name for name, text in texts if text not in (product_attributes.get(name), leaf_attributes.get(name))
        ]
        own_names.update({"_op": operation_names[0]} if operation_names else {})
    if "_backward" in missing_names:
        backward_names = [name for name, content in _list_attributes(result) if _gives_gradient(content, result, a)]
        own_names.update({"_backward": backward_names[0]} if backward_names else {})
        for node in (a, b, result):
            node.grad = 0.0
    called.update(own_names)


def _list_attributes(value: Any) -> list[tuple[str, Any]]:
    """Return what an object itself holds, in a dict or in slots."""
    attributes = dict(getattr(value, "__dict__", ()))
    for base in type(value).__mro__:
        for name, slot in vars(base).items():
            if type(slot) is MemberDescriptorType and hasattr(value, name):
                attributes.setdefault(name, getattr(value, name))
    return [(name, content) for name, content in attributes.items() if type(name) is str]


def _find_container_kind(content: Any, a: Any, b: Any) -> str:
    """Say how a container holds these two and nothing else: ``nodes``, ``tuples`` around them, or empty if not."""
    if not isinstance(content, CONTAINERS) or not 0 < len(content) <= MOST_OPERANDS:
        return ""
    items = [*content]
    if {id(item) for item in items} == {id(a), id(b)}:
        return "nodes"
    inner_ids = {id(part) for item in items if isinstance(item, tuple) for part in item if part is a or part is b}
    all_tuples = all(isinstance(item, tuple) for item in items)
    return "tuples" if all_tuples and inner_ids == {id(a), id(b)} else ""


def _node_in(item: Any, kind: Any) -> Any:
    """Return the operand in a tuple that holds more than that."""
    parts = item if isinstance(item, tuple) else (item,)
    return next(
        (part for part in parts if any(id(base) in _classes_with_own_names for base in type(part).__mro__)), item
    )


def _gives_gradient(content: Any, result: Any, operand: Any) -> bool:
    """Return whether calling this gives an operand a gradient."""
    if not callable(content) or isinstance(content, type):
        return False
    try:
        operand.grad, result.grad = 0.0, 1.0
        content()
        return bool(operand.grad != 0)
    except Exception:
        return False
