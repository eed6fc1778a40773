"""A place for a ``grading.yml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.written import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a ``grading.yml`` beside the folders of two assignments, ``engine`` and ``sorting``."""
    for name in ("engine", "sorting"):
        hidden = tmp_path / "assignments" / name / "hidden"
        hidden.mkdir(parents=True)
        (hidden / "test_all.py").write_text("def test_it(): ...\n", encoding="utf-8")

    def written(text: str) -> Path:
        path = tmp_path / "grading.yml"
        path.write_text(text, encoding="utf-8")
        return path

    return written
