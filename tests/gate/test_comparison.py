"""Other people's suites, run on this kit's misconceptions: what they catch, and that it is they who catch it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from autograder.author_checks.comparison import (
    CaughtMisconceptions,
    is_caught_by_suite,
    run_comparison_suites_on_misconceptions,
)
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, Limits
from autograder.course.misconceptions import (
    MisconceptionCatalogue,
)
from autograder.faults import CourseFault
from autograder.sandbox import SandboxConfig
from tests.catalogues import load_catalogue_once
from tests.course_modules import assignment_module

SUITES = assignment_module("autograd-engine", "other_suites").SUITES
MICROGRAD, GRADIENT_CHECK = SUITES
Caught = Callable[[str], list[str]]
WITH_ALL_OPERATORS = ["operators_from_others", "operators_written_out"]


@pytest.fixture(scope="module")
def caught(engine: Assignment, sandbox: SandboxConfig) -> Iterator[Caught]:
    """The names of the suites that catch a program, under limits that end a hanging one soon."""
    hurried = replace(engine, limits=Limits(cpu_seconds=0.3, wall_seconds=5.0))
    processes = ProcessPool(sandbox, hurried.limits)
    yield lambda source: [suite.name for suite in SUITES if is_caught_by_suite(suite, source, hurried, processes)]
    processes.end_unused_process()


def small(engine: Assignment, root: Path, *names: str) -> Assignment:
    """The engine's assignment with a few of its misconceptions, in a folder of its own."""
    catalogue = load_catalogue_once(engine)
    chosen = tuple(one for one in catalogue.misconceptions if one.id in names)
    copied = replace(engine, course_folder=root)
    copied.solution_file.parent.mkdir(parents=True)
    shutil.copytree(engine.folder, copied.folder)
    shutil.copy(engine.solution_file, copied.solution_file)
    document = msgspec.yaml.encode(MisconceptionCatalogue(chosen))
    (copied.solution_file.parent / "misconceptions.yml").write_bytes(document)
    return copied


def test_both_suites_pass_the_reference_solution(caught: Caught, engine: Assignment) -> None:
    assert caught(engine.solution_file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("wheat", WITH_ALL_OPERATORS)
def test_both_suites_pass_right_alternatives_that_have_all_operators(
    caught: Caught, engine: Assignment, wheat: str
) -> None:
    path = engine.solution_file.parent / "wheats" / f"{wheat}.py"
    assert caught(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("source", ["", "class Value(:", "Value = 3"], ids=["empty", "no Python", "no class"])
def test_a_program_without_the_class_is_caught(caught: Caught, source: str) -> None:
    assert caught(source) == [MICROGRAD.name, GRADIENT_CHECK.name]


def test_an_engine_that_claims_to_equal_everything_is_caught(caught: Caught, engine: Assignment) -> None:
    cheat = """

        class Anything(float):
            def __eq__(self, other): return True
            def __le__(self, other): return True
            def __sub__(self, other): return 0.0
            __hash__ = float.__hash__

        Value.data = property(lambda self: Anything(7), lambda self, data: None)
    """
    assert caught(engine.solution_file.read_text(encoding="utf-8") + dedent(cheat)) == [
        MICROGRAD.name,
        GRADIENT_CHECK.name,
    ]


def test_a_comparison_tells_for_each_suite_what_it_catches(
    engine: Assignment, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    names = ("product-adds", "tanh-derivative-without-square", "second-backward-does-nothing")
    told: list[tuple[int, int]] = []
    comparisons = run_comparison_suites_on_misconceptions(
        small(engine, tmp_path, *names), sandbox, report_progress=lambda done, total: told.append((done, total))
    )
    assert comparisons == (
        CaughtMisconceptions(MICROGRAD.name, frozenset(names[:1])),
        CaughtMisconceptions(GRADIENT_CHECK.name, frozenset(names[:2])),
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]  # the reference solution is tried too


@pytest.mark.thorough
def test_a_reference_solution_that_fails_a_suite_is_a_fault_of_the_course(
    engine: Assignment, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    assignment = small(engine, tmp_path)
    module = assignment.folder / "other_suites" / "__init__.py"
    hard = (
        "\nclass Never:\n    is_passed_by = lambda *_: False\nSUITES = [ComparisonSuite('hard', lambda: [Never()])]\n"
    )
    module.write_text(module.read_text(encoding="utf-8") + hard, encoding="utf-8")
    with pytest.raises(CourseFault, match="the reference solution does not pass hard"):
        run_comparison_suites_on_misconceptions(assignment, sandbox, report_progress=lambda done, total: None)
