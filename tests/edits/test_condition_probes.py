"""Probes in a function's conditions fail where a condition is ever true, or ever false."""

from __future__ import annotations

from autograder.edits import iterate_condition_probes

SOURCE = """def f(a):
    if a > 1 or a < 0:
        return [b for b in a if b]
    while True:
        return a if a else 0

def g(a):
    return 1 if a else 0
"""


def test_each_condition_of_a_function_has_a_probe_of_both_kinds_and_so_has_each_of_its_parts() -> None:
    probes = dict(iterate_condition_probes(SOURCE, "f"))
    conditions = ("a > 1 or a < 0", "a > 1", "a < 0", "b", "a")
    assert {*probes} == {f"{word} {condition}" for condition in conditions for word in ("and", "or")}


def test_a_probe_fails_only_where_its_condition_is_what_it_says() -> None:
    probes = dict(iterate_condition_probes(SOURCE, "g"))
    outcomes = {}
    for condition, text in probes.items():
        names: dict[str, object] = {}
        exec(text, names)
        for value in (0, 1):
            try:
                outcomes[condition, value] = names["g"](value)  # type: ignore[operator]
            except ZeroDivisionError:
                outcomes[condition, value] = None
    assert outcomes == {("and a", 0): 0, ("and a", 1): None, ("or a", 0): None, ("or a", 1): 1}
