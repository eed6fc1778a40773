"""Give objects of this process handles, by which the tests name them, and drop them after each test."""

from typing import Any

HANDLES = 1 << 20  # maximum number of handles from one request: more than an answer has

objects: dict[int, Any] = {}  # by handle
functions: dict[int, object] = {}  # the tests' functions, by number
class_names: dict[type, str] = {}  # classes whose instances never go by value, and what tests call them
own_class_names: dict[int, str] = {}  # the submission's, by id: their instances are objects, even if floats too
shared_containers: dict[int, Any] = {}  # containers that tests and student share: by handle, never copied
_handles: dict[int, int] = {}  # by id
_value_by_name: dict[str, Any] = {}
_last_handle = 0  # the last handle given
_last_name = 0  # the last handle given to one of the submission's own names
_request_count = 0  # number of requests of this test


def get_or_make_handle(value: Any) -> int:
    """Return the handle of an object; give it the next one if it has none."""
    global _last_handle
    address = id(value)
    number = _handles.get(address)
    if number is None:
        _last_handle += 1
        number = _handles[address] = _last_handle
        objects[number] = value
    return number


class HandleGone(Exception):
    """A request uses a handle that no object has."""


def get_objects(handles: list[int]) -> list[Any]:
    """Return the objects with these handles; raise ``HandleGone`` if one has none."""
    try:
        return [objects[handle] for handle in handles]
    except KeyError:
        raise HandleGone from None


def get_object(handle: int) -> Any:
    """Return the object with a handle; raise ``HandleGone`` if there is none."""
    try:
        return objects[handle]
    except KeyError:
        raise HandleGone from None


def get_name_in_assignment(kind: type) -> str:
    """Return the name under which the assignment asks for a class or for one above it; else the class's own."""
    own_names = (own_class_names[id(base)] for base in kind.__mro__ if id(base) in own_class_names)
    return next(own_names, kind.__name__)[:100]


def mark_as_passed_by_handle(value: Any) -> Any:
    """Share a container with the tests: it is passed by handle from now on."""
    shared_containers[id(value)] = value
    return value


def register_submission_name(name: str, value: Any, instance_class: Any) -> Any:
    """Register one of the submission's own names and the class that it makes; its handle outlives a test."""
    _value_by_name[name] = value
    if isinstance(value, type) and id(value) not in own_class_names:
        own_class_names[id(value)] = own_class_names[id(instance_class)] = name
        class_names.clear()
    return value


def list_submission_names() -> list[str]:
    """Return the submission's own names in the order of their handles."""
    return [*_value_by_name]


def start_giving_lasting_handles() -> int:
    """Give the handles to come to the submission's own names; return the last handle given before."""
    global _last_handle
    handle_before, _last_handle = _last_handle, _last_name
    return handle_before


def stop_giving_lasting_handles(handle_before: int) -> None:
    """Give the handles to come as before ``start_giving_lasting_handles``, which returned ``handle_before``."""
    global _last_handle, _last_name
    _last_handle, _last_name = handle_before, _last_handle


def begin_request_handles() -> None:
    """Give the handles to come to the objects that the next request shows first."""
    global _request_count, _last_handle
    _request_count += 1
    _last_handle = _request_count * HANDLES


def drop_test_objects() -> None:
    """Drop what the last test held, apart from the submission's own names."""
    global _last_handle, _request_count
    named_values = {_handles[id(value)]: value for value in _value_by_name.values() if id(value) in _handles}
    for table in (objects, _handles, functions, shared_containers):
        table.clear()
    for number, value in named_values.items():
        objects[number] = value
        _handles[id(value)] = number
    _last_handle = _request_count = 0


def drop_all_objects() -> None:
    """Drop all objects of the submission, and its own names."""
    global _last_name
    for table in (objects, _handles, functions, shared_containers, _value_by_name, own_class_names, class_names):
        table.clear()
    _last_name = 0
