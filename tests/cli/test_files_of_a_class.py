"""A class hands in files as browsers and notebooks leave them: what Python or Jupyter would run is graded."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told, unwrapped
from tests.submissions.handed_in import notebook
from tests.toy import RIGHT, write_toy

BELOW = f"{RIGHT}\nfrom doubling import double\n"
STUB = "def double(x):\n    raise NotImplementedError\n"


def text_cell(source: str, *code: str, kind: str = "markdown") -> str:
    """Return a notebook of code cells, and one text cell at its end."""
    content = json.loads(notebook(*code))
    content["cells"].append({"cell_type": kind, "metadata": {}, "source": source})
    return json.dumps(content)


RIGHT_FILES: dict[str, str | bytes] = {
    "import-below.py": BELOW,
    "import-by-attribute.py": f"{RIGHT}\nimport lib.doubling\ndouble = lib.doubling.double\n",
    "import-as-the-name.py": f"{RIGHT}\nimport doubling as double\n",
    "import-of-a-helper.py": "def two(x): return x + x\nfrom lib import two\ndef double(x): return two(x)\n",
    "import-in-a-later-cell.ipynb": notebook(RIGHT, "!pip install doubling", "from doubling import double"),
    "writefile.ipynb": notebook(f"%%writefile doubling.py\n{RIGHT}", "from doubling import double\ndouble(2)"),
    "writefile-module.ipynb": notebook("%%file lib.py\ndef twice(x): return 2 * x", f"import lib\n{RIGHT}"),
    "magic-at-the-top.py": f"!pip install graphviz\n{RIGHT}",
    "magic-at-the-end.py": f"{RIGHT}\n\n%timeit double(1.0)\ndouble?\n",
    "nbconvert.py": f"get_ipython().system('ls')\nget_ipython().run_cell_magic('time', '', {RIGHT!r})\n",
    "awaits.py": f"async def one(): return 1\nassert await one() == 1\n{RIGHT}",
    "awaits-too.ipynb": notebook("import asyncio\nawait asyncio.sleep(0)", RIGHT),
    "latin-1.py": f"# -*- coding: latin-1 -*-\n# dérivée\n{RIGHT}".encode("latin-1"),
    "windows.py": f"# coding: cp1252\r\nname = '„x“'\r\n{RIGHT}".encode("cp1252"),
    "bom.py": RIGHT.encode("utf-8-sig"),
    "second-ending.py.txt": RIGHT,
    "second (1).py": RIGHT,
    "second-notebook.ipynb.json": notebook(RIGHT),
    "unfinished-name.py.download": RIGHT,
    "notebook-called.py": notebook(RIGHT),
    "python-called.ipynb": RIGHT,
    "no-ending": RIGHT,
}
WRONG_FILES: dict[str, tuple[str | bytes, str]] = {
    "markdown.ipynb": (text_cell(RIGHT, "import math"), "Cell 2 from the top is a text cell (Markdown), and holds"),
    "raw.ipynb": (text_cell(RIGHT, "x = 1", kind="raw"), "Cell 2 from the top is a text cell (Raw), and holds"),
    "stub-left.ipynb": (text_cell(f"```python\n{RIGHT}```", STUB), "text cell (Markdown), and holds `def double`"),
    "page.ipynb": ("\n<!DOCTYPE html><html>...", "page.ipynb is a web page (HTML), not a Jupyter notebook. Hand in"),
    "page.py": ("<html><body><pre>def double(x):", "page.py is a web page (HTML), not Python. Hand in"),
    "paper.pdf": (b"%PDF-1.7\n\0", "paper.pdf is a PDF document: there is no Python file or notebook here. Hand in"),
    "cut.ipynb": (notebook(RIGHT)[:-30], "cut.ipynb is not a Jupyter notebook. Open it in Jupyter"),
    "windows-text.py": (f"# é\n{RIGHT}".encode("cp1252"), "windows-text.py is not UTF-8 text (line 1). Save it as"),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, str]]:
    """The points of each file, and its report."""
    root = write_toy(tmp_path_factory.mktemp("course"))
    handed_in, out = root / "class", root / "results"
    handed_in.mkdir()
    for name, content in (RIGHT_FILES | {name: content for name, (content, _) in WRONG_FILES.items()}).items():
        (handed_in / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    succeeded(run("batch", "toy", handed_in, "--out", out, "--course", root))
    rows = csv.DictReader((out / "gradebook.csv").read_text(encoding="utf-8-sig").splitlines())
    texts = [path.read_text(encoding="utf-8") for path in (out / "reports").glob("*.json")]
    report_by_submission = {json.loads(text)["submission"]["id"]: text for text in texts}
    return {row["path"]: (float(row["score"]), report_by_submission[row["submission"]]) for row in rows}


@pytest.mark.parametrize("name", RIGHT_FILES)
def test_a_right_program_gets_its_marks_in_any_file(reports: dict[str, tuple[float, str]], name: str) -> None:
    points, notes = reports[name]
    assert points == 10, notes


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_that_is_refused_is_named_with_what_it_is(reports: dict[str, tuple[float, str]], name: str) -> None:
    points, notes = reports[name]
    assert points == 0
    assert WRONG_FILES[name][1] in notes


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    """A submission with an engine in a folder and a notebook, both with a definition; the first one is right."""
    folder = tmp_path / "ada"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "doubling.py").write_text(RIGHT, encoding="utf-8")
    (folder / "work.ipynb").write_text(notebook("def double(x): return 0"), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("level", "files", "score"),
    [
        ("", "[value.py, doubling.py, work.ipynb]", "10 of 10"),
        ("    ", "['*.ipynb', '*.py']", "0 of 10"),
        ("    ", "[other/doubling.py, lib/*.py]", "10 of 10"),
        ("    ", "[DOUBLING.py]", "10 of 10"),
    ],
)
def test_a_course_says_which_of_several_files_counts(
    tmp_path: Path, two_files: Path, files: str, score: str, level: str
) -> None:
    root = write_toy(tmp_path / "course", f"{level}submission: {{file: {files}}}\n")
    shown = succeeded(run("grade", "toy", two_files, "--course", root))
    assert f"ada  toy  {score}" in shown
    assert "also defines double and was not graded" in shown


def test_without_such_a_line_several_files_are_refused_with_what_helps(tmp_path: Path, two_files: Path) -> None:
    shown = unwrapped(succeeded(run("grade", "toy", two_files, "--course", write_toy(tmp_path / "course"))))
    assert (
        unwrapped("2 files define double: lib/doubling.py, work.ipynb. Hand in one of them, named value.py") in shown
    )
    assert unwrapped("A course may say which one counts: `submission` in grading.yml.") in shown


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("{file: notes.txt}", "'file' must be a list"),
        ("{file: [value.py, notes.txt]}", "the file 'notes.txt' can be no Python file or notebook of a submission"),
        ("{file: [/value.py]}", "the file '/value.py' can be no Python file"),
        ("{files: [value.py]}", "unknown key 'files'; did you mean 'file'?"),
        ("[value.py]", "'submission' must be a mapping"),
    ],
)
def test_a_mistake_in_this_line_is_told_with_its_place(tmp_path: Path, setting: str, problem: str) -> None:
    root = write_toy(tmp_path / "course", f"    submission: {setting}\n")
    line = (root / "grading.yml").read_text(encoding="utf-8").split("\n").index(f"    submission: {setting}") + 1
    shown = told(run("grade", "toy", tmp_path, "--course", root))
    assert f"grading.yml:{line}: assignments.toy.submission" in shown
    assert problem in shown
