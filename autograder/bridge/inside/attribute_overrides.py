"""Set attributes and override methods from outside, even where a class makes them read-only.

Such is a method beside `__slots__`.
"""

from typing import Any

from autograder.bridge.inside.attribute_name_translation import translate_attribute_name

_changes: list[tuple[Any, str, Any]] = []
ABSENT = object()


class _PerObjectOverrideDescriptor:
    """Replaces a method or property in a class; an object with an override of its own gives that override."""

    def __init__(self, original: Any) -> None:
        self.original = original
        self.given: dict[int, tuple[Any, Any]] = {}

    def __get__(self, value: Any, kind: Any = None) -> Any:
        if id(value) in self.given:
            return self.given[id(value)][1]
        get = getattr(type(self.original), "__get__", None)
        return self.original if get is None else get(self.original, value, kind)

    def __set__(self, value: Any, content: Any) -> None:
        self.given[id(value)] = (value, content)


def patch_attribute(target: Any, name: str, new_value: Any) -> None:
    """Set an attribute under the engine's own name.

    A callable also replaces one that cannot be set, until ``undo_method_overrides``.
    """
    name = translate_attribute_name(target, name)
    try:
        setattr(target, name, new_value)
    except AttributeError:
        kind = type(target)
        original = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), ABSENT)
        if original is ABSENT or not callable(new_value) or not callable(getattr(target, name)):
            raise
        class_attribute = vars(kind).get(name, ABSENT)
        try:
            setattr(kind, name, _PerObjectOverrideDescriptor(original))
        except Exception:
            pass  # the class cannot be changed either: raise the object's own error
        else:
            _changes.append((kind, name, class_attribute))
            setattr(target, name, new_value)
            return
        raise


def undo_method_overrides() -> None:
    """Undo what ``patch_attribute`` changed in classes."""
    while _changes:
        kind, name, class_attribute = _changes.pop()
        if class_attribute is ABSENT:
            delattr(kind, name)
        else:
            setattr(kind, name, class_attribute)
