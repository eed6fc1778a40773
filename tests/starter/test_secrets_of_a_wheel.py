"""A submission reads nothing of the suites and solutions in an installed kit, even beside a package of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.course.model import TierName
from autograder.sandbox.tiers import TIERS
from autograder.starter.writer import load_kit_course
from tests.starter.installing import run_installed

pytestmark = pytest.mark.thorough  # building and installing a wheel takes long
SECRET = "def build_topo("
"""In the solution, and in nothing else of the kit's course that is looked at."""
OPENS = """
import glob, os
import beside
SITE, SECRET = {site!r}, {secret!r}
def attack():
    found = []
    for site in (SITE, os.path.dirname(os.path.dirname(beside.__file__)), '/packages', '/', '.'):
        for below in ('/autograder/starter/course', '/autograder', ''):
            for kind in ('/solutions/topological-sort/*.py', '/assignments/*/hidden/*.py', '/*.dist-info/RECORD'):
                for path in glob.glob(site + below + kind)[:50]:
                    try:
                        with open(path) as file: found.append(file.read())
                    except OSError: pass
            try:
                with open(site + below + '/solutions/topological-sort/value.py') as file: found.append(file.read())
            except OSError: pass
    return [text[:80] for text in found if SECRET in text]
"""
IMPORTS = """
import beside, importlib, importlib.metadata, importlib.resources, importlib.util, pkgutil
SECRET = {secret!r}
def attack():
    found = []
    def look(*names):
        path = importlib.resources.files('autograder')
        for name in names: path = path / name
        found.append(path.read_text())
    def solution():
        for name in ('autograder.starter.course.solutions.topological-sort.value', 'autograder.starter.writer'):
            found.append(open(importlib.util.find_spec(name).origin).read())
    def listed():
        for file in importlib.metadata.files('autograd-exercise-kit'):
            if file.name == 'value.py': found.append(file.read_text())
    def loaded():
        data = pkgutil.get_data('autograder', 'starter/course/solutions/topological-sort/value.py')
        found.append((data or b'').decode())
    def read():
        look('starter', 'course', 'solutions', 'topological-sort', 'value.py')
    for way in (read, solution, listed, loaded):
        try: way()
        except (ImportError, OSError): pass
    return [text[:80] for text in found if SECRET in text]
"""


@pytest.fixture(scope="module")
def site(installed: Path) -> Path:
    """Where packages are installed, beside the kit one that a course lets submissions import."""
    place = next((installed.parents[1] / "lib").glob("python*/site-packages"))
    (place / "beside").mkdir()
    (place / "beside" / "__init__.py").write_text("", encoding="utf-8")
    info = place / "beside-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: beside\nVersion: 1\n", encoding="utf-8")
    (info / "RECORD").write_text("beside/__init__.py,,\nbeside-1.dist-info/METADATA,,\n", encoding="utf-8")
    assert (place / "autograder" / "starter" / "course" / "grading.yml").is_file()
    return place


def found_by(installed: Path, program: str, folder: Path, tier: TierName) -> list[str]:
    """What a program finds in a tier, in whichever way it is built; skipped where the machine does not offer it."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    done = run_installed(installed, "python", Path(__file__).with_name("spying.py"), path, cwd=folder)
    assert done.returncode == 0, done.stderr
    told: dict[str, list[list[str]]] = json.loads(done.stdout)
    assert told["outside"] != [[]], "it works without a sandbox, or a denial means nothing"
    if tier not in told:
        pytest.skip(f"tier {tier} is not to be had here")
    return [text for texts in told[tier] for text in texts]


@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_it_cannot_be_opened(installed: Path, site: Path, tmp_path: Path, tier: TierName) -> None:
    assert found_by(installed, OPENS.format(site=str(site), secret=SECRET), tmp_path, tier) == []


@pytest.mark.parametrize("tier", TIERS)
def test_it_cannot_be_imported(installed: Path, site: Path, tmp_path: Path, tier: TierName) -> None:
    assert found_by(installed, IMPORTS.format(secret=SECRET), tmp_path, tier) == []


@pytest.mark.parametrize("name", ["autograd-exercise-kit", "asks-for-the-kit"])
def test_no_course_can_let_submissions_import_the_kit(installed: Path, site: Path, tmp_path: Path, name: str) -> None:
    info = site / "asks_for_the_kit-1.dist-info"
    info.mkdir(exist_ok=True)
    metadata = "Metadata-Version: 2.1\nName: asks-for-the-kit\nVersion: 1\nRequires-Dist: autograd-exercise-kit\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "RECORD").write_text("beside/__init__.py,,\n", encoding="utf-8")
    asked = (
        f"from autograder.sandbox import allowed_package_paths as a; a.locate_packages_with_requirements([{name!r}])"
    )
    done = run_installed(installed, "python", "-c", asked, cwd=tmp_path)
    assert done.returncode == 1
    assert "is the kit itself, which no submission may import" in done.stderr


def test_the_secret_stands_in_the_solution() -> None:
    solution = next(one for one in load_kit_course().assignments if one.name == "topological-sort").solution_file
    assert SECRET in solution.read_text(encoding="utf-8")
