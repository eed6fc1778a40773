"""What Hypothesis tries where nothing fails is made once, and the search finds the same with it as without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.diagnosis import search, search_smallest_failing_program
from autograder.diagnosis.caches import CourseProgramRunCache
from autograder.diagnosis.search import GeneratedProgramCache, list_hypothesis_programs

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load, Loaded

ORDER = "        for node in reversed(self._operands_first()):\n            node._backward()\n"
LAST_SIX = ORDER.replace("self._operands_first()", "self._operands_first()[-6:]")


def programs_run(loaded: Loaded, generated: list[Any] | None) -> tuple[object, list[Any]]:
    """What the search finds, and which programs it ran for that."""
    asked: list[Any] = []

    def run(program: Any) -> Any:
        asked.append(program)
        return loaded.run(program)

    found = search_smallest_failing_program(
        loaded.family, run, run, get_hypothesis_programs=None if generated is None else lambda: generated
    )
    return found, asked


@pytest.mark.thorough
def test_a_right_engine_is_asked_the_same_programs_in_the_same_order(an_engine: Load) -> None:
    without = programs_run(an_engine(), None)
    generated = programs_run(an_engine(), list_hypothesis_programs(an_engine().family))
    assert without == generated
    assert without[0] is None


@pytest.mark.thorough
def test_a_mistake_that_only_larger_programs_show_is_found_as_without(an_engine: Load) -> None:
    edit = (ORDER, LAST_SIX)
    without, _ = programs_run(an_engine(edit), None)
    generated, _ = programs_run(an_engine(edit), list_hypothesis_programs(an_engine().family))
    assert without is not None
    assert without == generated


def test_programs_are_generated_once_and_the_next_run_of_the_kit_loads_them(
    an_engine: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = an_engine().family
    cache = GeneratedProgramCache(CourseProgramRunCache(lambda: tmp_path / "toy.runs"))
    first = cache.get_or_generate(family, ["Value", "tanh"])
    monkeypatch.setattr(search, "find_program_with_hypothesis", None)
    assert cache.get_or_generate(family, ["tanh", "Value"]) is first
    later = GeneratedProgramCache(CourseProgramRunCache(lambda: tmp_path / "toy.runs"))
    assert repr(later.get_or_generate(family, ["Value", "tanh"])) == repr(first)
    with pytest.raises(TypeError):
        later.get_or_generate(family, ["Value"])


def test_programs_that_would_come_back_changed_are_not_kept(an_engine: Load) -> None:
    programs = list_hypothesis_programs(an_engine().family)
    kind: Any = list[type(programs[0])]  # type: ignore[misc]
    assert search._survive_encoding(programs, kind)
    assert not search._survive_encoding([{1: 2}], list[dict[str, int]])
    assert not search._survive_encoding([1], list[float])
    assert not search._survive_encoding([object()], list[object])
