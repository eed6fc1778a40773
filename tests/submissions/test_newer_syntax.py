"""Syntax that is right in Python 3.12 and later is called so where an older Python reads it."""

from __future__ import annotations

import sys

import pytest

from autograder.submissions.common_slips import explain_common_syntax_error

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")


def explain(source: str) -> str:
    """What is said of a source that does not compile."""
    with pytest.raises(SyntaxError) as raised:
        compile(source, "value.py", "exec")
    found = explain_common_syntax_error(source, raised.value.lineno or 0, raised.value.msg)
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("type Number = int | float", "a `type` statement"),
        ("type Pair[T] = tuple[T, T]", "a `type` statement"),
        ("def first[T](x: T) -> T:\n    return x", "a function with type parameters"),
        ("class Node[T]:\n    pass", "a class with type parameters"),
        ('print(f"{d["x"]}")', "an f-string with its own quotation marks inside the braces"),
        ('print(f"{"\\n".join(x)}")', "an f-string with its own quotation marks inside the braces"),
    ],
)
def test_the_newer_syntax_and_both_versions_are_named(source: str, name: str) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert explain(source) == f"{name} needs Python 3.12, and this is run with Python {version}"


@pytest.mark.parametrize(
    "source", ["def f(:", "class Value(:", "type(x) = 3", "x = f'{a!}'", "f'{x'", "x = f'{a}' 'b"]
)
def test_what_no_python_reads_is_not_called_new(source: str) -> None:
    assert explain(source) == ""
