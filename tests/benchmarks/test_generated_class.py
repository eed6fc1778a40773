"""The class that the benchmark makes is the same each time, mixed as promised, and has no right program twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from autograder.course import Assignment
from benchmarks.generated_class import Made, make_class
from benchmarks.generated_class.variants import essence

pytestmark = pytest.mark.thorough
LARGE = 300
"""More right submissions than there are wheats, so that some are made."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, engine: Assignment) -> list[Made]:
    return make_class(tmp_path_factory.mktemp("class") / "large", engine, LARGE)


def sources(made: list[Made], kind: str) -> list[str]:
    return [one.path.read_text(encoding="utf-8") for one in made if one.kind == kind]


def test_the_same_seed_makes_the_same_class_and_another_seed_another(tmp_path: Path, engine: Assignment) -> None:
    first, second, other = (
        [(one.kind, one.what, one.path.read_bytes()) for one in make_class(tmp_path / name, engine, 40, seed)]
        for name, seed in (("first", 1), ("second", 1), ("other", 2))
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize(("size", "shares"), [(20, (10, 8, 1, 1)), (200, (100, 80, 10, 10))])
def test_half_is_right_and_a_twentieth_hangs(
    tmp_path: Path, engine: Assignment, size: int, shares: tuple[int, ...]
) -> None:
    kinds = Counter(one.kind for one in make_class(tmp_path / "class", engine, size))
    assert (kinds["right"], kinds["wrong"], kinds["ungradable"], kinds["hanging"]) == shares


def test_no_right_submission_equals_another_even_without_comments(made: list[Made]) -> None:
    found = sources(made, "right")
    assert len(found) == 150
    assert len({essence(source) for source in found}) == len(found)


def test_a_right_submission_beyond_the_wheats_still_works(made: list[Made]) -> None:
    retyped = [one for one in made if one.kind == "right" and one.what.startswith("retyped")]
    assert len(retyped) > 20
    for one in retyped:
        names: dict[str, object] = {"__name__": "submission"}
        exec(one.path.read_text(encoding="utf-8"), names)
        exec("a = Value(3.0)\nb = (a * a + 2).tanh() - a\nb.backward()\na.zero_grad()\nb.zero_grad()", names)
        exec("c = a * a + a\nc.backward()\nassert a.grad == 7.0 and c.data == 12.0", names)


def test_wrong_submissions_have_one_to_three_mistakes_and_share_the_common_ones(made: list[Made]) -> None:
    mistakes = [one.what.partition(": ")[2].split(", ") for one in made if one.kind == "wrong"]
    assert {len(some) for some in mistakes} == {1, 2, 3}
    students = Counter(one for some in mistakes for one in some)
    assert students.most_common(1)[0][1] >= 5
    assert len(students) >= 30
