"""What hangs in one method leaves the others their marks, and costs little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.grading.test_suite import outcomes

if TYPE_CHECKING:
    from tests.grading.conftest import GradeWith

TESTS = """
import pytest

@pytest.mark.parametrize("start", range(12))
def test_up(Counter, start):
    'Counts.'
    assert Counter(start).up() == start + 1

def test_value(Counter):
    'Starts.'
    assert Counter(3).value == 3
"""
GRADING = """\
course: small
assignments:
  counter:
    defines: [Counter]
    concepts: {counting: 10}
"""
WITH_DOWN = """\
class Counter:
    def __init__(self, start=0):
        self.value = start

    def up(self):
        {up}
        self.value += 1
        return self.value

    def down(self):
        {down}
        self.value -= 1
        return self.value
"""
UP_AND_DOWN = (
    TESTS
    + """
@pytest.mark.parametrize("start", range(3))
def test_down(Counter, start):
    'Counts down.'
    assert Counter(start).down() == start - 1
"""
)
SMALL = "limits: {memory_mb: 256, cpu_seconds: 2, wall_seconds: 6, submission_seconds: 30}"
"""The memory is full before the time is up, on a busy machine too."""
FILLS = "kept = []\n        while True: kept.append(bytearray(10_000_000))"


def test_one_loop_without_an_end_takes_few_processes_whatever_comes_after_it(grade_with: GradeWith) -> None:
    source = WITH_DOWN.format(up="while True: pass", down="pass")
    result = grade_with(UP_AND_DOWN, source, grading=GRADING, solution=WITH_DOWN.format(up="0", down="0"))
    seen = outcomes(result)
    assert {seen[name] for name in seen if name.startswith("up")} == {"timeout"}
    assert {seen[name] for name in seen if not name.startswith("up")} == {"passed"}
    assert result.process_count <= 6


def test_what_fills_the_memory_in_one_method_may_need_much_of_it_in_another(grade_with: GradeWith) -> None:
    source = WITH_DOWN.format(up=FILLS, down="bytearray(100_000_000)")
    result = grade_with(UP_AND_DOWN, source, grading=GRADING + SMALL, solution=WITH_DOWN.format(up="0", down="0"))
    seen = outcomes(result)
    assert {seen[name] for name in seen if name.startswith("up")} == {"crashed"}
    assert {seen[name] for name in seen if not name.startswith("up")} == {"passed"}
