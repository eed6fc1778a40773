"""Runs a test in two opposite orders of sets.

A set has no order: Python puts objects where their addresses happen to lead them, another way in each run. If your
engine keeps nodes in a set and goes through it, a mistake may show today and hide tomorrow. So for the length of a
test the nodes get a hash that counts upwards, then one that counts downwards, and the test must hold in both.
"""

from contextlib import contextmanager
from types import FunctionType

HIGHEST = (1 << 28) - 1  # counting down from here turns around the order in every small set
_hashes = {}  # id of a node -> the node, so that it keeps its id, and its hash, for good


def call_in_both_orders(test, modules):
    """Call a test in one order, and if a node was put into a set or a dict, in the other order too.

    An error that only one of the two orders shows has ``in_one_order`` set.
    """
    __tracebackhide__ = True
    first, has_sets = _error_of(test, modules, falling=False)
    second = _error_of(test, modules, falling=True)[0] if has_sets else first
    error = first or second
    if error is not None:
        error.in_one_order = first is None or second is None
        raise error


def _error_of(test, modules, falling):
    """Return the exception that a call raises, or None; and whether a node was asked for its hash."""
    with _counted_hashes(modules, falling) as asked:
        try:
            test()
        except Exception as error:
            return error, bool(asked)
    return None, bool(asked)


@contextmanager
def _counted_hashes(modules, falling):
    """Let nodes hash by when they were first asked; yield a list that is empty until one is asked."""
    asked = []

    def counted(node):
        if id(node) not in _hashes:
            count = len(asked)
            _hashes[id(node)] = node, HIGHEST - count if falling else count
            asked.append(node)
        return _hashes[id(node)][1]

    before = [(kind, vars(kind).get("__hash__")) for kind in _classes_of(modules)]
    for kind, own in before:
        kind.__hash__ = _no_address(own, counted) if own else counted
    try:
        yield asked
    finally:
        for kind, own in before:
            if own:
                kind.__hash__ = own
            else:
                del kind.__hash__


def _no_address(own, counted):
    """Wrap a hash of your own: it is counted where it is nothing but the address."""

    def hashed(node):
        given = own(node)
        return counted(node) if given in (id(node), object.__hash__(node)) else given

    return hashed


def _classes_of(modules):
    """Return the classes defined in these modules that hash by address, or with a function of their own."""
    names = {"__main__", *(module.__name__ for module in modules)}
    found = {
        id(thing): thing for module in modules for thing in list(vars(module).values()) if isinstance(thing, type)
    }
    return [
        kind
        for kind in found.values()
        if kind.__module__ in names
        and (kind.__hash__ is object.__hash__ or isinstance(vars(kind).get("__hash__"), FunctionType))
        and type(kind).__setattr__ is type.__setattr__
        and type(kind).__delattr__ is type.__delattr__
    ]
