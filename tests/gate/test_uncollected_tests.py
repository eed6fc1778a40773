"""Tests that pytest leaves out of a hidden suite, and fixtures that do not exist."""

from __future__ import annotations

import pytest

from autograder.course import Assignment
from tests.gate.file_problems import lines_told, problems

MARKS = "import unittest\nimport pytest\npytestmark = [pytest.mark.concept('addition'), pytest.mark.hint('Look.')]\n"


def write_test_file(vectors: Assignment, source: str, name: str = "test_2_more.py") -> dict[str, str]:
    path = vectors.hidden_suite_folder / name
    path.write_text(MARKS + source)
    return lines_told(vectors, path)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("class Sums(unittest.TestCase):", "cannot be written with unittest.TestCase"),
        ("class Sums:", "its name does not begin with Test (rename it to TestSums)"),
        ("class TestSums:\n    def __init__(self): pass", "it has a constructor of its own"),
    ],
)
def test_a_class_whose_tests_never_run_is_told_with_the_reason(vectors: Assignment, head: str, why: str) -> None:
    said = write_test_file(vectors, f"{head}\n    def test_it(self, student):\n        '''It.'''\n")
    assert why in said["4"]
    assert "such as test_it" in said["4"]


def test_a_file_whose_name_pytest_passes_over_is_told_with_a_better_one(vectors: Assignment) -> None:
    said = write_test_file(vectors, "def test_it(student):\n    '''It.'''\n", "tests_more.py")
    assert said == {"4": "pytest runs no test of this file, such as test_it (rename the file to test_more.py)"}


def test_a_misspelt_fixture_is_told_with_the_nearest_one(vectors: Assignment) -> None:
    said = write_test_file(vectors, "def test_it(studnet):\n    '''It.'''\n")
    assert "no fixture is called 'studnet'; did you mean 'student'?" in said["4"]


def test_a_fixture_that_only_works_under_pytest_alone_is_told_with_one_that_does(vectors: Assignment) -> None:
    said = write_test_file(vectors, "def test_it(student, tmp_path):\n    '''It.'''\n")
    assert "the fixture 'tmp_path' does not work in hidden tests (use `tmp_path_factory.mktemp(...)`)" in said["4"]


def test_a_test_that_is_parametrized_with_nothing_is_told(vectors: Assignment) -> None:
    said = write_test_file(vectors, "@pytest.mark.parametrize('n', [])\ndef test_it(student, n):\n    '''It.'''\n")
    assert said == {
        "4": "`parametrize` gives test_it no cases, so it never runs (look at what its list is made from)"
    }


def test_tests_that_run_in_other_ways_are_no_mistake(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "shared.py").write_text(
        "class Shared:\n    def test_shared(self, student):\n        '''Shared.'''\n\n\n"
        "def test_imported(student):\n    '''Imported.'''\n"
    )
    source = (
        "from shared import Shared, test_imported\n"
        "class TestShared(Shared): pass\n"
        "class TestOuter:\n    class TestInner:\n        def test_inner(self, student):\n            '''In.'''\n"
        "class Unused:\n    __test__ = False\n    def test_nothing(self): pass\n"
        "@pytest.fixture\ndef test_data(): return 3\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_fixtures(student, test_data, n, tmp_path_factory, request):\n"
        "    '''Fixtures.'''\n"
    )
    (vectors.hidden_suite_folder / "sums_test.py").write_text(MARKS + source)
    assert problems(vectors) == ()


def test_the_first_of_two_tests_of_one_name_is_told(vectors: Assignment) -> None:
    said = write_test_file(vectors, "def test_it(student):\n    '''One.'''\ndef test_it(student):\n    '''Two.'''\n")
    assert said == {"4": "test_it is defined again in line 6, so this test never runs (rename one of them)"}


def test_an_async_test_is_told(vectors: Assignment) -> None:
    said = write_test_file(vectors, "async def test_it(student):\n    '''It.'''\n")
    assert said == {"4": "test_it is an async function, which pytest does not run (write it with `def` alone)"}
