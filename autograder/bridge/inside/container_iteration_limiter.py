"""Limit work by counting it instead of timing it, with containers that count how often they are gone through."""

from typing import Any

from autograder.bridge.inside.attribute_name_translation import translate_attribute_name


class IterationLimiter:
    """Counts how often containers are gone through, and raises in code that does it too often."""

    def __init__(self, max_count: int) -> None:
        self.count, self._max_count = 0, max_count

    def make_limiting_subclass(self, container_class: Any) -> Any:
        """Return a container class that behaves like ``container_class`` and counts how often it is gone through.

        Going through its containers more often than allowed raises RuntimeError.
        """

        def iterate(container: Any) -> Any:
            self.count += 1
            if self.count > self._max_count:
                raise RuntimeError("the container was gone through too often")
            return container_class.__iter__(container)

        def get_item(container: Any, place: Any) -> Any:
            if place == 0 or place == -1:  # who goes through it by number comes past one of these
                iterate(container)
            return container_class.__getitem__(container, place)

        namespace = {"__slots__": (), "__iter__": iterate}
        if hasattr(container_class, "__getitem__"):
            namespace["__getitem__"] = get_item
        return type(container_class.__name__, (container_class,), namespace)


def limit_iterations(student_objects: list[Any], attribute_name: str, max_iterations: int) -> IterationLimiter:
    """Replace the containers in one attribute of these objects by counting ones, which share a limit.

    See ``StudentProxy.count_iterations``.
    """
    limiter = IterationLimiter(max_iterations)
    kinds = {kind: limiter.make_limiting_subclass(kind) for kind in (tuple, list, set, frozenset)}
    for value in student_objects:
        own_name = translate_attribute_name(value, attribute_name)
        content = getattr(value, own_name)
        if type(content) in kinds:
            setattr(value, own_name, kinds[type(content)](content))
    return limiter
