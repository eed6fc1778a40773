"""Submissions as students make them: Python files, notebooks of several versions, zips."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.submissions import Submission, UngradableSubmission

MB = 2**20
SOLVED = "class Value:\n    solved = True\n"

Put = Callable[..., Path]
Read = Callable[..., Submission]
Refusal = Callable[..., UngradableSubmission]


def notebook(*cells: str | list[str], **more: Any) -> str:
    """A notebook of code cells in the format of today."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def zip_of(path: Path, **files: str) -> Path:
    """A zip of Python files by their names without ending; two underscores part folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name.replace("__", "/") + ".py", text)
    return path


def sources(submission: Submission) -> list[str]:
    return [unit.source for unit in submission.units]


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path
