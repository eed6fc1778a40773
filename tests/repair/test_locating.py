"""Right functions in the place of a student's tell where mistakes lie."""

from __future__ import annotations

from autograder.edits import ProposedEdit
from autograder.repair.locating import MistakePlaces, map_used_names
from autograder.repair.steps import Candidate

SOURCE = """\
def walk(node):
    return follow(node)


def follow(node):
    return [node]


class Value:
    def add(self):
        def back():
            pass
        return back

    def sort(self):
        return walk(self)
"""


def edit_of(function: str) -> Candidate:
    return Candidate(0, ProposedEdit("", 1, 1, "name", function, "a", "b", 1))


def places_after(**mending: list[str]) -> MistakePlaces:
    """Note for each test the functions that mend it."""
    places = MistakePlaces(tuple(mending), [(0, SOURCE)], map_used_names([SOURCE]))
    for test_id, functions in mending.items():
        places.note(test_id, [edit_of(function) for function in functions])
    return places


def test_an_edit_may_mend_a_test_where_a_right_method_does() -> None:
    places = places_after(one=["Value.add"])
    assert places.may_mend(edit_of("Value.add"), "one")
    assert not places.may_mend(edit_of("Value.sort"), "one")


def test_a_function_within_a_method_belongs_to_it_and_a_mended_one_stands_for_its_method() -> None:
    assert places_after(one=["Value.add"]).may_mend(edit_of("Value.add.back"), "one")
    assert places_after(one=["Value.add.back"]).may_mend(edit_of("Value.add"), "one")


def test_the_mistake_of_a_method_may_lie_in_what_it_calls_and_in_what_that_calls() -> None:
    places = places_after(one=["Value.sort"])
    assert [places.may_mend(edit_of(name), "one") for name in ("walk", "follow", "Value.add")] == [True, True, False]


def test_an_edit_outside_of_all_functions_may_mend_anything() -> None:
    assert places_after(one=["Value.add"]).may_mend_all(edit_of(""))


def test_where_no_right_method_mends_a_test_its_mistake_may_lie_anywhere() -> None:
    places = places_after(one=["Value.add"], other=[])
    assert not places.are_known
    assert places.may_mend(edit_of("Value.sort"), "other")
    assert not places.may_mend_all(edit_of("Value.sort"))


def test_two_mistakes_in_two_methods_are_mended_by_no_edit_of_one() -> None:
    places = places_after(one=["Value.add"], other=["Value.sort"])
    assert places.are_known
    assert not places.may_mend_all(edit_of("Value.add"))
    assert places.may_hold_mistake(0, "Value.add")
    assert places.may_hold_mistake(0, "Value.sort")


def test_what_is_added_to_a_class_leaves_only_edits_outside_of_functions() -> None:
    places = places_after(one=["Value"])
    assert not places.may_mend(edit_of("Value.add"), "one")
    assert places.may_mend(edit_of(""), "one")
