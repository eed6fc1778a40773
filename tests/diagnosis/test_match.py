"""Which misconceptions fit what was observed: one, several that look alike, a few at once, or none."""

from __future__ import annotations

from autograder.diagnosis.match import MOST_PARTS, suspects

KNOWN = {
    "overwrites": {"twice": "a.grad is 1", "diamond": "a.grad is 2"},
    "forgets": {"twice": "a.grad is 1", "diamond": "a.grad is 2"},
    "no-seed": {"seed": "a.grad is 0"},
    "wrong-tanh": {"tanh": "the slope is 1", "twice": "a.grad is 7"},
    "unreversed": {"diamond": "a.grad is 4", "order": "b before c"},
    "harmless": {},
}
TESTS = ("twice", "diamond", "seed", "tanh", "order")


def test_one_that_saw_exactly_the_same_is_found_alone() -> None:
    assert suspects({"seed": "a.grad is 0"}, TESTS, KNOWN) == [("no-seed",)]


def test_those_that_look_the_same_are_found_together_each_alone() -> None:
    seen = {"twice": "a.grad is 1", "diamond": "a.grad is 2"}
    assert suspects(seen, TESTS, KNOWN) == [("overwrites",), ("forgets",)]


def test_the_order_in_which_tests_were_run_says_nothing() -> None:
    seen = {"order": "b before c", "diamond": "a.grad is 4"}
    assert suspects(seen, TESTS, KNOWN) == [("unreversed",)]


def test_another_number_in_one_test_is_another_mistake() -> None:
    assert suspects({"seed": "a.grad is 2"}, TESTS, KNOWN) == []


def test_a_failed_test_less_is_another_mistake() -> None:
    assert suspects({"order": "b before c"}, TESTS, KNOWN) == []


def test_a_failed_test_more_that_no_other_explains_is_another_mistake() -> None:
    assert suspects({"seed": "a.grad is 0", "order": "c before b"}, TESTS, KNOWN) == []


def test_tests_that_could_not_be_tried_say_nothing() -> None:
    without = [test for test in TESTS if test != "tanh"]
    assert suspects({"twice": "a.grad is 7"}, without, KNOWN) == [("wrong-tanh",)]


def test_a_test_that_was_tried_and_passed_does_say_something() -> None:
    assert suspects({"twice": "a.grad is 7"}, TESTS, KNOWN) == []


def test_two_at_once_are_found_where_each_shows() -> None:
    seen = {"seed": "a.grad is 0", "diamond": "a.grad is 4", "order": "b before c"}
    assert suspects(seen, TESTS, KNOWN) == [("no-seed", "unreversed")]


def test_two_at_once_may_meet_in_a_test_and_show_a_third_number_there() -> None:
    seen = {"twice": "a.grad is 5", "tanh": "the slope is 1", "diamond": "a.grad is 2"}
    found = suspects(seen, TESTS, KNOWN)
    assert sorted(found) == [("forgets", "wrong-tanh"), ("overwrites", "wrong-tanh")]


def test_of_two_that_look_the_same_one_is_enough_to_explain_it() -> None:
    seen = {"twice": "a.grad is 1", "diamond": "a.grad is 2", "seed": "a.grad is 0"}
    assert suspects(seen, TESTS, KNOWN) == [("forgets", "no-seed"), ("overwrites", "no-seed")]


def test_a_part_that_shows_nowhere_is_no_part() -> None:
    seen = {"seed": "a.grad is 0", "diamond": "a.grad is 9", "order": "c before b"}
    assert suspects(seen, TESTS, KNOWN) == [], "of unreversed, only the places are right"


def test_three_at_once_are_found_when_two_do_not_do() -> None:
    seen = {
        "seed": "a.grad is 0",
        "tanh": "the slope is 1",
        "twice": "a.grad is 7",
        "diamond": "a.grad is 4",
        "order": "b before c",
    }
    assert suspects(seen, TESTS, KNOWN) == [("no-seed", "wrong-tanh", "unreversed")]


def test_four_at_once_are_too_many_to_be_sure() -> None:
    known = {name: {name: "wrong"} for name in "abcd"}
    assert suspects(dict.fromkeys("abc", "wrong"), "abcd", known) == [("a", "b", "c")]
    assert suspects(dict.fromkeys("abcd", "wrong"), "abcd", known) == []


def test_those_that_leave_the_fewest_tests_to_their_meeting_come_first() -> None:
    known = {"a": {"1": "x", "2": "x"}, "b": {"2": "y", "3": "y"}, "c": {"2": "z", "3": "y"}}
    seen = {"1": "x", "2": "z", "3": "y"}
    assert suspects(seen, "123", known) == [("a", "c"), ("a", "b")]


def test_nothing_is_found_where_nothing_is_known() -> None:
    assert suspects({"seed": "a.grad is 0"}, TESTS, {}) == []


def test_a_great_many_parts_are_cut_to_those_that_agree_most() -> None:
    parts = {f"part-{n:02}": {"1": "x", "9": "other"} for n in range(MOST_PARTS + 10)}
    known = {**parts, "most": {"1": "x", "2": "x"}, "rest": {"3": "x", "9": "y"}}
    seen = {"1": "x", "2": "x", "3": "x", "9": "y"}
    assert suspects(seen, "1239", known) == [("most", "rest")]
