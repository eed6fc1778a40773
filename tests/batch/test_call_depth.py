"""A reader who follows a submission from ``autograder batch`` to its process passes few functions on the way."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.toy import RIGHT, write_toy


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The calls of each recorded way, by the function that it ends with."""
    root = tmp_path_factory.mktemp("depth")
    course, handed_in, record = write_toy(root / "course"), root / "class", root / "ways"
    handed_in.mkdir()
    (handed_in / "ada.py").write_text(RIGHT, encoding="utf-8")
    recorder = [sys.executable, "-m", "tests.batch.call_depth_recorder", str(record)]
    batch = ["batch", "toy", str(handed_in), "--course", str(course), "--out", str(root / "out"), "--workers", "1"]
    subprocess.run([*recorder, *batch], check=True, capture_output=True, timeout=300)
    lines = [line.split() for line in record.read_text(encoding="utf-8").splitlines()]
    return {calls[-1].rpartition(":")[2]: calls for calls in lines}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("bridge_function", "most_calls", "most_modules"),
    [
        ("load_without_fatal_code", 10, 9),
        ("exchange", 14, 10),
        ("prefetch_answers_of_tests", 16, 12),
    ],
    ids=["the bridge's first call", "the first byte of its source", "the first request of a test"],
)
def test_the_way_into_the_bridge_stays_short(
    ways: dict[str, list[str]], bridge_function: str, most_calls: int, most_modules: int
) -> None:
    calls = ways["submit"] + ways[bridge_function]
    assert ways["submit"][0] == "cli/batch.py:command"
    assert len(calls) <= most_calls, calls
    assert len({call.partition(":")[0] for call in calls}) <= most_modules, calls
