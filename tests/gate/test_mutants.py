"""The solution with one thing wrong: what is made of it, and what `autograder check` says when nothing notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.author_checks.mutation import (
    MutationTestResults,
    check_mutation_results,
    load_equivalent_mutant_reasons,
    run_suite_on_mutants,
)
from autograder.course import Assignment, load_course
from autograder.edits import make_mutants
from autograder.faults import CourseFault
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission


def ids(source: str) -> list[str]:
    """Ids of the mutants of a program."""
    return [mutant.id for mutant in make_mutants(source)]


def changes(line: str) -> set[str]:
    """What becomes of one line in a function of ``a`` and ``b``."""
    where = f"f: {line} -> "
    made = ids(f"def f(a, b):\n    {line}\n")
    return {id_.removeprefix(where) for id_ in made if id_.startswith(where)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.x = b + 3", {"a.x = b - 3", "a.x = b * 3", "a.x = 3 + b", "a.x = b + 4", "a.x += b + 3", "pass"}),
        ("a.x = b ** 3", {"a.x = b * 3", "a.x = 3 ** b"}),
        ("a.x = -b", {"a.x = b"}),
        ("a.x += b", {"a.x = b", "a.x -= b", "b.x += b", "a.x += a"}),
        ("return a > 0", {"return a >= 0", "return a < 0", "return a > 1", "return", "return a", "return b"}),
        ("return a in b", {"return a not in b"}),
        ("return a == b", {"return a != b"}),
        ("return a and b", {"return a or b"}),
        ("return 1", {"return 0", "return 2"}),
        ("return 0.0", {"return 1.0"}),
        ("return True", {"return False"}),
        ("return 'x'", {"return ''"}),
        ("return f'{a} {b}'", {"return f'{a} '", "return f' {b}'", "return f'{a}{b}'", "return ''"}),
        ("return (a, b)", {"return (b, a)", "return ()", "return (a,)", "return (b,)"}),
        ("return f(a, b)", {"return f(b, a)", "return f(b, b)", "return f(a, a)"}),
        ("return a.data", {"return a.grad", "return b.data", "return abs(a.data)", "return round(a.data, 6)"}),
        ("return 1 if a else b", {"return 1 if not a else b", "return 1 if True else b", "return 1 if False else b"}),
        ("return iter(a)", {"return iter(list(a)[::-1])", "return iter(list(a)[:1])", "return iter(list(a)[1:])"}),
        ("return reversed(a)", {"return a"}),
        ("a.walk()", {"a.walk", "pass"}),
    ],
)
def test_a_line_is_changed_in_each_of_these_ways(line: str, expected: set[str]) -> None:
    assert expected <= changes(line)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "while a:\n        g()",
            {"f: while a: -> if a:", "f: while a: -> while True:", "f: while a: -> while not a:"},
        ),
        ("if a:\n        g()", {"f: if a: -> if not a:", "f: if a: -> if True:", "f: if a: -> if False:"}),
        (
            "for x in a:\n        g(x)",
            {
                "f: for x in a: -> for x in list(a)[::-1]:",
                "f: for x in a: -> for x in list(a)[:1]:",
                "f: for x in a: -> for x in list(a)[1:]:",
                "f: for x in a: -> for x in a: / break",
                "f: for x in a: -> for x in a: / continue",
            },
        ),
        ("for x in a:\n        break", {"f: break -> continue", "f: break -> pass"}),
        ("def g(a, b=()):\n        return a", {"f.g: def g(a, b=()): -> def g(a, b=None):"}),
        ("@cache\n    def g(): return 1", {"f.g: @cache -> nothing"}),
        ("def g(): return 1\n    a.x = g", {"f: a.x = g -> a.x = g()", "f.g: return 1 -> return 2"}),
    ],
)
def test_a_block_is_changed_in_each_of_these_ways(source: str, expected: set[str]) -> None:
    assert expected <= set(ids(f"def f(a, b):\n    {source}\n"))


def test_what_an_exception_says_is_left_alone_and_that_it_is_raised_is_not() -> None:
    found = ids(
        "def f(a, b):\n    if a > b:\n        raise ValueError(f'{a} is above', b, a + b)\n    return a + b\n"
    )
    assert "f: return a + b -> return a - b" in found
    assert "f: if a > b: -> if a >= b:" in found
    assert [one for one in found if "ValueError" in one.partition(" -> ")[2]] == []


def test_annotations_and_docstrings_are_left_alone() -> None:
    assert ids('def f(a: "int") -> "int":\n    """What it does."""\n    return a\n') == [
        "f: def f(a: 'int') -> 'int': / return a -> pass",
        "f: return a -> pass",
        "f: return a -> return",
    ]


def test_the_first_loss_is_that_of_the_tests_asked_for_first(engine: Assignment, grader: Grader) -> None:
    wrong = engine.solution_file.read_text(encoding="utf-8").replace("+ other.data", "- other.data")
    submission = Submission("wrong", "", ("value.py",), (SourceUnit("value.py", wrong),))
    assert grader.find_first_failure(submission) == "forward.a-sum-adds"
    assert (
        grader.find_first_failure(submission, ("the-engine-as-a-whole.a-sum-with-itself",))
        == "the-engine-as-a-whole.a-sum-with-itself"
    )


SOLUTION = """
def double(a):
    return a + a


def half(a):
    return a / 2
"""
SUITE = '''
import pytest

pytestmark = pytest.mark.concept("numbers")


@pytest.mark.subject("double")
@pytest.mark.hint("Add it to itself.")
def test_double(student):
    """Doubles."""
    assert student.get("double")(3) == 6
'''
GRADING = "assignments: {numbers: {defines: [double, half], concepts: {numbers: 1}}}\n"


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    """One whose suite has a hole: nothing looks at ``half``."""
    hidden, solutions = tmp_path / "assignments/numbers/hidden", tmp_path / "solutions/numbers"
    hidden.mkdir(parents=True)
    solutions.mkdir(parents=True)
    (tmp_path / "grading.yml").write_text(GRADING, encoding="utf-8")
    (hidden / "test_numbers.py").write_text(SUITE, encoding="utf-8")
    (solutions / "value.py").write_text(SOLUTION, encoding="utf-8")
    return load_course(tmp_path).assignments[0]


@pytest.fixture
def listed(assignment: Assignment) -> Callable[..., None]:
    """Write ``equivalents.yml``."""

    def write(*names: str) -> None:
        lines = ["equivalents:", "  - reason: nobody asks for it", "    mutants:", *(f"      - '{n}'" for n in names)]
        assignment.solution_file.with_name("equivalents.yml").write_text("\n".join(lines), encoding="utf-8")

    return write


def test_survivors_are_findings_and_progress_is_told(assignment: Assignment, sandbox: SandboxConfig) -> None:
    told: list[tuple[int, int]] = []
    kept, reasons = check_mutation_results(
        run_suite_on_mutants(assignment, sandbox, lambda done, count: told.append((done, count)))
    )
    assert "the mutant half: return a / 2 -> return a * 2 gets full marks" in kept.problems
    assert not [problem for problem in kept.problems if problem.startswith("double")]
    assert reasons.claim_holds
    assert told[-1][0] == told[-1][1] == len(told)


@pytest.mark.thorough
def test_survivors_can_be_pasted_into_the_file_of_equivalents(assignment: Assignment, sandbox: SandboxConfig) -> None:
    path = assignment.solution_file.with_name("equivalents.yml")
    kept, _ = check_mutation_results(
        MutationTestResults({'half: return "a" -> return 2': "", "half: a": "numbers.half"}, {})
    )
    path.write_text(f"equivalents:\n{kept.to_paste}\n", encoding="utf-8")
    assert load_equivalent_mutant_reasons(assignment) == {'half: return "a" -> return 2': "Say why these are right."}
    assert check_mutation_results(run_suite_on_mutants(assignment, sandbox, lambda done, count: None))[0].to_paste


@pytest.mark.thorough
def test_a_listed_mutant_is_no_finding(
    assignment: Assignment, sandbox: SandboxConfig, listed: Callable[..., None]
) -> None:
    listed("half: return a / 2 -> return a * 2")
    kept, reasons = check_mutation_results(run_suite_on_mutants(assignment, sandbox, lambda done, count: None))
    assert not [problem for problem in kept.problems if "a * 2" in problem]
    assert reasons.claim_holds


def test_a_listed_mutant_that_is_not_there_or_is_wrong_is_a_finding(
    assignment: Assignment, sandbox: SandboxConfig, listed: Callable[..., None]
) -> None:
    listed("half: return a / 3 -> return a * 3", "double: return a + a -> return a - a")
    _, reasons = check_mutation_results(run_suite_on_mutants(assignment, sandbox, lambda done, count: None))
    assert reasons.problems == (
        "unknown mutant half: return a / 3 -> return a * 3 (take it out of equivalents.yml, or correct it)",
        "the mutant double: return a + a -> return a - a loses numbers.double",
    )


def test_a_list_without_reasons_is_a_fault_of_the_course(assignment: Assignment) -> None:
    path = assignment.solution_file.with_name("equivalents.yml")
    path.write_text("equivalents:\n  - mutants: [x]\n", encoding="utf-8")
    with pytest.raises(CourseFault, match="reason"):
        load_equivalent_mutant_reasons(assignment)
