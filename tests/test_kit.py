"""The kit is known by its code: any change of that is another kit, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder import __version__, kit_version
from autograder.kit_version import (
    advise_to_install_extra,
    digest_package_code,
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return _write(tmp_path / "package")


def _write(folder: Path) -> Path:
    (folder / "inner").mkdir(parents=True)
    (folder / "one.py").write_text("ONE = 1\n")
    (folder / "inner" / "two.py").write_text("TWO = 2\n")
    return folder


def test_a_changed_byte_is_another_kit(package: Path) -> None:
    before = digest_package_code(package)
    (package / "inner" / "two.py").write_text("TWO = 3\n")
    assert digest_package_code(package) != before


def test_a_module_under_another_name_is_another_kit(package: Path) -> None:
    before = digest_package_code(package)
    (package / "inner" / "two.py").rename(package / "inner" / "zwei.py")
    assert digest_package_code(package) != before


def test_a_line_that_moves_from_one_module_into_the_next_is_another_kit(package: Path) -> None:
    (package / "one.py").write_text("A\n")
    (package / "three.py").write_text("B\nC\n")
    before = digest_package_code(package)
    (package / "one.py").write_text("A\nB\n")
    (package / "three.py").write_text("C\n")
    assert digest_package_code(package) != before


@pytest.mark.parametrize("name", ["__pycache__/one.cpython-311.pyc", "__pycache__/left.py", "page.html.j2", "notes"])
def test_what_python_leaves_behind_and_what_is_no_code_changes_nothing(package: Path, name: str) -> None:
    before = digest_package_code(package)
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("anything")
    assert digest_package_code(package) == before


class InstalledFrom:
    """A distribution that says where it was installed from."""

    def __init__(self, record: object) -> None:
        self._record = record

    def read_text(self, name: str) -> str | None:
        return json.dumps(self._record) if name == "direct_url.json" and self._record else None


def test_what_an_optional_part_needs_is_installed_from_the_file_of_this_kit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "a b" / "autograd_exercise_kit-1-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    named = f"run pip install './autograd_exercise_kit-{__version__}-py3-none-any.whl[web]'"
    for record, advice in (
        ({"url": wheel.as_uri(), "archive_info": {}}, f"run pip install '{wheel}[web]'"),
        ({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, f"run pip install --editable '{tmp_path}[web]'"),
        ({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}}, named),
        (None, named),
    ):
        monkeypatch.setattr(kit_version, "distribution", lambda _, record=record: InstalledFrom(record))
        assert advise_to_install_extra("web") == advice
