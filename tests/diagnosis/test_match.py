"""Misconceptions that look exactly like the wrong parts of a submission; pure."""

from __future__ import annotations

from autograder.diagnosis.naming.misconception_matching import (
    format_wrong_part_digests,
    match_misconceptions_greedily,
    parse_wrong_part_digests,
)

KNOWN = {
    "sum-wrong": {"plain": "add local aa"},
    "product-wrong": {"plain": "mul local bb"},
    "both-wrong": {"plain": "add local aa, mul local bb"},
    "walk-wrong": {"plain": "backward cc, zero_grad dd", "set": "backward ce"},
    "walk-wrong-too": {"plain": "backward cc, zero_grad dd"},
    "nothing-shows": {"plain": ""},
}


def found(**seen: str) -> list[tuple[set[str], tuple[str, ...]]]:
    look = {name.replace("_local", " local"): digest for name, digest in seen.items()}
    return [(set(match.parts), match.names) for match in match_misconceptions_greedily(look, KNOWN)]


def test_what_is_kept_is_read_back() -> None:
    look = {"add local": "aa", "zero_grad": "bb"}
    assert parse_wrong_part_digests(format_wrong_part_digests(look)) == look
    assert parse_wrong_part_digests("") == {}


def test_one_wrong_part_is_explained_by_what_looks_the_same() -> None:
    assert found(add_local="aa") == [({"add local"}, ("sum-wrong",))]


def test_a_part_that_looks_otherwise_is_not_explained() -> None:
    assert found(add_local="other") == []


def test_few_misconceptions_that_explain_much_come_before_many() -> None:
    assert found(add_local="aa", mul_local="bb") == [({"add local", "mul local"}, ("both-wrong",))]


def test_several_mistakes_at_once_are_explained_one_by_one() -> None:
    assert found(mul_local="bb", backward="ce") == [
        ({"backward"}, ("walk-wrong",)),
        ({"mul local"}, ("product-wrong",)),
    ]


def test_a_misconception_explains_only_with_all_that_is_wrong_with_it() -> None:
    assert found(backward="cc") == []


def test_misconceptions_that_look_the_same_are_named_together() -> None:
    assert found(backward="cc", zero_grad="dd") == [({"backward", "zero_grad"}, ("walk-wrong", "walk-wrong-too"))]


def test_a_look_is_enough_in_any_style() -> None:
    assert found(backward="ce") == [({"backward"}, ("walk-wrong",))]
