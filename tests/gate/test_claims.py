"""Each claim of a check fails when it should: programs and diagnoses are real, what is said of them is changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from autograder.author_checks.catalogue import (
    DiagnosedCatalogue,
    check_graded_catalogue,
    find_differently_titled_lookalikes,
    make_submission_from_source,
)
from autograder.author_checks.report_card import (
    MARK,
    join_assignment_sections,
    remove_machine_dependent_part,
    split_page_by_assignment,
)
from autograder.course import Assignment
from autograder.course.misconceptions import (
    MisconceptionCatalogue,
    apply_misconceptions,
)
from autograder.diagnosis import Diagnosis, SubmissionDiagnoser
from autograder.diagnosis.naming import SEVERAL_NAMES, digest_lost_tests
from autograder.grading import Grader
from tests.catalogues import load_catalogue_once

RIGHT, WRONG, LIKE = "prev_set", "order-is-not-reversed", "zero-grad-clears-itself-alone"


@pytest.fixture(scope="module")
def population(grader: Grader, engine: Assignment) -> DiagnosedCatalogue:
    """One right program and two misconceptions, graded and diagnosed."""
    catalogue = load_catalogue_once(engine)
    chosen = tuple(one for one in catalogue.misconceptions if one.id in (WRONG, LIKE))
    solution = engine.solution_file.read_text(encoding="utf-8")
    sources = {one.id: apply_misconceptions(solution, one) for one in chosen}
    sources[RIGHT] = (engine.solution_file.parent / "wheats" / f"{RIGHT}.py").read_text(encoding="utf-8")
    graded = {
        name: grader.grade_submission(make_submission_from_source(name, source)) for name, source in sources.items()
    }
    observed = {one.id: {"plain": digest_lost_tests(graded[one.id].test_results)} for one in chosen}
    diagnoser = SubmissionDiagnoser(grader, observed)
    return DiagnosedCatalogue(
        catalogue=MisconceptionCatalogue(misconceptions=chosen),
        graded_right_programs={RIGHT: graded[RIGHT]},
        graded_wrong_programs={one.id: graded[one.id] for one in chosen},
        observed_misconceptions=observed,
        diagnoses={name: (diagnoser.diagnose(one), 0.1) for name, one in graded.items()},
    )


def broken(population: DiagnosedCatalogue, grader: Grader | None = None) -> list[str]:
    """The claims that do not hold."""
    specs = grader.test_specs if grader else ()
    return [result.claim for result in check_graded_catalogue(population, specs) if not result.claim_holds]


def test_a_right_program_that_loses_a_mark_is_a_finding(population: DiagnosedCatalogue) -> None:
    changed = replace(population, graded_right_programs={RIGHT: population.graded_wrong_programs[LIKE]})
    assert "every one of 1 right alternatives gets full marks" in broken(changed)


def test_a_misconception_that_keeps_its_marks_is_a_finding(population: DiagnosedCatalogue) -> None:
    changed = replace(
        population,
        graded_wrong_programs={**population.graded_wrong_programs, WRONG: population.graded_right_programs[RIGHT]},
    )
    assert any("loses marks where it is wrong" in claim for claim in broken(changed))


def test_marks_lost_in_another_concept_are_a_finding(population: DiagnosedCatalogue) -> None:
    elsewhere = tuple(structs.replace(one, may_affect=()) for one in population.catalogue.misconceptions)
    changed = replace(population, catalogue=MisconceptionCatalogue(misconceptions=elsewhere))
    assert "no misconception loses marks anywhere else" in broken(changed)


def test_a_test_that_fails_by_a_mistake_of_its_own_is_told_once_with_the_first_program(
    population: DiagnosedCatalogue,
) -> None:
    said = "test_1_order.py:45 fails with NameError in queue_checks.py:18: name 'clse' is not defined"
    wrong = population.graded_wrong_programs
    changed = {
        name: replace(
            one,
            test_results=tuple(
                result if result.outcome == "passed" else replace(result, outcome="grader error", own_error=said)
                for result in one.test_results
            ),
        )
        for name, one in wrong.items()
    }
    results = check_graded_catalogue(replace(population, graded_wrong_programs=changed), ())
    (told,) = (one.problems for one in results if one.claim == "no hidden test fails by a mistake of its own")
    assert told == (f"{said} on misconception {next(iter(wrong))} (fix the test)",)
    assert not any(said in problem for one in results if one.problems != told for problem in one.problems)


def test_a_misconception_without_a_name_is_a_finding(population: DiagnosedCatalogue) -> None:
    unnamed = {**population.diagnoses, WRONG: population.diagnoses[RIGHT]}
    changed = replace(population, diagnoses=unnamed)
    assert [claim for claim in broken(changed) if "are named" in claim]


def test_misconceptions_that_take_the_names_from_each_other_are_told_together(
    population: DiagnosedCatalogue,
) -> None:
    same = {name: {"plain": {"backward.a": "1234"}} for name in (WRONG, LIKE)}
    unknown = Diagnosis(verdict="unknown", reason=SEVERAL_NAMES)
    unnamed = dict.fromkeys((WRONG, LIKE), (unknown, 0.1))
    alike = replace(population, observed_misconceptions=same, diagnoses=population.diagnoses | unnamed)
    (said,) = (
        one for result in check_graded_catalogue(alike, ()) if "are named" in result.claim for one in result.problems
    )
    assert set(said.partition(" look ")[0].split(" and ")) == {WRONG, LIKE}
    assert said.endswith("tried: give both one title, or add a test that tells them apart")
    assert (
        find_differently_titled_lookalikes(
            replace(alike, observed_misconceptions=same | {LIKE: {"plain": {"backward.a": "5678"}}})
        )
        == []
    )
    titled = tuple(structs.replace(one, title="One title") for one in population.catalogue.misconceptions)
    assert (
        find_differently_titled_lookalikes(replace(alike, catalogue=MisconceptionCatalogue(misconceptions=titled)))
        == []
    )
    assert find_differently_titled_lookalikes(population) == []


def test_a_wrong_name_is_a_finding_and_so_is_one_for_a_right_program(population: DiagnosedCatalogue) -> None:
    for name in (WRONG, RIGHT):
        misnamed = {**population.diagnoses, name: population.diagnoses[LIKE]}
        assert "no program is given a wrong name" in broken(replace(population, diagnoses=misnamed))


def test_a_test_that_catches_nothing_alone_must_say_why_it_is_kept(
    population: DiagnosedCatalogue, grader: Grader
) -> None:
    (claim,) = broken(population, grader)
    assert claim == "every hidden test catches what no other does, or is kept for a reason"


def test_a_section_of_the_report_card_is_found_again_and_compared_without_its_times() -> None:
    page = join_assignment_sections(
        {"one": "## One\n\na\n\n### Times of the run that wrote this\n3 s\n", "two": "## Two\n"}, "# All\n"
    )
    assert MARK.format("one") in page
    assert list(split_page_by_assignment(page)) == ["one", "two"]
    assert remove_machine_dependent_part(split_page_by_assignment(page)["one"]) == "## One\n\na\n\n"
