"""Count work instead of timing it, with containers that count how often they are gone through."""

from typing import Any

from autograder.bridge.inside.attribute_name_translation import translate_attribute_name


class IterationLimiter:
    """Counts how often containers are gone through, and raises in code that does it too often."""

    def __init__(self, most: int) -> None:
        self.count, self._most = 0, most

    def make_limiting_subclass(self, container_class: Any) -> Any:
        """Return a container class that behaves like ``container_class`` and counts how often it is gone through.

        Going through its containers more often than allowed raises RuntimeError.
        """

        def look(container: Any) -> Any:
            self.count += 1
            if self.count > self._most:
                raise RuntimeError("the container was gone through too often")
            return container_class.__iter__(container)

        def look_at(container: Any, place: Any) -> Any:
            if place == 0 or place == -1:  # who goes through it by number comes past one of these
                look(container)
            return container_class.__getitem__(container, place)

        own = {"__slots__": (), "__iter__": look}
        if hasattr(container_class, "__getitem__"):
            own["__getitem__"] = look_at
        return type(container_class.__name__, (container_class,), own)


def install_iteration_counter(
    student_objects: list[Any], attribute_name: str, max_iterations: int
) -> IterationLimiter:
    """Replace the containers in one attribute of these objects by counting ones.

    See ``StudentProxy.count_iterations``.
    """
    counter = IterationLimiter(max_iterations)
    kinds = {kind: counter.make_limiting_subclass(kind) for kind in (tuple, list, set, frozenset)}
    for value in student_objects:
        own = translate_attribute_name(value, attribute_name)
        content = getattr(value, own)
        if type(content) in kinds:
            setattr(value, own, kinds[type(content)](content))
    return counter
