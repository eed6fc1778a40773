"""Each part of an engine is looked at by itself, and what was seen is no matter of taste."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder.bridge import LocalStudentProxy
from autograder.course import Assignment
from autograder.course.misconceptions import list_alternative_solutions
from autograder.course.solution_styles import (
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.diagnosis import DiagnosablePart
from autograder.diagnosis.naming.general_mistake_texts import load_general_mistake_templates
from autograder.diagnosis.part_experiment_log import PartExperimentLog, PartExperimentResult
from tests.course_modules import engine_module, parts_of
from tests.diagnosis.conftest import edited

UNNAMED: Any = engine_module("probes.whole_engine").UNNAMED

NOT_SETTABLE = ("read_only_backward", "slots_and_method")
"""Wheats whose `_backward` only a bridge replaces."""
NO_BONUS = ("float_subclass", "tuple_subclass")
"""Wheats that inherit operators which are not theirs."""


def student_of(source: str) -> LocalStudentProxy:
    module = sys.modules["value"] = ModuleType("value")
    exec(compile(source, "value.py", "exec"), module.__dict__)
    return LocalStudentProxy(vars(module))


@pytest.fixture(autouse=True)
def _kept_interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what programs that run in this process change of it: later tests rely on a recursion that ends."""
    monkeypatch.setitem(sys.modules, "value", ModuleType("value"))
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


def has_of(student: LocalStudentProxy, assignment: Assignment) -> set[str]:
    defined = assignment.defines
    return {
        *defined,
        *(name for one in defined if isinstance(student.get(one), type) for name in dir(student.get(one))),
    }


def run_probe(part: DiagnosablePart, student: LocalStudentProxy) -> PartExperimentResult:
    log = PartExperimentLog(part.name)
    part.probe(log, student)
    return log.make_part_result()


def examine_all(
    source: str, assignment: Assignment, which: Callable[[DiagnosablePart], bool] = lambda _: True
) -> dict[str, PartExperimentResult]:
    student = student_of(source)
    return {
        part.name: run_probe(part, student)
        for part in parts_of(assignment, has_of(student, assignment))
        if which(part)
    }


def found(results: dict[str, PartExperimentResult]) -> dict[str, list[str]]:
    return {name: [one.finding_id for one in result.findings] for name, result in results.items() if result.findings}


@pytest.fixture
def look(engine: Assignment) -> Callable[..., dict[str, PartExperimentResult]]:
    """``look((old, new), ...)``: the results of all parts of the reference engine with pieces replaced."""
    return lambda *edits: examine_all(edited(engine.solution_file, *edits), engine)


@pytest.mark.thorough
def test_nothing_is_wrong_with_a_right_engine(engine: Assignment) -> None:
    for path in list_alternative_solutions(engine):
        if path.stem in NOT_SETTABLE:
            continue
        core_only = path.stem in NO_BONUS
        source = path.read_text(encoding="utf-8")
        results = examine_all(
            source,
            engine,
            lambda part: (part.is_required or not core_only) and not part.probes_everything,  # noqa: B023
        )
        assert found(results) == {}, path.stem


def test_nothing_is_wrong_with_a_right_sort(sorting: Assignment) -> None:
    for path in list_alternative_solutions(sorting):
        assert found(examine_all(path.read_text(encoding="utf-8"), sorting)) == {}, path.stem


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "    visited.add(v)\n    stack",
            "    visited.update([v] if v._prev else [])\n    stack",
            "visited-lacks-nodes",
        ),
        (
            "            topo.append(node)\n",
            "            if all(operand in topo for operand in node._prev):\n                topo.append(node)\n",
            "nodes-beside-visited-are-left-out",
        ),
    ],
    ids=["a lone leaf is not added to visited", "a node waits for visited operands"],
)
def test_what_goes_wrong_with_visited_is_called_by_its_own_name(
    sorting: Assignment, old: str, new: str, finding: str
) -> None:
    results = examine_all(edited(sorting.solution_file, (old, new)), sorting)
    assert found(results)["build_topo"] == [finding]


def test_every_style_is_right(engine: Assignment) -> None:
    solution = engine.solution_file.read_text(encoding="utf-8")
    for style in load_solution_styles(engine):
        source = try_apply_style_and_mistakes(style, solution, [])
        assert source is not None, style.id
        assert found(examine_all(source, engine)) == {}, style.id


ADD_LINES = ("            self.grad += out.grad\n            other.grad += out.grad\n",)


@pytest.mark.parametrize(
    ("new", "names"),
    [
        ("            self.grad = out.grad\n            other.grad = out.grad\n", ["replaces"]),
        ("            self.grad += out.grad\n", ["passes-nothing"]),
        ("            self.grad += out.grad\n            other.grad -= out.grad\n", ["subtracts"]),
        ("            self.grad += 1.0\n            other.grad += 1.0\n", ["upstream-left-out"]),
        (
            "            for one in {self, other}:\n                one.grad += out.grad\n",
            ["twin-counts-once"],
        ),
        ("            self.grad += out.grad / 0\n", ["backward-of-operation-raises"]),
    ],
)
def test_the_local_rule_of_an_operation_is_told(
    look: Callable[..., dict[str, PartExperimentResult]], new: str, names: list[str]
) -> None:
    assert found(look((ADD_LINES[0], new)))["add local"] == names


def test_a_finding_says_which_operand_and_which_numbers(look: Callable[..., dict[str, PartExperimentResult]]) -> None:
    result = look(("            other.grad += self.data * out.grad\n", ""))["mul local"]
    (finding,) = result.findings
    assert finding.quoted_values["side"] == "its right operand"
    assert finding.quoted_values["op"] == "`a * b`"
    assert (finding.quoted_values["had"], finding.quoted_values["got"]) == ("0", "0")


def test_one_wrong_part_leaves_the_others_right(look: Callable[..., dict[str, PartExperimentResult]]) -> None:
    results = look(("self.grad = 1.0\n        for node", "for node"))
    assert {*found(results)} == {"backward", "again", "between", "whole"}
    assert found(results)["backward"] == ["seed-is-missing"]


def test_operands_that_are_lost_only_where_numbers_are_equal_are_told_as_that(
    look: Callable[..., dict[str, PartExperimentResult]],
) -> None:
    equal = (
        "    def __eq__(self, other):\n        return self.data == other.data\n\n"
        "    def __hash__(self):\n        return hash(self.data)\n\n"
    )
    kept_in_a_set = ("        self._prev = _prev\n", "        self._prev = set(_prev)\n")
    found_here = found(look(kept_in_a_set, ("    def __neg__(self)", f"{equal}    def __neg__(self)")))
    assert found_here["add forward"] == ["equal-operands-recorded-once"]


def test_operands_that_are_lost_only_where_they_are_zero_are_told_as_that(
    look: Callable[..., dict[str, PartExperimentResult]],
) -> None:
    false_at_zero = "    def __bool__(self):\n        return self.data != 0\n\n    def __neg__(self)"
    found_here = found(
        look(("self._prev = _prev", "self._prev = [*filter(None, _prev)]"), ("    def __neg__(self)", false_at_zero))
    )
    assert found_here["add forward"] == ["zero-operands-not-recorded"]


def test_operands_that_are_no_container_are_told_as_that(
    look: Callable[..., dict[str, PartExperimentResult]],
) -> None:
    assert found(look(('Value(t, (self,), "tanh")', 'Value(t, (self), "tanh")')))["tanh forward"] == [
        "operands-cannot-be-listed"
    ]


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (ADD_LINES[0], "add local"),
        (
            "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n",
            "mul local",
        ),
    ],
)
def test_rounded_gradients_show_in_the_operation_that_rounds_them(
    look: Callable[..., dict[str, PartExperimentResult]], lines: str, part: str
) -> None:
    rounded = lines.replace("+= ", "+= round(").replace(".grad\n", ".grad, 4)\n")
    (finding,) = look((lines, rounded))[part].findings
    assert finding.quoted_values["phrase"] == "the shares are rounded to four decimals"


def test_an_operator_in_place_that_changes_its_operand_is_told(
    look: Callable[..., dict[str, PartExperimentResult]],
) -> None:
    method = "    def __iadd__(self, other):\n        self.data += other.data\n        return self\n\n"
    found_here = found(look(("    def __neg__(self)", f"{method}    def __neg__(self)")))
    assert found_here["add forward"] == ["in-place-changes-the-operand"]


LOOP = "for node in reversed(self._operands_first()):\n            node._backward()"


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for node in self._operands_first():\n            node._backward()", ["operands-before-users"]),
        ("for node in reversed(self._operands_first()[:-1]):\n            node._backward()", ["root-is-not-called"]),
        ("self._backward()", ["only-the-root-is-called"]),
        ("pass", ["nothing-is-called"]),
        (
            "for node in [*reversed(self._operands_first())][:50]:\n            node._backward()",
            ["large-graphs-are-not-finished"],
        ),
        (
            "for node in sorted(self._operands_first(), key=lambda n: -n.data):\n            node._backward()",
            ["order-by-number"],
        ),
    ],
    ids=["not reversed", "without the root", "root alone", "nothing", "fifty", "by number"],
)
def test_the_walk_of_backward_is_told(
    look: Callable[..., dict[str, PartExperimentResult]], loop: str, names: list[str]
) -> None:
    assert found(look((LOOP, loop)))["backward"] == names


def test_a_count_along_every_path_is_told_by_the_nodes_that_it_leaves_out(
    look: Callable[..., dict[str, PartExperimentResult]],
) -> None:
    by_count = (
        "users = {}\n\n"
        "        def count(node):\n"
        "            if users.setdefault(None, 0) > 10_000:  # without a limit, a walk along every path never ends\n"
        "                raise RuntimeError\n"
        "            users[None] += 1\n"
        "            for operand in node._prev:\n"
        "                users[operand] = users.get(operand, 0) + 1\n"
        "                count(operand)\n\n"
        "        count(self)\n"
        "        ready = [self]\n"
        "        while ready:\n"
        "            node = ready.pop()\n"
        "            node._backward()\n"
        "            for operand in node._prev:\n"
        "                users[operand] -= 1\n"
        "                if users[operand] == 0:\n"
        "                    ready.append(operand)"
    )
    assert found(look((LOOP, by_count)))["backward"] == ["nodes-left-out"]


@pytest.mark.parametrize(
    ("loop", "name"),
    [
        (f"{LOOP}\n            node.grad += 0 if node._prev else 1", "gradients-beside"),
        (f"self.grad = 2.0\n        {LOOP}", "seed-is-wrong"),
    ],
    ids=["leaves get more", "another seed"],
)
def test_a_seed_is_called_wrong_where_it_is(
    look: Callable[..., dict[str, PartExperimentResult]], loop: str, name: str
) -> None:
    found_here = found(look((LOOP, loop)))["backward"]
    assert name in found_here
    assert ("seed-is-wrong" in found_here) == (name == "seed-is-wrong")


def test_results_of_a_wrong_walk_do_not_depend_on_which_operand_comes_first(engine: Assignment) -> None:
    solution = edited(
        engine.solution_file, (LOOP, "for node in self._operands_first():\n            node._backward()")
    )
    styles = [style for style in load_solution_styles(engine) if style.id in ("plain", "right-first", "recursive")]
    sources = [try_apply_style_and_mistakes(style, solution, []) for style in styles]
    results = [examine_all(source or "", engine, lambda part: part.name == "backward") for source in sources]
    assert len({one["backward"].digest for one in results}) == 1


def names_in(files: Iterable[Path]) -> set[str]:
    """The general names that the source of the probes speaks of."""
    found: set[str] = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} if re.fullmatch(r"[a-z]+(-[a-z]+)+", node.value) else set()
    return found


def test_everything_that_can_be_found_has_a_general_name(engine: Assignment, sorting: Assignment) -> None:
    for assignment, files in ((engine, "probes/*.py"), (sorting, "sort_probes.py")):
        seen = names_in((assignment.folder / "diagnosis").glob(files)) - {UNNAMED}
        assert len(seen) > 10
        assert seen <= load_general_mistake_templates(assignment).keys()


def test_general_names_quote_nothing_that_is_not_seen(engine: Assignment, sorting: Assignment) -> None:
    known = {
        "op",
        "side",
        "node",
        "at",
        "upstream",
        "had",
        "got",
        "right",
        "phrase",
        "which",
        "error",
        "graph",
        "what",
        "on",
    }
    known |= {"number", "once", "or", "user", "times", "container"}
    for assignment in (engine, sorting):
        for name, one in load_general_mistake_templates(assignment).items():
            text = " ".join((one.title, one.explanation, *one.hints))
            assert set(re.findall(r"{(\w*)}", text)) <= known, name


def test_parts_come_after_what_they_depend_on(engine: Assignment) -> None:
    student = student_of(engine.solution_file.read_text(encoding="utf-8"))
    seen: set[str] = set()
    for part in parts_of(engine, has_of(student, engine)):
        assert seen.issuperset(part.prerequisite_parts), part.name
        seen.add(part.name)
