"""What submissions may import besides the standard library: what grading.yml names, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.faults import CourseFault
from autograder.grading import Grader
from autograder.sandbox.installed_files import locate_packages_with_requirements
from autograder.sandbox.tiers import TIERS
from tests.sandbox.conftest import Run, offered

numpy = pytest.importorskip("numpy", reason="numpy is the example of a package, and is not installed")

USES_NUMPY = """
import os, sys, threading
import numpy as np
def attack():
    weights = np.linalg.svd(np.arange(6.0).reshape(2, 3))[1]
    return [float(np.float64(2.5)), len(weights), threading.active_count(), os.environ.get('OPENBLAS_NUM_THREADS')]
"""


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("tier", TIERS)
def test_a_package_that_the_course_names_can_be_used(run_in: Run, tier: TierName) -> None:
    assert run_in(offered(tier, ("numpy",)), USES_NUMPY) == [2.5, 2, 1, "1"]


@pytest.mark.first_cases(3)
@pytest.mark.thorough_but("msgspec-restricted", "autograder-namespaces", "pytest-process")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", ["msgspec", "autograder", "pytest"])
def test_no_other_package_comes_with_it(run_in: Run, tier: TierName, name: str) -> None:
    source = f"def attack():\n    import numpy\n    import {name}\n"
    with pytest.raises(ImportError):
        run_in(offered(tier, ("numpy",)), source)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_nothing_beside_it_can_be_read(run_in: Run, tier: TierName) -> None:
    beside = Path(numpy.__file__).parents[1] / "msgspec" / "__init__.py"
    source = (
        f"import os, numpy\nPLACES = [{str(beside)!r}, os.path.dirname(numpy.__file__) + '/../msgspec/__init__.py']\n"
        "def attack():\n    for path in PLACES:\n"
        "        try: return open(path).read()\n        except OSError as error: last = error\n    raise last\n"
    )
    with pytest.raises(OSError, match="Error"):
        run_in(offered(tier, ("numpy",)), source)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_a_package_cannot_be_changed(run_in: Run, tier: TierName) -> None:
    with pytest.raises(OSError, match="Error"):
        run_in(offered(tier, ("numpy",)), "import numpy\ndef attack(): open(numpy.__file__, 'r+')\n")


@pytest.mark.parametrize("tier", TIERS)
def test_without_its_name_it_is_not_there(run_in: Run, tier: TierName) -> None:
    with pytest.raises(ImportError):
        run_in(offered(tier), "def attack():\n    import numpy\n")


def test_a_package_brings_what_it_requires() -> None:
    named = {package.import_name for package in locate_packages_with_requirements(["jsonschema"])}
    assert {"jsonschema", "attr", "referencing"} <= named


def test_the_libraries_beside_a_package_come_with_it() -> None:
    paths = {Path(package.path).name for package in locate_packages_with_requirements(["numpy"])}
    assert "numpy" in paths
    assert not [path for path in paths if path.endswith(".dist-info")]


def test_a_package_that_is_not_installed_is_the_courses_fault_and_says_what_to_do() -> None:
    with pytest.raises(CourseFault) as fault:
        locate_packages_with_requirements(["no-such-package-anywhere"])
    assert "no-such-package-anywhere is not installed beside the kit" in fault.value.what
    assert "pip install no-such-package-anywhere" in fault.value.advice


def test_a_package_of_the_kits_own_kind_cannot_be_shown() -> None:
    with pytest.raises(CourseFault, match="is the kit itself"):
        locate_packages_with_requirements(["autograd-exercise-kit"])


@pytest.fixture
def with_numpy(root: Path, tmp_path: Path) -> Assignment:
    """The course's engine, with numpy allowed."""
    text = (root / "grading.yml").read_text(encoding="utf-8")
    assert "packages: [] " in text
    (tmp_path / "grading.yml").write_text(text.replace("packages: [] ", "packages: [numpy] "), encoding="utf-8")
    for name in ("assignments", "solutions", "student_template"):
        (tmp_path / name).symlink_to(root / name)
    return load_course(tmp_path).assignments[0]


@pytest.mark.thorough
def test_an_engine_that_keeps_numpy_numbers_gets_full_marks(with_numpy: Assignment, tmp_path: Path) -> None:
    source = with_numpy.solution_file.read_text(encoding="utf-8")
    changed = source.replace("self.data = data", "self.data = numpy.float64(data)")
    assert changed != source
    (tmp_path / "value.py").write_text(f"import numpy\n{changed}", encoding="utf-8")
    with Grader(with_numpy, offered("namespaces", with_numpy.packages)) as grader:
        graded = grader.grade(tmp_path / "value.py")
    lost = {result.spec.id: result.message for result in graded.test_results if result.outcome != "passed"}
    assert lost == {}


def test_what_a_course_allows_is_part_of_its_version(with_numpy: Assignment, engine: Assignment) -> None:
    assert with_numpy.packages == ("numpy",)
    assert with_numpy.version != engine.version
