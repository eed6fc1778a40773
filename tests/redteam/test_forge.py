"""Programs that try to raise their score: none gets more than the same engine without the trick, in any tier."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.redteam.attack import Attack, attacks, named
from tests.redteam.courses import hand_in, total
from tests.redteam.honest import INSIDES, RECURSIVE, WEAK

FORGERIES = attacks("forge")


def score_of(grader: Grader, source: str, folder: Path) -> Fraction:
    return total(hand_in(grader, source, folder))


@pytest.fixture(scope="module")
def honest(tier_grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> Fraction:
    """What the weak engine gets."""
    return score_of(tier_grader, WEAK, tmp_path_factory.mktemp("honest"))


def test_the_solution_gets_all_marks_and_the_weak_engine_none(tier_grader: Grader, honest: Fraction) -> None:
    assert total(tier_grader.grade(tier_grader.assignment.solution_file)) == 100
    assert honest == 0  # so a trick that passes a single test is seen


@pytest.mark.parametrize("attack", FORGERIES, ids=lambda attack: attack.slug)
def test_a_trick_gains_nothing(
    tier_grader: Grader, each_tier: SandboxConfig, honest: Fraction, folder: Path, attack: Attack
) -> None:
    assert attack.verdict == "no gain"
    if each_tier.tier not in attack.tiers:
        pytest.skip(f"tier {each_tier.tier} does not promise this")
    graded = hand_in(tier_grader, attack.program, folder)
    assert total(graded) <= honest
    assert "grader error" not in {result.outcome for result in graded.test_results}


def test_a_trick_does_not_reach_the_next_submission(tier_grader: Grader, honest: Fraction, folder: Path) -> None:
    sums = score_of(tier_grader, RECURSIVE, folder)
    assert honest < sums < 100
    for slug in ("the_built_in_functions_lie", "a_thread_forges_answers", "the_process_ends_at_once"):
        hand_in(tier_grader, named(slug, FORGERIES).program, folder)
    assert score_of(tier_grader, WEAK, folder) == honest
    assert score_of(tier_grader, RECURSIVE, folder) == sums


SWALLOWING = """
def backward(self):
    self.grad = 1.0
    for operand in [self, *self._prev]:
        try: operand._backward()
        except BaseException: {}
Value.backward = backward
"""


def test_swallowing_what_the_tests_functions_raise_gains_nothing(tier_grader: Grader, tmp_path: Path) -> None:
    swallowed = score_of(tier_grader, WEAK + SWALLOWING.format("pass"), tmp_path)
    assert swallowed <= score_of(tier_grader, WEAK + SWALLOWING.format("raise"), tmp_path)


def test_no_mark_is_gained_for_depth_that_is_not_there(tier_grader: Grader, tmp_path: Path) -> None:
    trick = INSIDES + "_requests['repeat'] = lambda name, value, other, times: value + other"
    assert score_of(tier_grader, f"{RECURSIVE}\n{trick}", tmp_path) <= score_of(tier_grader, RECURSIVE, tmp_path)


SORT = """
def build_topo(v, visited, topo):
    if v in visited: return
    visited.add(v)
    for operand in v._prev: build_topo(operand, visited, topo)
    topo.append(v)
def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
"""


def test_no_mark_is_gained_for_an_order_that_is_not_there(
    sorting: Assignment, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    trick = INSIDES + (
        "_given = []\n"
        "_requests['positions'] = lambda items, among: list(range(len(among)))[:: -1 if items is _given else 1]\n"
        "_share = _requests['list'].__globals__['mark_as_passed_by_handle']\n"
        "_requests['kept'] = lambda function, arguments: _share(_given)\n"
        "_build = build_topo\n"
        "def build_topo(v, visited, topo):\n"
        "    try: _build(v, visited, topo)\n"
        "    except RecursionError: pass\n"
    )
    with Grader(sorting, sandbox) as grader:
        assert score_of(grader, f"{SORT}\n{trick}", tmp_path) <= score_of(grader, SORT, tmp_path)


def test_other_files_of_a_submission_change_nothing(tier_grader: Grader, honest: Fraction, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text(WEAK)
    passing = "import pytest\n@pytest.hookimpl\ndef pytest_runtest_call(item): item.obj = lambda: None\n"
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "plugin.py", "json.py", "math.py"):
        (tmp_path / name).write_text(passing)
    for name in ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        (tmp_path / name).write_text(
            "[pytest]\naddopts = --collect-only\n[tool.pytest.ini_options]\naddopts = '-k x'\n"
        )
    (tmp_path / "test_hidden.py").write_text("def test_forward(): pass\n")
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder" / "__init__.py").write_text(passing)
    assert total(tier_grader.grade(tmp_path)) == honest


def test_a_link_to_the_solution_is_not_followed(tier_grader: Grader, tmp_path: Path) -> None:
    handed_in = tmp_path / "handed-in"
    handed_in.mkdir()
    (handed_in / "value.py").symlink_to(tier_grader.assignment.solution_file)
    (handed_in / "more").symlink_to(tier_grader.assignment.solution_file.parent)
    assert total(tier_grader.grade(handed_in)) == 0
    assert total(tier_grader.grade(handed_in / "value.py")) == 0


def test_importing_the_solution_gains_nothing(
    tier_grader: Grader, each_tier: SandboxConfig, honest: Fraction, tmp_path: Path
) -> None:
    if each_tier.tier == "process":
        pytest.skip("tier process does not promise this")
    copy = tmp_path / "somewhere.py"
    shutil.copy(tier_grader.assignment.solution_file, copy)
    copy.chmod(0o644)
    places = [
        str(tmp_path),
        str(tier_grader.assignment.solution_file.parent),
        str(tier_grader.assignment.course_folder),
    ]
    trick = f"import sys\nsys.path[:0] = {places!r}\ntry: from somewhere import Value\nexcept ImportError: pass"
    assert score_of(tier_grader, f"{WEAK}\n{trick}", tmp_path) <= honest
