"""A hostile notebook is graded or refused with a sentence, in little time and memory, and nothing in it is run."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.submissions import Submission, UngradableSubmission, read_submission
from autograder.submissions.notebook_cells import convert_cell_to_plain_python
from autograder.submissions.source_definitions import list_redefinition_notes, list_top_level_definitions
from autograder.submissions.submission_reading import MOST_CELLS
from tests.machine import cost_of

MB = 2**20
MOST, MEMORY = 32, 300 * MB
SOLVED = "class Value:\n    solved = True\n"

Read = Callable[[str | bytes], Submission]


def cell(source: Any = SOLVED, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
        **more,
    }


def notebook(*cells: Any, **more: Any) -> str:
    return json.dumps({"cells": [*cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 4, **more})


RIGHT = notebook(cell())


def with_outputs(text: str) -> str:
    """A right notebook, with this text as its cell's outputs."""
    return RIGHT.replace('"outputs": []', f'"outputs": [{text}]')


@pytest.fixture
def read_notebook(engine: Assignment, tmp_path: Path) -> Read:
    def result(content: str | bytes) -> Submission:
        path = tmp_path / "value.ipynb"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_submission(path, engine)

    return result


def refusal(read: Read, content: str | bytes) -> UngradableSubmission:
    with pytest.raises(UngradableSubmission) as caught:
        read(content)
    assert re.fullmatch(r"value\.ipynb .*(hand it in again|Hand in your own code alone)\.", caught.value.message)
    return caught.value


# Bombs

BOMBS: dict[str, Callable[[], str]] = {
    "one long line of output": lambda: with_outputs(json.dumps({"text": "x" * (15 * MB)})),
    "half a million lines of output": lambda: with_outputs(json.dumps({"text": ["x" * 30 + "\n"] * 450_000})),
    "six million empty lists": lambda: with_outputs("[]," * (6 * MB) + "[]"),
    "six million empty dicts": lambda: RIGHT.replace(
        '"metadata": {}', '"metadata": {"a": [' + "{}," * 6 * MB + "{}]}", 1
    ),
    "a million numbers": lambda: with_outputs("[" + "1e5," * MB + "1]"),
    "outputs of no known type": lambda: with_outputs(",".join(['{"output_type": "x"}'] * 200_000)),
    "an attachment as large as the file may be": lambda: notebook(
        cell(), {"cell_type": "markdown", "source": "", "attachments": {"a.png": {"image/png": "A" * (15 * MB)}}}
    ),
    "cells that are empty": lambda: notebook(*[cell("")] * 100_000),
    "cells of one letter": lambda: notebook(*[cell("x")] * 100_000),
    "a source of one letter a line": lambda: notebook(cell(["a"] * 3_000_000)),
    "a code cell that is all escapes": lambda: RIGHT.replace("class", "\\u0041" * 3_000_000),
    "an integer of a million digits": lambda: notebook(cell(execution_count=0)).replace("0", "9" * MB, 1),
    "brackets a hundred thousand deep": lambda: with_outputs("[" * 100_000 + "]" * 100_000),
    "brackets that never close": lambda: "[" * (19 * MB),
    "NaN, and six million lists": lambda: with_outputs("NaN," + "[]," * (6 * MB) + "[]"),
    "NaN, and five million numbers": lambda: with_outputs("NaN," + "1," * (5 * MB) + "1"),
}


@pytest.mark.first_cases(6)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.redteam if name.startswith("cells") else ()) for name in BOMBS]
)
def test_a_bomb_is_read_or_refused_in_little_time_and_memory(read_notebook: Read, name: str) -> None:
    content = BOMBS[name]().encode()
    assert len(content) < 20 * MB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def read_or_refuse() -> None:
        try:
            read_notebook(content)
        except UngradableSubmission as refused:
            assert refused.reason in ("not-a-notebook", "too-large")  # noqa: PT017

    assert cost_of(read_or_refuse) < MOST
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MEMORY


def test_a_notebook_may_have_no_more_than_so_many_cells(read_notebook: Read) -> None:
    assert len(read_notebook(notebook(*[cell("x = 1")] * MOST_CELLS)).units) == MOST_CELLS
    assert "code cells" in refusal(read_notebook, notebook(*[cell("x = 1")] * (MOST_CELLS + 1))).message


def test_outputs_that_cannot_be_read_are_refused_as_such(read_notebook: Read) -> None:
    refused = refusal(read_notebook, with_outputs("NaN," + "[]," * 300_000 + "[]"))
    assert (refused.reason, "Clear them in Jupyter" in refused.message) == ("too-large", True)


# What only looks like a notebook, and what Jupyter writes although it is no JSON


@pytest.mark.parametrize(
    "content",
    [
        with_outputs('{"data": {"z": [NaN, Infinity, -Infinity]}}'),
        with_outputs('{"text": "\\ud800"}'),
        with_outputs('{"text": "\\ud83d\\ude00"}'),
        "\ufeff" + RIGHT,
        notebook(cell(), metadata=[1, 2]),
        notebook(cell(metadata=[None], outputs={"a": 1}, execution_count="three")),
        notebook(cell(), {"cell_type": "markdown", "source": 3, "attachments": []}),
        RIGHT.replace('"nbformat_minor": 4', '"nbformat_minor": 99999999999999999999'),
        RIGHT.replace('"nbformat_minor": 4', '"nbformat_minor": 1e999'),
        RIGHT[:-1] + ', "cells": ' + json.dumps([cell()]) + "}",
        notebook(cell(), cell_type="code", source="x = 1"),
    ],
    ids=[
        "NaN in a plot",
        "half a character in an output",
        "an emoji in an output",
        "a byte order mark",
        "metadata that is a list",
        "a cell whose other keys are of wrong types",
        "text cells of wrong types",
        "a minor version beyond any",
        "a minor version that is infinite",
        "a key that comes twice",
        "keys of a cell at the top",
    ],
)
def test_what_does_not_matter_may_be_wrong(read_notebook: Read, content: str) -> None:
    assert [unit.source for unit in read_notebook(content).units] == [SOLVED]


@pytest.mark.parametrize(
    "content",
    [
        notebook(cell(), nbformat="4"),
        notebook(cell(), nbformat=4.5),
        notebook(cell(), nbformat=True),
        RIGHT.replace('"nbformat": 4', '"nbformat": NaN'),
        RIGHT.replace('"nbformat": 4', '"nbformat": ' + "4" * 10_000),
        notebook({"cell_type": ["code"], "source": "x = 1"}),
        notebook([]),
        json.dumps({"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": 3}]}]}),
        json.dumps({"nbformat": 3, "worksheets": {"cells": []}}),
        RIGHT.encode("utf-16"),
        RIGHT.encode() + b"\0",
        b"\xff\xfe\xfd",
        RIGHT.replace("class", "\\ud8zz"),
    ],
    ids=range(13),
)
def test_what_matters_may_not_be_wrong(read_notebook: Read, content: str | bytes) -> None:
    assert refusal(read_notebook, content).reason == "not-a-notebook"


# Magics


@pytest.mark.parametrize(
    ("magic", "effect"),
    [
        ("%%writefile ../../{name}\nx = 1", "writes a file"),
        ("!touch {name}", "runs a command"),
        ("!rm -rf /nothing; touch {name}", "removes files"),
        ("%run {name}", "runs a file"),
        ("%load_ext {name}", "imports a module"),
        ("%%bash\ntouch {name}", "runs a script"),
        ("x = !touch {name}", "runs a command for its output"),
        ("get_ipython().system('touch {name}')", "asks the kernel"),
    ],
    ids=lambda value: value if " " in value and "{" not in value else "",
)
def test_a_magic_has_no_effect(
    read_notebook: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, magic: str, effect: str
) -> None:
    monkeypatch.chdir(tmp_path)
    source = magic.format(name="trace")
    subprocess.run(["sh", "-c", "touch trace"], check=True)
    assert (tmp_path / "trace").exists(), "what a kernel would do here leaves a trace"
    (tmp_path / "trace").unlink()
    units = read_notebook(notebook(cell(), cell(source))).units
    assert units[0].source == SOLVED
    assert not list(tmp_path.rglob("trace"))


SLOW: dict[str, Callable[[], str]] = {
    "a line of spaces": lambda: "!ls\n" + " " * 1_000_000 + "x",
    "a line of dots": lambda: "!ls\n" + "a." * 500_000 + "x",
    "a line of question marks": lambda: "!ls\n" + "?" * 1_000_000,
    "a line of options": lambda: "%timeit " + "-x 1 " * 200_000,
    "a line of assignments": lambda: "!ls\n" + "a = " * 250_000 + "!",
    "magics on top of each other": lambda: "%%time\n" * 150_000 + "x = 1",
    "blank lines": lambda: "%%time\n" + "\n" * 1_000_000,
    "fields of an f-string": lambda: "!ls\nf'" + "{a}" * 330_000 + "'",
    "names": lambda: "!ls\n" + "a\n" * 500_000,
    "a tuple": lambda: "!ls\n" + "1," * 500_000,
}


@pytest.mark.first_cases(4)
@pytest.mark.parametrize("name", SLOW)
def test_a_cell_is_read_in_little_time_whatever_is_in_it(name: str) -> None:
    source = SLOW[name]()
    assert cost_of(lambda: convert_cell_to_plain_python(source)) < MOST


DENSE = [f"#{number}\n" + "é\n" * 7900 for number in range(60)]
"""Cells that are short enough to be parsed, each, and far too long together."""


@pytest.mark.redteam
def test_short_cells_that_are_long_together_are_read_in_little_time(read_notebook: Read) -> None:
    content = notebook(cell(), *map(cell, DENSE))

    def read() -> None:
        units = read_notebook(content).units
        list_redefinition_notes(units, ["Value"])
        assert list_top_level_definitions(units)[0].name == "Value"

    assert cost_of(read) < MOST


@pytest.mark.redteam
def test_many_long_notebooks_in_one_zip_are_compared_with_the_template_in_little_time(
    engine: Assignment, tmp_path: Path
) -> None:
    content = json.dumps(json.loads(notebook(cell(), *map(cell, DENSE))), ensure_ascii=False)
    with zipfile.ZipFile(tmp_path / "work.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(10):
            packed.writestr(f"{number}/value.ipynb", content)

    def refuse() -> None:
        with pytest.raises(UngradableSubmission, match="10 files define Value"):
            read_submission(tmp_path / "work.zip", engine)

    assert cost_of(refuse) < MOST


def test_thousands_of_magics_on_top_of_each_other_are_no_recursion() -> None:
    assert convert_cell_to_plain_python("%%time\n" * 5000 + "x = 1").strip() == "x = 1"


# Which file is the one


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("ending", [".py", ".ipynb"])
def test_a_file_of_nothing_but_names_is_searched_in_little_time(
    engine: Assignment, tmp_path: Path, ending: str
) -> None:
    names = "Value:\n" * 140_000
    (tmp_path / f"names{ending}").write_text(names if ending == ".py" else notebook(cell(names)))
    (tmp_path / "engine.py").write_text(SOLVED)
    assert read_submission(tmp_path, engine).units[0].source == SOLVED
    assert cost_of(lambda: read_submission(tmp_path, engine)) < MOST


def test_modules_beside_the_one_that_is_graded_are_bounded_like_it(engine: Assignment, tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text(SOLVED)
    for number in range(3):
        (tmp_path / f"more{number}.py").write_text("x" * (engine.limits.source_kb * 1024 // 2))
    with pytest.raises(UngradableSubmission, match=r"The Python files beside value\.py have more than 1024 kB"):
        read_submission(tmp_path, engine)
