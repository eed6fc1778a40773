"""Keep what tests and one student's process hold of each other: objects, functions and notes by number."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Container, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograder.bridge.errors import StudentTimeout
from autograder.bridge.notes import Note
from autograder.bridge.standin import Asks, Method, StandIn, TestsFunction
from autograder.bridge.wire import Malformed, decode

FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)
MOST_OBJECTS = 300_000
"""Objects of the student's that one test may hold: more than the deepest graph of a test has."""
HARMLESS = frozenset({"function", "method", "NoneType", "Relay", "Share", "Node"})
"""Names of Python's own classes and the kit's that have no name among the built-ins."""
OF_ANOTHER_TEST = "an object of an earlier test, or of a process that is no more"


class Held:
    """Stands for objects of either side; see ``wire.References``.

    Attributes:
        named: what the submission defines, by name; these outlive a test.
        lent: whether a function of the test's was handed out.
        met: the place of the object that the test met last; those with a name come before all others.
    """

    def __init__(self, asks: Asks, names: Container[str], defines: int, look_up: Callable[[Method], StandIn]) -> None:
        """Start with nothing held.

        Args:
            asks: carries the messages of stand-ins.
            names: the names of classes that may be shown.
            defines: how many names the assignment asks for.
            look_up: asks for the object behind a method that is not called.
        """
        self.named: dict[str, StandIn] = {}
        self.lent = False
        self._asks, self._names, self._look_up = asks, names, look_up
        self._objects: dict[int, StandIn] = {}
        self._functions: dict[int, Callable[..., Any]] = {}
        self._comebacks: dict[int, TestsFunction] = {}
        self._notes: dict[int, Note] = {}
        self._numbers: dict[Any, int] = {}
        self._defines = self.met = defines
        self._noted = 0

    def forget(self) -> None:
        """Begin a test: keep nothing from the one before it but objects that have a name."""
        self._objects = {standin._number: standin for standin in self.named.values()}
        for held in (self._functions, self._comebacks, self._notes, self._numbers):
            held.clear()
        self._noted, self.lent = 0, False
        self.met = self._defines

    def refer(self, value: Any) -> dict[str, int] | None:
        """See ``References``."""
        if type(value) is StandIn:
            if self._objects.get(value._number) is not value:
                raise LookupError(OF_ANOTHER_TEST)
            return {"h": value._number}
        if type(value) is Method:
            return self.refer(self._look_up(value))
        if type(value) is Note:
            return {"n": self._number_of_note(value)}
        if type(value) is TestsFunction:
            return self.refer(value.function)
        if isinstance(value, FUNCTIONS):
            self.lent = True
            return {"c": self._number_of_function(value)}
        return None

    def handles(self, values: Sequence[Any]) -> list[int] | None:
        """See ``References``."""
        if type(values[0]) is not StandIn:
            return None
        numbers = [value._number for value in values]
        if not all(map(operator.is_, map(self._objects.get, numbers), values)):
            raise LookupError(OF_ANOTHER_TEST)
        return numbers

    def decoded(self, data: Any) -> Any:
        """Return JSON data from the student's side as a value. Raises as ``wire.decode`` does."""
        try:
            return decode(data, self.resolve, self.returned)
        except RecursionError:
            raise Malformed("containers are nested too deeply") from None

    def resolve(self, number: int, class_name: str) -> StandIn:
        """Return the stand-in for an object of the student's.

        Raises:
            Malformed: the test would hold more objects than it can.
        """
        found = self._objects.get(number)
        if found is None:
            if len(self._objects) >= MOST_OBJECTS:
                raise Malformed("more objects than a test can hold")
            self.met += 1
            found = self._objects[number] = StandIn(self._asks, number, self.shown_name(class_name), self.met)
        return found

    def shown_name(self, name: str) -> str:
        """Return a class's name as a message may show it: a name that is in no source could say anything."""
        return name if name in self._names or name in HARMLESS or hasattr(builtins, name) else "object"

    def function(self, number: int) -> Callable[..., Any]:
        """Return a function of the test's.

        Raises:
            Malformed: there is no such function.
        """
        if number not in self._functions:
            raise Malformed("a function that does not exist")
        return self._functions[number]

    def returned(self, number: int) -> TestsFunction:
        """Return a function of the test's that comes back as a value. Raises as ``function`` does."""
        found = self._comebacks.get(number)
        if found is None:
            found = self._comebacks[number] = TestsFunction(self.function(number))
        return found

    def take_notes(self, numbers: Any) -> None:
        """Call the notes that the student's code called, in this order.

        Args:
            numbers: of the notes, as they came.

        Raises:
            Malformed: they are no list of numbers of known notes.
            StudentTimeout: there are too many.
        """
        if type(numbers) is not list:
            raise Malformed("notes that are none")
        self._noted += len(numbers)
        if self._noted > MOST_OBJECTS:
            raise StudentTimeout("messages", f"it called more than {MOST_OBJECTS} functions of one test")
        for number in numbers:
            if type(number) is not int or number not in self._notes:
                raise Malformed("a note that does not exist")
            self._notes[number]()

    def _number_of_note(self, note: Note) -> int:
        number = self._numbers.get(note)
        if number is None:
            number = self._numbers[note] = len(self._notes)
            self._notes[number] = note
        return number

    def _number_of_function(self, function: Callable[..., Any]) -> int:
        number = self._numbers.get(function)
        if number is None:
            number = self._numbers[function] = len(self._functions)
            self._functions[number] = function
        return number
