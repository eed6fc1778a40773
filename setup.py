"""Build the kit; what is declared in ``pyproject.toml`` is not repeated here.

One step cannot be declared: a wheel also holds the course of this repository, as ``autograder/starter/course``, for
``autograder init``. An editable installation reads the course where it lies: hatchling's ``force-include`` would copy
it in editable mode, too, where copies grow stale, and a course within the package would be hidden from authors.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
PAGES = tuple(
    f"docs/{name}.md"
    for name in ("new-assignment", "writing-tests", "teaching-assistants", "administrators", "lateness", "scaling")
)
COURSE = ("grading.yml", "assignments", "solutions", "student_template", *PAGES)
LEFTOVERS = shutil.ignore_patterns("__pycache__", ".*_cache", ".ipynb_checkpoints")


class BuildWithCourse(build_py):
    """Copies the package, and the course into it."""

    def run(self) -> None:
        """Copy both into the build folder, which an earlier build may have left files in."""
        package = Path(self.build_lib) / "autograder"
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(package, ignore_errors=True)
        super().run()
        for name in COURSE:
            target = package / "starter" / "course" / name
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, target, ignore=LEFTOVERS)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, target)


setup(cmdclass={"build_py": BuildWithCourse})
