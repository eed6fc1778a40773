"""An operation of a diagnosis that never runs on the solution is told, with its line, in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.starter import write_and_load_starter_assignment
from tests.cli.commands import run
from tests.gate.file_problems import change
from tests.toy import write_toy


@pytest.mark.thorough
def test_operations_that_never_run_or_are_about_nothing_are_told_with_their_lines(tmp_path: Path) -> None:
    vectors = write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors")
    module = vectors.folder / "diagnosis.py"
    text = module.read_text(encoding="utf-8").replace(
        '        Operation("{Vector}.dot({Vector})"),\n',
        '        Operation("{Vector}.dott({Vector})"),\n'
        '        Operation("{Vector}.dot({Vector}, {Vector})"),\n'
        '        Operation("{Vector} + {Vector}", about=("Vector.__ad__",)),\n'
        '        Operation("[][{Vector}.dot({Vector}) > 1e9]"),\n',  # a contract may promise an IndexError
    )
    module.write_text(text, encoding="utf-8")
    lines = {
        code: at
        for at, line in enumerate(text.splitlines(), 1)
        for code in ("dott", ", {Ve", "__ad__")
        if code in line
    }
    said = " ".join(run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout.split())
    assert "✗ every operation of the diagnosis runs on the solution" in said
    for at, problem in (
        (lines["dott"], "Operation('{Vector}.dott({Vector})') raises AttributeError on the solution"),
        (lines[", {Ve"], "Operation('{Vector}.dot({Vector}, {Vector})') raises TypeError on the solution"),
        (lines["__ad__"], "`about` of Operation('{Vector} + {Vector}') names 'Vector.__ad__', which"),
    ):
        assert f"diagnosis.py:{at}: {problem}" in said
    assert "did you mean 'Vector.__add__'?" in said
    assert "IndexError" not in said


def test_an_alternative_that_differs_is_told_with_the_smallest_program_and_both_values(tmp_path: Path) -> None:
    vectors = write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors")
    wheat = vectors.solution_file.parent / "wheats" / "loops.py"
    change(wheat, "[*numbers]", "(*numbers,)")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    told = [line.strip() for line in said.partition("loops differs from the solution here:\n")[2].splitlines()]
    assert told[0] == "a = Vector([2.0, 3.0])"
    assert told[3].split("  ")[0] == "a.numbers"
    assert "[2.0, 3.0]  (2.0, 3.0)" in told[3]
