"""A test's digest changes when what it does may change, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.suite.hidden_suite import HiddenTestLocation
from autograder.regrade.hidden_test_digests import HiddenTestFingerprint, digest_suite

MODULE = '''\
import pytest

LIMIT = 3

def help(x):
    return x + LIMIT

@pytest.mark.weight(2)
def test_one(student):
    """One."""
    assert help(1) == 4

@pytest.mark.parametrize("x", [1, 2])
def test_two(student, x):
    """Two."""
    assert help(x) == x + 3

class TestMore:
    def test_three(self):
        """Three."""
        test_one(None)
'''

Sources = tuple[dict[str, HiddenTestFingerprint], str]


def sources(folder: Path, text: str = MODULE, **others: str) -> Sources:
    file = folder / "test_it.py"
    file.write_text(text)
    for name, content in others.items():
        (folder / f"{name}.py").write_text(content)
    functions = {"one": "test_one", "two": "test_two", "three": "TestMore.test_three"}
    return digest_suite(
        folder, {name: HiddenTestLocation(file, function, "") for name, function in functions.items()}
    )


def changed(before: Sources, after: Sources) -> set[str]:
    return {name for name in before[0] if before[0][name] != after[0][name]}


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ("LIMIT = 3", "LIMIT = 3  # at most", set()),
        ("weight(2)", "weight(3)", set()),
        ('"""One."""', '"""The first."""', set()),
        ("    assert help(1) == 4", "    # so it is\n    assert help(1) == 4", set()),
        ("help(x) == x + 3", "help(x) == 3 + x", {"two"}),
        ("[1, 2]", "[1, 2, 3]", {"two"}),
        ("help(1) == 4", "help(1) > 3", {"one", "three"}),
        ("LIMIT = 3", "LIMIT = 2 + 1", {"one", "two", "three"}),
        ("return x + LIMIT", "return LIMIT + x", {"one", "two", "three"}),
        ("class TestMore:", "@pytest.mark.needs('up')\nclass TestMore:", {"one", "two", "three"}),
    ],
)
def test_a_change_shows_in_the_tests_that_it_touches(tmp_path: Path, old: str, new: str, tests: set[str]) -> None:
    assert old in MODULE
    assert changed(sources(tmp_path), sources(tmp_path, MODULE.replace(old, new))) == tests


def test_what_other_files_hold_is_shared(tmp_path: Path) -> None:
    before = sources(tmp_path, conftest="x = 1\n")
    after = sources(tmp_path, conftest="x = 2\n")
    assert changed(before, after) == set()
    assert before[1] != after[1]


def test_a_module_of_tests_that_another_imports_from_is_shared(tmp_path: Path) -> None:
    other = "from test_it import help\n"
    places = {"other": HiddenTestLocation(tmp_path / "test_other.py", "test_other", "")}
    (tmp_path / "test_other.py").write_text(other + "def test_other():\n    assert help(1) == 4\n")
    (tmp_path / "test_it.py").write_text(MODULE)
    here = {"one": HiddenTestLocation(tmp_path / "test_it.py", "test_one", "")}
    before = digest_suite(tmp_path, {**places, **here})[1]
    (tmp_path / "test_it.py").write_text(MODULE.replace("return x + LIMIT", "return LIMIT + x"))
    assert digest_suite(tmp_path, {**places, **here})[1] != before


def test_of_what_is_no_plain_function_all_of_its_file_counts(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(MODULE)
    before = digest_suite(tmp_path, {"made": HiddenTestLocation(file, "make.<locals>.test_made", "")})[0]
    file.write_text(MODULE + "# more\n")
    assert digest_suite(tmp_path, {"made": HiddenTestLocation(file, "make.<locals>.test_made", "")})[0] != before
