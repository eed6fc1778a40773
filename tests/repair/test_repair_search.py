"""A repair is the smallest change of the student's own text; the hidden suite proves it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli.options import get_assignment
from autograder.course import load_course
from autograder.edits import ProposedEdit
from autograder.grading import Grader
from autograder.repair.candidate_runs import MOST_STOPS, ChangedText, open_candidate_runner
from autograder.repair.model import Repair
from autograder.repair.search import find_repair_of_graded
from autograder.repair.shrinking import Change
from autograder.repair.step_search import list_donors
from autograder.repair.steps import Candidate, CandidateTester, make_baseline
from autograder.sandbox.tiers import choose_strongest_sandbox
from tests.toy import SOLUTION, SUITE, load_toy

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "submissions"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """Grade the engine's assignment."""
    assignment = get_assignment(load_course(ROOT / "grading.yml"), "autograd-engine")
    with Grader(assignment, choose_strongest_sandbox("process", None, assignment.packages)) as grader:
        yield grader


def repaired(grader: Grader, path: Path) -> Repair:
    """Return the repair of a file."""
    return find_repair_of_graded(grader, grader.grade(path))


def apply(text: str, repair: Repair) -> str:
    """Put the edits into a text, from the bottom."""
    lines = text.split("\n")
    for edit in sorted(repair.edits, key=lambda one: -one.line):
        assert "\n".join(lines[edit.line - 1 : edit.end_line]) == edit.before
        lines[edit.line - 1 : edit.end_line] = edit.after.split("\n") if edit.after else []
    return "\n".join(lines)


def test_a_missing_reversed_is_found_in_its_line_and_what_it_mends_passes_when_it_is_applied(
    grader: Grader, tmp_path: Path
) -> None:
    source = EXAMPLES / "forgot_reversed.py"
    before = grader.grade(source)
    repair = find_repair_of_graded(grader, before)
    (edit,) = repair.edits
    assert edit.kind == "call"
    assert "reversed" in edit.new
    assert repair.proven
    assert repair.complete
    assert repair.tried > 0
    path = tmp_path / "value.py"
    path.write_text(apply(source.read_text(encoding="utf-8"), repair), encoding="utf-8")
    after = {result.spec.id: result.outcome for result in grader.grade(path).test_results}
    assert {after[test_id] for test_id in repair.mends} == {"passed"}
    assert all(after[one.spec.id] == "passed" for one in before.test_results if one.outcome == "passed")


def test_a_method_is_another_where_the_tests_are_about_it_before_one_that_it_uses(
    grader: Grader, tmp_path: Path
) -> None:
    solution = grader.assignment.solution_file.read_text(encoding="utf-8")
    start = solution.index('        out = Value(t, (self,), "tanh")')
    end = solution.index("        return out\n", start) + len("        return out\n")
    path = tmp_path / "value.py"
    path.write_text(f'{solution[:start]}        return Value(t, (self,), "tanh")\n{solution[end:]}', encoding="utf-8")
    repair = repaired(grader, path)
    assert {edit.function for edit in repair.edits} == {"Value.tanh"}
    assert repair.complete


def test_equal_bytes_get_equal_repairs(grader: Grader) -> None:
    one, other = (repaired(grader, EXAMPLES / "forgot_reversed.py") for _ in range(2))
    assert one == other


def test_a_right_program_and_one_that_cannot_be_graded_have_no_repair(grader: Grader) -> None:
    for name in ("textbook", "syntax_error"):
        assert repaired(grader, EXAMPLES / f"{name}.py") == Repair()


@pytest.mark.parametrize("line", ["import inspect", "import gc", "open(__file__)", "f = (lambda: 0).__code__"])
def test_a_program_that_reaches_for_the_text_of_others_gets_no_right_program_near_it(
    grader: Grader, line: str
) -> None:
    assert list_donors(grader, "class Value:\n    pass\n")
    assert not list_donors(grader, f"{line}\nclass Value:\n    pass\n")


def repaired_toy(folder: Path, solution: str, submission: str, test: str) -> Repair:
    """Return the repair of a submission to a toy assignment with one hidden test."""
    files = {SUITE: f"import pytest\n\n\n{test}", SOLUTION: solution, "value.py": submission}
    assignment = load_toy(folder, files=files)
    with Grader(assignment, choose_strongest_sandbox("process", None, assignment.packages)) as grader:
        return repaired(grader, folder / "value.py")


def test_a_test_that_goes_on_after_an_exception_sees_what_comes_then(tmp_path: Path) -> None:
    test = (
        '@pytest.mark.concept("doubling")\n'
        "def test_double(student):\n"
        '    """Halves of one are refused, and one is doubled."""\n'
        "    for number in (0.5, 1.5):\n"
        "        with pytest.raises(ValueError):\n"
        '            student.get("double")(number)\n'
        '    assert student.get("double")(1) == 2\n'
    )
    text = "def double(x):\n    if x {} 1:\n        raise ValueError(x)\n    return x + x\n"
    (edit,) = repaired_toy(tmp_path, text.format("!="), text.format("<"), test).edits
    assert (edit.line, edit.old, edit.new) == (2, "x < 1", "x != 1")


DOUBLES = (
    '@pytest.mark.concept("doubling")\n'
    "def test_double(student):\n"
    '    """Numbers are doubled."""\n'
    '    assert [student.get("double")(number) for number in (1, 3, 4)] == [2, 6, 8]\n'
)


def test_a_change_that_only_puts_a_branch_out_of_use_is_passed_by(tmp_path: Path) -> None:
    wrong = "def double(x):\n    if x == 3:\n        return x\n    return x + x\n"
    (edit,) = repaired_toy(tmp_path, "def double(x):\n    return x + x\n", wrong, DOUBLES).edits
    assert (edit.kind, edit.line, edit.new) in [("remove statement", 2, ""), ("condition", 2, "False")]


def test_what_a_right_program_does_otherwise_without_need_is_no_part_of_the_change(tmp_path: Path) -> None:
    right = "def double(x):\n    n = float(x)\n    n += float(x)\n    return n\n"
    wrong = "def double(x):\n    n = abs(x)\n    n += pow(abs(x), 3)\n    return n\n"
    edits = repaired_toy(tmp_path, right, wrong, DOUBLES).edits
    assert [edit.line for edit in edits] == [3]


def test_a_line_that_is_written_otherwise_beside_an_added_one_may_be_undone_by_itself() -> None:
    change = Change("pair = max(a, key=b)\n", "if not a:\n    break\npair = min(a, key=lambda c: -b(c))\n")
    without = [change.make_text({*change.pieces} - group) for group in change.list_groups(change.pieces)]
    assert "if not a:\n    break\npair = max(a, key=b)\n" in without


def test_a_comment_below_a_change_stays_on_its_line() -> None:
    change = Change("add(id(v))\n# operands\ngo()\n", "add(v)\ngo()\n")
    fewer = [change.make_text({*change.pieces} - {piece}) for piece in change.pieces]
    assert "add(v)\n# operands\ngo()\n" in fewer


@pytest.mark.parametrize("name", ["overwrites", "zero_grad_shallow"])
def test_what_tests_find_out_for_others_is_known_of_a_program_before_its_candidates_run(
    grader: Grader, name: str
) -> None:
    graded = grader.grade(EXAMPLES / f"{name}.py")
    assert graded.program is not None
    with open_candidate_runner(grader, graded.program) as runner:
        known = [spec.id for spec in grader.test_specs if runner.measure_requests(spec.id)]
        passed = runner.list_passed_tests(ChangedText(0, graded.program.units[0][1]), known)
    outcomes = {result.spec.id: result.outcome for result in graded.test_results}
    assert len(known) > 0.9 * len(outcomes)
    assert passed == {test_id for test_id in known if outcomes[test_id] == "passed"}


def test_what_one_phase_of_a_search_learned_of_candidates_is_forgotten_in_the_next(grader: Grader) -> None:
    graded = grader.grade(EXAMPLES / "overwrites.py")
    assert graded.program is not None
    outcomes = {result.spec.id: result.outcome for result in graded.test_results}
    baseline = make_baseline(grader, graded.program, outcomes)
    with open_candidate_runner(grader, graded.program) as runner:
        tester = CandidateTester(grader, runner, baseline)
        source = graded.program.units[0][1]
        unchanged = Candidate(0, ProposedEdit(source, 1, 1, "name", "", "", "", 1))
        runner.stops = MOST_STOPS  # as if others had used up all processes
        assert tester.list_passed(unchanged) == frozenset()
        runner.stops = 0
        assert tester.list_passed(unchanged) == frozenset()
        tester.allow_proofs(1)
        assert len(tester.list_passed(unchanged)) > 0.9 * len(baseline.passed)
