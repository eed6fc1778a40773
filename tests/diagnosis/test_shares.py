"""What an operand got says which local rule gave it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.course_modules import engine_module

BackwardCallSample: Any = engine_module("probes.local_gradient_rules").BackwardCallSample
list_wrong_gradient_shares: Any = engine_module("probes.local_gradient_rules").list_wrong_gradient_shares


STATES = (
    (7.0, 0.0, 0.0), (7.0, 0.5, 0.0), (7.0, 0.0, -2.25), (1.0, 0.0, 0.0), (-3.0, 1.5, 8.0), (250.0, -2.0, 0.0)
)  # fmt: skip


def product(after: Callable[[Any], float]) -> list[tuple[str, str]]:
    """What is said of a product whose left operand ends with this gradient."""
    samples = []
    for x, y in ((3.0, -2.0), (-4.0, 5.125), (-1.375, -0.7183), (2.0, 2.0)):
        for upstream, had, other_had in STATES:
            before = BackwardCallSample(x, y, x * y, y, upstream, had, other_had, None)
            samples.append(BackwardCallSample(x, y, x * y, y, upstream, had, other_had, after(before)))
    return [(wrong.name, wrong.phrase) for wrong in list_wrong_gradient_shares(samples)]


def test_a_right_share_has_no_name() -> None:
    assert product(lambda s: s.had + s.share) == []


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (lambda s: s.had, "passes-nothing"),
        (lambda s: s.share, "replaces"),
        (lambda s: s.had - s.share, "subtracts"),
        (lambda s: s.had or s.share, "does-not-add"),
        (lambda s: s.had + s.slope, "upstream-left-out"),
        (lambda s: s.had + s.upstream, "factor-left-out"),
        (lambda s: s.had + s.own * s.upstream, "own-number"),
        (lambda s: s.had + 3.5 * s.share, "times-a-constant"),
        (lambda s: s.had + round(s.share, 1), "wrong-share"),
        (lambda s: s.had + s.slope * s.upstream * abs(s.upstream), "upstream-misused"),
        (lambda s: s.had + s.slope * s.upstream + 0.125, "wrong-share"),
        (lambda s: str(s.share), "gradient-is-no-number"),
        (lambda s: s.had + s.share * (2 if s.own == s.other else 1), "wrong-share-of-equal-numbers"),
        (lambda s: s.had + s.share * (1 if s.had else 2), "wrong-share"),
        (lambda s: s.had + s.share + s.other_had, "depends-on-the-other-gradient"),
        (lambda s: s.had + s.share * (2 if s.other_had else 1), "depends-on-the-other-gradient"),
        (lambda s: s.had * 2 + s.share, "does-not-add"),
        (lambda s: s.had + s.share + s.had * s.other_had, "wrong-share"),
        (lambda s: s.had + s.share * (0 if s.own < -2 else 1), "wrong-share-at-some-numbers"),
    ],
)
def test_a_wrong_share_has_the_name_of_what_was_seen(after: Callable[[Any], float], name: str) -> None:
    assert [found for found, _ in product(after)] == [name]


def test_a_share_that_is_wrong_and_replaces_has_both_names() -> None:
    assert [name for name, _ in product(lambda s: s.own * s.upstream)] == ["replaces", "own-number"]


def test_a_known_formula_is_told() -> None:
    ((_, phrase),) = product(lambda s: s.had + max(-5.0, min(5.0, s.share)))
    assert phrase == "the shares are limited to 5 and -5"


def test_a_constant_factor_is_told() -> None:
    assert product(lambda s: s.had + s.share / 2) == [("times-a-constant", "0.5")]
