"""Make what the student's code does depend on its text alone: hashes and ids are counted out.

A set is ordered by the hashes of its members, and an object's hash is its address. So an engine that keeps its
operands in a set would behave differently at every run. Here objects of the submission's classes get numbers as
hashes, in the order in which they are first hashed, and the count starts anew with every test. Any order is legal, so
a test may ask for the opposite one: numbers that fall instead of rising. In a table of any size (a power of two) they
lie in exactly the reverse order.

Not covered, since CPython leaves no way to: hashes of functions, lambdas, bound methods and classes; classes that
``type()`` makes, apart from those that the assignment asks for; ``id`` of anything but the submission's objects;
clocks.
"""

import _weakref
import builtins
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from types import FunctionType
from typing import Any

from autograder.bridge.inside.repeatable_random import (
    get_repeatable_bytes,
    import_and_fix_random,
    seed_random_generators,
)

LAST = (1 << 28) - 1  # the first number where they fall
IDS, IDS_OF_A_TEST = 1 << 56, 1 << 32  # ids are beyond all addresses, and those of two tests differ
MOST_GARBAGE = 150_000  # objects made since the last search for cycles: between tests, it is searched for more

_get_address = id
_original_build_class = builtins.__build_class__
_object_hash: Any = object.__hash__
_number_by_address: dict[int, int] = {}  # numbers of the objects of this test, by address
_held_objects: list[Any] = []  # the objects themselves: while they are held, no other object gets their addresses
_older_ids: dict[int, int] = {}  # of those that had a number before this test, by address
_kept_entries: dict[int, Any] = {}  # of loading and of earlier tests: (reference, number, id)
_test_count = 0
_given_count = 0
_after_loading = 0
_before_loading = (0, 0)  # numbers that were given, and classes that were counted
_gives_falling_numbers = False
_watched_by_address: dict[int, Any] = {}  # weak references to objects that nothing is held of
_free_counts: list[int] = []  # of watched objects that are gone, as a heap
_holds_objects = True


def _sequential_hash(self: Any) -> int:
    """Return the number of an object: the ``__hash__`` of classes that have none of their own."""
    # called a hundred times for an object, so a known number is returned without a further call
    number = _number_by_address.get(_get_address(self))
    return _give_number(self) if number is None else number


def _give_number(value: Any) -> int:
    """Give an object that was not met in this test its earlier number, or else the next one; return it."""
    global _given_count
    address = _get_address(value)
    kept_entry = _kept_entries.get(address)
    if kept_entry is not None and kept_entry[0]() is value:
        number: int = kept_entry[1]
        _older_ids[address] = kept_entry[2]
    else:
        if _free_counts:
            count = heappop(_free_counts)
        else:
            count, _given_count = _given_count, _given_count + 1
        number = LAST - count if _gives_falling_numbers else count
        if not _holds_objects and _watch(value, address, count):
            _number_by_address[address] = number
            return number
    _number_by_address[address] = number
    _held_objects.append(value)
    return number


def _watch(value: Any, address: int, count: int) -> bool:
    """Have an object's number given again once the object is gone; return whether that is possible."""

    def release(_: Any) -> None:
        del _number_by_address[address], _watched_by_address[address]
        heappush(_free_counts, count)

    try:
        _watched_by_address[address] = _weakref.ref(value, release)
    except TypeError:  # with ``__slots__``, it may lack weak references
        return False
    return True


@contextmanager
def let_objects_go() -> Iterator[None]:
    """Hold no object meanwhile, as outside the grader: a new one may get the hash and the id of one that is gone.

    The smallest free number is given first, so this is as repeatable as all else.
    """
    global _holds_objects
    _holds_objects = False
    try:
        yield
    finally:
        _holds_objects = True
        alive = [reference() for reference in [*_watched_by_address.values()]]
        _held_objects.extend(alive)
        _watched_by_address.clear()
        _free_counts.clear()


def _id(value: Any, /) -> int:
    """Return the identity of an object."""
    address = _get_address(value)
    if not any(_get_address(base) in _counted_classes for base in type(value).__mro__):
        return address
    _sequential_hash(value)  # now it has a number
    return _id_at(address)


def _id_at(address: int) -> int:
    """Return the id of an object that has a number in this test."""
    return _older_ids.get(address) or IDS + _test_count * IDS_OF_A_TEST + _number_by_address[address]


_id.__name__ = _id.__qualname__ = "id"
_counted_classes: set[int] = set()  # addresses of the submission's classes


def use_sequential_hashes(decorated_class: Any) -> Any:
    """Give a class numbers for hashes where it would have addresses; return the class."""
    if not isinstance(decorated_class, type):
        return decorated_class
    _counted_classes.add(_get_address(decorated_class))
    own_hash = vars(decorated_class).get("__hash__")
    if _find_hash_function(decorated_class) is _object_hash:
        _set_hash_function(decorated_class, _sequential_hash)
    elif type(own_hash) is FunctionType and own_hash is not _sequential_hash:
        _set_hash_function(decorated_class, _hide_address(own_hash))
    _classes.append(decorated_class)  # its address stays its own
    return decorated_class


_classes: list[Any] = []


def _find_hash_function(kind: Any) -> Any:
    return next((vars(base)["__hash__"] for base in kind.__mro__ if "__hash__" in vars(base)), None)


def _set_hash_function(kind: Any, function: Any) -> None:
    try:
        type.__setattr__(kind, "__hash__", function)
    except TypeError:  # one of Python's own keeps its addresses
        _counted_classes.discard(_get_address(kind))


def _hide_address(own_hash: Any) -> Any:
    """Wrap a ``__hash__`` of the student's: it gives a number where it would give the address."""

    def hashed(self: Any) -> Any:
        hash_value = own_hash(self)
        return _sequential_hash(self) if type(hash_value) is int and hash_value == _object_hash(self) else hash_value

    hashed.__name__, hashed.__qualname__, hashed.__doc__ = own_hash.__name__, own_hash.__qualname__, own_hash.__doc__
    return hashed


def _build_class(function: Any, name: Any, /, *bases: Any, **keywords: Any) -> Any:
    new_class = _original_build_class(function, name, *bases, **keywords)
    _fix_dataclasses()
    return use_sequential_hashes(new_class)


def _fix_dataclasses() -> None:
    """Hide our hash from ``@dataclass``, which asks whether a class has one of its own."""
    module = sys.modules.get("dataclasses")
    if module is None or hasattr(module._process_class, "original"):
        return
    process_class = module._process_class

    def processed(kind: Any, *arguments: Any, **keywords: Any) -> Any:
        if vars(kind).get("__hash__") is _sequential_hash:
            type.__delattr__(kind, "__hash__")
        return use_sequential_hashes(process_class(kind, *arguments, **keywords))

    processed.original = process_class  # type: ignore[attr-defined]
    module._process_class = processed  # type: ignore[attr-defined]


def begin_loading_and_make_builtins() -> dict[str, Any]:
    """Return the built-ins of the submission's code: the usual ones, except for what is counted out here."""
    global _before_loading
    _before_loading = _given_count, len(_classes)
    os.urandom = get_repeatable_bytes
    replacements = {"__build_class__": _build_class, "__import__": import_and_fix_random, "id": _id}
    return {**vars(builtins), **replacements}


def end_loading() -> None:
    """End loading: every test starts from the first number that was not given while the submission was loaded."""
    global _after_loading
    _after_loading = _given_count
    _keep_numbers()
    gc.disable()  # garbage is looked for between tests: when, would depend on what ran before


def restart_numbering_for_loading() -> None:
    """Give numbers as they were given before the submission was loaded, and forget its objects and classes."""
    global _given_count, _gives_falling_numbers
    _given_count, class_count = _before_loading
    _gives_falling_numbers = False
    _forget_numbers()
    _kept_entries.clear()
    _counted_classes.difference_update(map(_get_address, _classes[class_count:]))
    del _classes[class_count:]
    seed_random_generators()


def reset_determinism(reverses_set_order: bool) -> None:
    """Begin a test: numbers, ids and random numbers start anew.

    Args:
        reverses_set_order: whether numbers fall, so that sets have the opposite order.
    """
    global _given_count, _gives_falling_numbers, _test_count
    _keep_numbers()
    _given_count, _gives_falling_numbers = _after_loading, reverses_set_order
    _test_count += 1
    seed_random_generators()
    if gc.get_count()[0] > MOST_GARBAGE:
        gc.collect()
        for address in [address for address, entry in _kept_entries.items() if entry[0]() is None]:
            del _kept_entries[address]


def is_set_order_reversed() -> bool:
    """Return whether sets have the opposite order in the current test, because the objects' numbers decrease."""
    return _gives_falling_numbers


def _keep_numbers() -> None:
    """Keep the numbers of the objects that were met until now, and release these objects."""
    for value in _held_objects:
        address = _get_address(value)
        _kept_entries[address] = (_make_reference(value), _number_by_address[address], _id_at(address))
    _forget_numbers()


def _make_reference(value: Any) -> Any:
    try:
        return _weakref.ref(value)
    except TypeError:  # with ``__slots__``, it may lack weak references: then it is kept alive
        return _Holding(value)


def _forget_numbers() -> None:
    _number_by_address.clear()
    _older_ids.clear()
    _held_objects.clear()


class _Holding:
    """A reference that keeps what it refers to."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        """Return the object."""
        return self.value
