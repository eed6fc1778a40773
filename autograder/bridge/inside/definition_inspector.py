"""Find out the kinds of the names that a submission must define, and which attributes its classes have."""

from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.bridge.inside.missing_package_placeholders import MissingPackagePlaceholder
from autograder.bridge.inside.timed_execution import (
    LoadTimeout,
    TimedExecution,
    ignore_time_limit_signals,
    install_time_limit_signal_handlers,
)

MAKE_INSTANCE = compile("made = make(1.0)", "<features>", "exec")
FIND_DYNAMIC_ATTRIBUTES = compile(
    "found += [n for n in looked_for if n[:2] != '__' and hasattr(made, n)]", "<features>", "exec"
)
LONGEST_NAME, MOST_ATTRIBUTES = 100, 1000


class DefinitionInspector:
    """Inspects the definitions of one module.

    Attributes:
        class_of_instances: by the id of a class, the class of what calling it makes, which may be another one.
        hangs: whether making an instance of a class, or looking at it, took too long.
    """

    def __init__(self, execution: TimedExecution, possible_attributes: list[str], *, makes_instances: bool) -> None:
        """Prepare without inspecting anything.

        Args:
            execution: has the time for making instances.
            possible_attributes: names that an instance with a ``__getattr__`` is asked for.
            makes_instances: whether classes may be called.
        """
        self._execution, self._possible_attributes = execution, possible_attributes
        self._makes_instances = makes_instances
        self.class_of_instances: dict[int, type] = {}
        self.hangs = False

    def describe_kind(self, module: ModuleType, name: str) -> str:
        """Return what a name stands for in the submission; empty when it is not defined."""
        if name not in module.__dict__:
            return ""
        value = module.__dict__[name]
        if type(value) is MissingPackagePlaceholder:
            return "missing package"
        if isinstance(value, type):
            return "class"
        if callable(value):
            return "stub" if _is_stub(value) else "function"
        return type(value).__name__[:LONGEST_NAME]

    def list_attributes(self, module: ModuleType, name: str) -> list[str]:
        """Return the attributes that a class and a fresh instance of it have, without untouched stubs."""
        value = module.__dict__.get(name)
        if not isinstance(value, type) or not self._makes_instances:
            return sorted(_collect_class_attributes(value))
        attributes = _collect_class_attributes(value)
        try:
            names: dict[str, Any] = {"make": value, "looked_for": self._possible_attributes, "found": []}
            self._execution.execute(MAKE_INSTANCE, names)
            attributes.add("__init__")  # it can be made from a number, by ``__new__`` for example
            kind = type(names["made"])
            if "__module__" in kind.__dict__:  # the student's: an abstract class makes one that is not
                self.class_of_instances[id(value)] = kind
                attributes |= _collect_class_attributes(kind)
            attributes.update(getattr(names["made"], "__dict__", ()))
            if "__getattr__" in attributes:
                self._execution.execute(FIND_DYNAMIC_ATTRIBUTES, names)
                attributes.update(names["found"])
        except BaseException as error:
            self.hangs |= isinstance(error, LoadTimeout)  # its constructor fails: a test will say so
        return _sort_and_cut(attributes)

    def execute_and_record_hang(self, code: CodeType, namespace: dict[str, Any]) -> None:
        """Execute more of the submission's code once all is loaded; note if it hangs. Raises whatever it raises."""
        install_time_limit_signal_handlers()
        try:
            self._execution.execute(code, namespace)
        except LoadTimeout:
            self.hangs = True
        finally:
            ignore_time_limit_signals()


def _collect_class_attributes(value: Any) -> set[str]:
    """Return the names that the submission's part of a class has; none for anything that is no class."""
    attributes: set[Any] = set()
    if isinstance(value, type):
        for base in reversed(_list_classes_of_submission(value)):
            for key, attribute in base.__dict__.items():
                (attributes.discard if _is_stub(attribute) else attributes.add)(key)
        constructor: Any = value.__new__
        if constructor is not object.__new__ and not any(
            "__init__" in base.__dict__ for base in _list_classes_of_submission(value)
        ):
            attributes.add("__init__")  # ``__new__`` does its work, such as a tuple's
    return {*_sort_and_cut(attributes)}


def _list_classes_of_submission(value: type) -> list[type]:
    """Return a class and those above it without Python's own, such as float: what they bring is not the student's."""
    return [base for base in value.__mro__ if "__module__" in base.__dict__]


def _is_stub(value: Any) -> bool:
    """Return whether a function does nothing but raise ``NotImplementedError``, as in the template."""
    return type(value) is FunctionType and value.__code__.co_names == ("NotImplementedError",)


def _sort_and_cut(names: set[Any]) -> list[str]:
    return sorted(name[:LONGEST_NAME] for name in names if type(name) is str)[:MOST_ATTRIBUTES]
