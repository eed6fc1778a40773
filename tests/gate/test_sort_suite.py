"""The hidden suite of topological-sort: nothing wrong gets full marks, and left-first loses what right-first does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import load_course
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig

RIGHT_BUILD = """\
def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    for operand in v._prev:
        build_topo(operand, visited, topo)
    topo.append(v)


"""
RIGHT_BACKWARD = """\
def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]


"""
KAHN = """\
def order_of(root, counted, paid, visited=()):
    nodes = [root]
    for node in nodes:
        nodes += [one for one in dict.fromkeys(node._prev) if one not in nodes and one not in visited]
    users = dict.fromkeys(nodes, 0)
    for node in nodes:
        for operand in counted(node._prev):
            users[operand] = users.get(operand, 0) + 1
    ready, order = [root], []
    while ready:
        node = ready.pop()
        order.append(node)
        for operand in paid(node._prev):
            users[operand] -= 1
            if users[operand] == 0 and operand in nodes:
                ready.append(operand)
    return order


"""
KAHN_BUILD = """\
def build_topo(root, visited, topo):
    if root not in visited:
        order = order_of(root, {}, {}, visited)
        visited.update(order)
        topo += order[::-1]


"""
EDGES, OPERANDS = "tuple", "set"


def backward_by(counted: str, paid: str) -> str:
    """A right ``build_topo``, and a ``backward_order`` that counts users."""
    return RIGHT_BUILD + KAHN + f"def backward_order(root):\n    return order_of(root, {counted}, {paid})\n"


def built_by(counted: str, paid: str) -> str:
    """A ``build_topo`` that counts users."""
    return KAHN + KAHN_BUILD.format(counted, paid) + RIGHT_BACKWARD


STOPS = (
    RIGHT_BUILD
    + "def backward_order(root):\n    topo = []\n    build_topo(root, set(), topo)\n    return topo[::-1][:{}]\n"
)
FEW_USERS = """\
def backward_order(root):
    topo, seen = [], {}

    def visit(node):
        seen[node] = seen.get(node, 0) + 1
        if seen[node] == 1:
            for operand in node._prev[:20]:
                visit(operand)
            topo.append(node)

    visit(root)
    return topo[::-1]
"""
WRONG = {
    "counts edges, pays distinct operands": backward_by(EDGES, OPERANDS),
    "counts distinct operands, pays edges": backward_by(OPERANDS, EDGES),
    "builds by edges, pays distinct operands": built_by(EDGES, OPERANDS),
    "builds by distinct operands, pays edges": built_by(OPERANDS, EDGES),
    "stops after 19 nodes": STOPS.format(19),
    "stops after 59 nodes": STOPS.format(59),
    "stops after 199 nodes": STOPS.format(199),
    "looks at twenty operands": RIGHT_BUILD + FEW_USERS,
}
LEFT_AND_RIGHT = {
    "pre-order": "    if v in visited:\n        return\n    visited.add(v)\n    topo.append(v)\n    {walk}\n",
    "no visited": "    {walk}\n    topo.append(v)\n",
    "first only": "    if v in visited:\n        return\n    visited.add(v)\n    {first}\n    topo.append(v)\n",
    "reversed pre-order": (
        "    order, stack = [], [v]\n    while stack:\n        node = stack.pop()\n"
        "        if node not in visited:\n            visited.add(node)\n            order.append(node)\n"
        "            stack += list(node._prev){way}\n    topo += order[::-1]\n"
    ),
}


def walks(body: str, way: str) -> str:
    """A wrong ``build_topo`` that goes through operands one way or the other."""
    walk = f"for operand in list(v._prev){way}:\n        build_topo(operand, visited, topo)"
    first = f"for operand in list(v._prev){way}[:1]:\n        build_topo(operand, visited, topo)"
    return (
        "def build_topo(v, visited, topo):\n" + body.format(walk=walk, first=first, way=way) + "\n\n" + RIGHT_BACKWARD
    )


@pytest.fixture(scope="module")
def sort_grader(root: Path, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader of the sort."""
    (sort,) = (one for one in load_course(root).assignments if one.name == "topological-sort")
    with Grader(sort, sandbox) as opened:
        yield opened


def lost(graded: GradedSubmission) -> dict[str, str]:
    """What was seen in each test that was lost, but for what is beyond the contract."""
    return {
        r.spec.id: r.message for r in graded.test_results if r.outcome != "passed" and not r.spec.asks_beyond_contract
    }


def test_the_right_parts_of_these_programs_are_right(sort_grader: Grader) -> None:
    for right in (
        RIGHT_BUILD + RIGHT_BACKWARD,
        backward_by(EDGES, EDGES),
        built_by(OPERANDS, OPERANDS),
        STOPS.format(10_000),
    ):
        assert lost(sort_grader.grade_submission(make_submission_from_source("right", right))) == {}


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("name", WRONG)
def test_no_wrong_sort_gets_full_marks(sort_grader: Grader, name: str) -> None:
    graded = sort_grader.grade_submission(make_submission_from_source("wrong", WRONG[name]))
    assert lost(graded), name
    assert any(one.score < one.max_score for one in graded.concept_scores if not one.bonus)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    "name",
    [*[*LEFT_AND_RIGHT][:2], *(pytest.param(name, marks=pytest.mark.thorough) for name in [*LEFT_AND_RIGHT][2:])],
)
def test_left_first_and_right_first_lose_the_same_and_are_told_the_same(sort_grader: Grader, name: str) -> None:
    left, right = (
        lost(sort_grader.grade_submission(make_submission_from_source("one", walks(LEFT_AND_RIGHT[name], way))))
        for way in ("", "[::-1]")
    )
    assert left == right
    assert left
