"""Whatever a student hands in is read as text, or refused with a sentence that says what to do; nothing is run."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.submissions import Submission, Unreadable, read_submission
from autograder.submissions.fingerprint import fingerprint

MB = 2**20
SOLVED = "class Value:\n    solved = True\n"
NOBODY = 65534

Put = Callable[..., Path]
Read = Callable[..., Submission]
Refusal = Callable[..., Unreadable]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file of the submission; the last part is its content, text or bytes."""

    def written(name: str, content: str | bytes = SOLVED) -> Path:
        path = tmp_path / "handed_in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where ``put`` writes."""
    made = tmp_path / "handed_in"
    made.mkdir()
    return made


@pytest.fixture
def read(engine: Assignment) -> Read:
    def result(path: Path, name: str = "") -> Submission:
        return read_submission(path, engine, name)

    return result


@pytest.fixture
def refusal(engine: Assignment) -> Refusal:
    def result(path: Path) -> Unreadable:
        with pytest.raises(Unreadable) as caught:
            read_submission(path, engine)
        return caught.value

    return result


def notebook(*cells: str | list[str], minor: int = 5, **more: Any) -> str:
    """A notebook of code cells in the format of today."""
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in cells
    ]
    if minor >= 5:
        made = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(made)]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": minor, **more})


def notebook_of_version_3(*cells: str | list[str]) -> str:
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "collapsed": False,
            "input": source,
            "language": "python",
            "metadata": {},
            "outputs": [],
        }
        for source in cells
    ]
    sheet = {"cells": made, "metadata": {}}
    return json.dumps({"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [sheet]})


def notebook_with(**cell: Any) -> str:
    """A notebook whose second cell is as given."""
    right = json.loads(notebook(SOLVED))
    return json.dumps({**right, "cells": [*right["cells"], cell]})


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


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's rights, so that modes mean something."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


# A Python file


def test_a_python_file_is_one_unit_of_its_name(put: Put, read: Read) -> None:
    (unit,) = read(put("value.py")).units
    assert (unit.name, unit.source) == ("value.py", SOLVED)


def test_a_submission_is_called_like_its_file(put: Put, read: Read) -> None:
    assert read(put("alice.py")).id == "alice"


def test_a_submission_may_be_given_another_name(put: Put, read: Read) -> None:
    assert read(put("alice.py"), "student 7").id == "student 7"


def test_a_submission_is_known_by_the_hash_of_its_bytes(put: Put, read: Read) -> None:
    assert read(put("value.py")).sha256 == hashlib.sha256(SOLVED.encode()).hexdigest()


def test_nothing_is_run(put: Put, read: Read, tmp_path: Path) -> None:
    trace = tmp_path / "was_run"
    read(put("value.py", f"open({str(trace)!r}, 'w')\nraise SystemExit\n"))
    assert not trace.exists()


def test_an_ending_may_be_in_capitals(put: Put, read: Read) -> None:
    assert sources(read(put("VALUE.PY"))) == [SOLVED]


def test_a_syntax_error_is_left_for_later(put: Put, read: Read) -> None:
    assert sources(read(put("value.py", "def (:\n"))) == ["def (:\n"]


def test_a_byte_order_mark_is_taken_off(put: Put, read: Read) -> None:
    assert sources(read(put("value.py", "\ufeff" + SOLVED))) == [SOLVED]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_may_end_as_on_other_systems(put: Put, read: Read, ending: str) -> None:
    (source,) = sources(read(put("value.py", SOLVED.replace("\n", ending))))
    compile(source, "value.py", "exec")


@pytest.mark.parametrize(
    "name",
    [
        "my value.py",
        'it\'s "mine".py',
        "two\nlines.py",
        "größe_値.py",
        "\u202egp.eulav.py",
        "-rf.py",
        ".value.py",
        "value (1).py",
        "x" * 247 + ".py",
        "../handed_in/value.py",
    ],
)
def test_a_file_may_have_an_odd_name(put: Put, folder: Path, read: Read, name: str) -> None:
    assert sources(read(put(name))) == [SOLVED]


def test_a_name_that_is_no_text_does_not_reach_the_students_process(put: Put, folder: Path, read: Read) -> None:
    (unit,) = read(put("caf\udce9.py")).units
    assert unit.name.encode().endswith(b".py")


@pytest.mark.parametrize(
    "comment",
    [
        "# -*- coding: utf-8 -*-",
        "# coding=utf8",
        "# vim: set fileencoding=UTF-8 :",
        "# -*- coding: utf_8 -*-",
        "# -*- coding: utf-8-unix -*-",
        "# coding: utf-8-sig",
        "# coding: ascii",
        "# coding: us-ascii",
        "#!/usr/bin/env python3\n# coding: utf-8",
    ],
)
def test_a_file_may_say_that_it_is_utf_8(put: Put, read: Read, comment: str) -> None:
    assert sources(read(put("value.py", f"{comment}\n{SOLVED}"))) == [f"{comment}\n{SOLVED}"]


@pytest.mark.parametrize(
    "start",
    [
        "\n\n# coding: latin-1",
        "import math\n# on coding: style",
        '"""An engine.\n# encoding: values"""',
        "x = '# coding: y'",
    ],
    ids=["third line", "below code", "in a docstring", "in a string"],
)
def test_what_python_does_not_take_for_an_encoding_is_none(put: Put, read: Read, start: str) -> None:
    assert sources(read(put("value.py", f"{start}\n{SOLVED}"))) == [f"{start}\n{SOLVED}"]


@pytest.mark.parametrize(
    "encoding", ["latin-1", "utf-7", "cp1252", "rot13", "utf-16", "Latin_1", "raw_unicode_escape"]
)
@pytest.mark.parametrize("above", ["", "#!/usr/bin/env python3\n", "\n"], ids=["first", "second", "below blank"])
def test_a_file_in_another_encoding_is_refused(put: Put, refusal: Refusal, encoding: str, above: str) -> None:
    refused = refusal(put("value.py", f"{above}# -*- coding: {encoding} -*-\n{SOLVED}"))
    assert refused.reason == "not-utf-8"
    assert "encoding. Save it as UTF-8" in refused.message


def test_text_that_is_not_utf_8_is_refused_with_its_line(put: Put, refusal: Refusal) -> None:
    refused = refusal(put("value.py", SOLVED.encode() + b"# caf\xe9\n"))
    assert (refused.reason, "value.py is not UTF-8 text (line 3)" in refused.message) == ("not-utf-8", True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(put: Put, refusal: Refusal, encoding: str) -> None:
    refused = refusal(put("value.py", f"\ufeff{SOLVED}".encode(encoding)))
    assert (refused.reason, "is UTF-16 text. Save it as UTF-8" in refused.message) == ("not-utf-8", True)


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"], ids=repr)
@pytest.mark.parametrize("name", ["value.py", "value.ipynb"])
def test_an_empty_file_is_refused(put: Put, refusal: Refusal, name: str, content: bytes) -> None:
    refused = refusal(put(name, content))
    assert (refused.reason, "Save your" in refused.message) == ("empty", True)


@pytest.mark.parametrize(
    "content", [bytes(range(256)), b"\x89PNG\r\n\x1a\n\0\0", b"\x7fELF\0", b"\0", b"x = 1\0"], ids=range(5)
)
def test_a_binary_file_is_refused(put: Put, refusal: Refusal, content: bytes) -> None:
    assert refusal(put("value.py", content)).reason == "binary"


@pytest.mark.parametrize("name", ["value.txt", "value.pdf", "value.pyc", "value.rar", "value", "value.py.txt"])
def test_a_file_of_another_kind_is_refused_by_name(put: Put, refusal: Refusal, name: str) -> None:
    refused = refusal(put(name))
    assert (refused.reason, refused.files) == ("no-python-file", (name,))
    assert name in refused.message
    assert "Hand in value.py or value.ipynb" in refused.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert refusal(tmp_path / "value.py").reason == "unreadable"


# Sizes


def test_a_python_file_may_be_as_large_as_the_limit(put: Put, read: Read, engine: Assignment) -> None:
    size = engine.limits.source_kb * 1024
    assert read(put("value.py", SOLVED + "#" * (size - len(SOLVED)))).units


def test_a_larger_python_file_is_refused(put: Put, refusal: Refusal, engine: Assignment) -> None:
    refused = refusal(put("value.py", "#" * (engine.limits.source_kb * 1024 + 1)))
    assert (refused.reason, "at most 1024 kB" in refused.message) == ("too-large", True)


@pytest.mark.parametrize("name", ["value.py", "value.ipynb", "value.zip", "value.pdf"])
def test_fifty_megabytes_are_refused_with_their_size_and_their_hash(
    folder: Path, refusal: Refusal, name: str
) -> None:
    refused = refusal(sparse(folder / name, 50 * MB))
    assert refused.reason == "too-large"
    assert f"With {name} this has 50.0 MB; at most 20 MB can be graded" in refused.message
    assert refused.sha256 == hashlib.sha256(bytes(50 * MB)).hexdigest()


def test_files_of_a_folder_share_its_limit(folder: Path, refusal: Refusal) -> None:
    for name in ("a.py", "b.py"):
        sparse(folder / name, 15 * MB)
    assert refusal(folder).reason == "too-large"


def test_files_of_other_kinds_do_not_count(put: Put, folder: Path, read: Read) -> None:
    sparse(folder / "film.mp4", 50 * MB)
    put("value.py")
    assert sources(read(folder)) == [SOLVED]


def test_a_notebook_may_have_large_outputs(put: Put, read: Read) -> None:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": SOLVED, "id": "one"}
    output = {"output_type": "stream", "name": "stdout", "text": "x" * (5 * MB)}
    assert sources(read(put("value.ipynb", notebook(cells=[{**cell, "outputs": [output]}])))) == [SOLVED]


def test_a_notebook_with_more_code_than_a_file_may_have_is_refused(put: Put, refusal: Refusal) -> None:
    assert refusal(put("value.ipynb", notebook(*["#" * (300 * 1024)] * 4))).reason == "too-large"


# What is no file


def test_a_link_is_refused_and_not_followed(put: Put, folder: Path, refusal: Refusal) -> None:
    put("real.py")
    (folder / "value.py").symlink_to("real.py")
    assert refusal(folder / "value.py").reason == "link"


@pytest.mark.parametrize("name", ["value.py", "value.zip", "folder"])
def test_a_link_to_something_outside_is_refused(tmp_path: Path, refusal: Refusal, name: str) -> None:
    zip_of(tmp_path / "outside" / "real.zip", value=SOLVED)
    (tmp_path / name).symlink_to(tmp_path / "outside" / ("real.zip" if name == "value.zip" else "."))
    assert refusal(tmp_path / name).reason == "link"


def test_a_link_to_nowhere_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    (tmp_path / "value.py").symlink_to("nowhere")
    assert refusal(tmp_path / "value.py").reason == "link"


def test_links_in_a_folder_are_left_out(folder: Path, tmp_path: Path, refusal: Refusal) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "value.py").write_text(SOLVED, encoding="utf-8")
    (folder / "value.py").symlink_to(secret / "value.py")
    (folder / "more").symlink_to(secret)
    assert refusal(folder).reason == "no-python-file"


@pytest.mark.parametrize("name", ["value.py", "value.ipynb", "value.zip"])
def test_a_pipe_is_refused_and_not_waited_for(folder: Path, refusal: Refusal, name: str) -> None:
    os.mkfifo(folder / name)
    assert refusal(folder / name).reason == "not-a-file"
    assert refusal(folder).reason in ("not-a-file", "no-python-file")


def test_a_device_is_refused(refusal: Refusal) -> None:
    assert refusal(Path("/dev/zero")).reason == "not-a-file"


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder with a submission, in a place that everybody can get at until a mode says otherwise."""
    with TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        folder = Path(made) / "alice"
        folder.mkdir(mode=0o755)
        (folder / "value.py").write_text(SOLVED, encoding="utf-8")
        yield folder


def test_a_file_that_may_not_be_opened_is_refused(locked: Path, refusal: Refusal) -> None:
    (locked / "value.py").chmod(0)
    with as_nobody():
        refused = [refusal(locked / "value.py"), refusal(locked)]
    assert {one.reason for one in refused} == {"unreadable"}
    assert all("Permission denied" in one.message for one in refused)


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111], ids=oct)
def test_a_folder_that_may_not_be_opened_is_refused(locked: Path, refusal: Refusal, mode: int) -> None:
    locked.chmod(mode)
    with as_nobody():
        refused = refusal(locked)
    assert (refused.reason, "Permission denied" in refused.message) == ("unreadable", True)


# Notebooks


@pytest.mark.parametrize("minor", range(6))
def test_a_notebook_of_version_4_is_read(put: Put, read: Read, minor: int) -> None:
    assert sources(read(put("value.ipynb", notebook(SOLVED, minor=minor)))) == [SOLVED]


def test_a_notebook_of_version_3_is_read(put: Put, read: Read) -> None:
    assert sources(read(put("value.ipynb", notebook_of_version_3(SOLVED, "x = 1")))) == [SOLVED, "x = 1"]


@pytest.mark.parametrize("make", [notebook, notebook_of_version_3])
def test_the_source_of_a_cell_may_be_a_list_of_lines(put: Put, read: Read, make: Callable[..., str]) -> None:
    lines = SOLVED.splitlines(keepends=True)
    assert sources(read(put("value.ipynb", make(lines)))) == [SOLVED]


def test_a_notebook_is_known_by_the_hash_of_its_bytes(put: Put, read: Read) -> None:
    text = notebook(SOLVED)
    assert read(put("value.ipynb", text)).sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_a_notebook_may_begin_with_a_byte_order_mark(put: Put, read: Read) -> None:
    assert sources(read(put("value.ipynb", "\ufeff" + notebook(SOLVED)))) == [SOLVED]


def test_code_cells_are_counted_and_others_are_not(put: Put, read: Read) -> None:
    text = json.loads(notebook("x = 1", SOLVED))
    for kind in ("markdown", "raw"):
        text["cells"].insert(1, {"cell_type": kind, "id": kind, "metadata": {}, "source": "class Value: ..."})
    units = read(put("value.ipynb", json.dumps(text))).units
    assert [unit.name for unit in units] == ["code cell 1", "code cell 2"]


def test_an_empty_cell_is_counted_and_left_out(put: Put, read: Read) -> None:
    (unit,) = read(put("value.ipynb", notebook("", " \n", SOLVED))).units
    assert unit.name == "code cell 3"


def test_magics_are_taken_out_of_cells(put: Put, read: Read) -> None:
    assert sources(read(put("value.ipynb", notebook("%matplotlib inline\n" + SOLVED)))) == ["\n" + SOLVED]


def test_a_notebook_without_code_has_nothing_to_run(put: Put, read: Read) -> None:
    assert read(put("value.ipynb", notebook())).units == ()


@pytest.mark.parametrize("half", [0xD800, 0xDFFF], ids=hex)
def test_half_a_character_in_a_notebook_does_not_reach_the_students_process(put: Put, read: Read, half: int) -> None:
    units = read(put("value.ipynb", notebook(SOLVED, f"# {chr(half)}"))).units
    assert units[0].source == SOLVED
    for unit in units:
        unit.source.encode()


@pytest.mark.parametrize(
    "text",
    [
        "class Value: ...",
        "{",
        notebook(SOLVED)[:-40],
        "[" * 100_000,
        '{"cells":' * 100_000,
        "{}",
        "[]",
        "3",
        "null",
        '"text"',
        notebook(SOLVED, nbformat=99),
        notebook(SOLVED, nbformat="four"),
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}}',
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": 3}',
        notebook(cells={"source": SOLVED}),
        notebook(cells=None),
        notebook(cells=7),
        notebook(cells=["code"]),
        notebook(cells=[None]),
        notebook(cells=[[SOLVED]]),
        notebook_with(cell_type="code"),
        notebook_with(source="x = 1"),
        notebook_with(cell_type="code", source=None),
        notebook_with(cell_type="code", source=7),
        notebook_with(cell_type="code", source=[1, 2]),
        notebook_with(cell_type="code", source={"x = 1": 2}),
        notebook_with(cell_type="code", source=["x = ", ["1"]]),
    ],
    ids=lambda text: text[-50:],
)
def test_what_is_no_notebook_is_refused(put: Put, refusal: Refusal, text: str) -> None:
    refused = refusal(put("value.ipynb", text))
    assert refused.reason == "not-a-notebook"
    assert "Open it in Jupyter, save it there and hand it in again." in refused.message


# Folders


def test_a_folder_with_one_file_is_that_file(put: Put, folder: Path, read: Read) -> None:
    put("my engine.py")
    assert sources(read(folder)) == [SOLVED]


def test_a_file_may_lie_in_a_folder_below(put: Put, folder: Path, read: Read) -> None:
    put("week 3/mine/value.py")
    assert sources(read(folder)) == [SOLVED]


def test_a_folder_may_be_called_like_a_zip(tmp_path: Path, read: Read) -> None:
    (tmp_path / "alice.zip").mkdir()
    (tmp_path / "alice.zip" / "value.py").write_text(SOLVED, encoding="utf-8")
    assert sources(read(tmp_path / "alice.zip")) == [SOLVED]


@pytest.mark.parametrize(
    "other",
    [
        "tests/test_1_forward.py",
        "conftest.py",
        "notebook_check.py",
        "setup.py",
        "test_mine.py",
        ".ipynb_checkpoints/value-checkpoint.ipynb",
        "__pycache__/value.py",
        "__MACOSX/._value.py",
        "._value.py",
        ".git/hooks/value.py",
        "venv/lib/value.py",
        "node_modules/value.py",
    ],
)
def test_files_that_are_nobodys_work_are_left_out(put: Put, folder: Path, read: Read, other: str) -> None:
    put("value.py")
    put(other, "class Value: ...\n")
    submission = read(folder)
    assert (sources(submission), submission.files, submission.notes) == ([SOLVED], ("value.py",), ())


def test_the_file_that_defines_what_is_asked_for_is_the_one(put: Put, folder: Path, read: Read) -> None:
    put("main.py", "from engine import Value\nprint(Value(2))\n")
    put("engine.py")
    assert sources(read(folder)) == [SOLVED]


@pytest.mark.parametrize(
    "text",
    ["class Value(Base):\n  x = 1\n", "if True:\n  class Value: ...\n", "Value = make()\n", "Value: type = make()\n"],
)
def test_there_are_several_ways_to_define_a_name(put: Put, folder: Path, read: Read, text: str) -> None:
    put("engine.py", text)
    put("other.py", "x = 1\n")
    assert sources(read(folder)) == [text]


@pytest.mark.parametrize(
    "text", ["from engine import Value\n", "# class Value\n", "Value == 3\n", "class Values: ...\n", "print(Value)\n"]
)
def test_a_name_that_is_only_used_is_not_defined(put: Put, folder: Path, refusal: Refusal, text: str) -> None:
    put("first.py", text)
    put("second.py", text)
    refused = refusal(folder)
    assert refused.reason == "nothing-defined"
    assert "None of the files defines Value: first.py, second.py" in refused.message


@pytest.mark.parametrize("source", [SOLVED, SOLVED.splitlines(keepends=True), "x = 1\n" + SOLVED])
def test_a_notebook_beside_a_script_defines_a_name_too(
    put: Put, folder: Path, read: Read, source: str | list[str]
) -> None:
    put("mine.ipynb", notebook(source))
    put("plot.py", "from mine import Value\n")
    assert "".join(source) in sources(read(folder))


def test_files_beside_the_one_that_is_graded_can_be_imported(put: Put, folder: Path, read: Read) -> None:
    put("value.py", "import helpers\n" + SOLVED)
    put("helpers.py", "\ufeffx = 1\n")
    assert read(folder).modules == {"helpers": "x = 1\n"}


def test_files_beside_the_one_that_is_graded_can_be_imported_from_any_depth(
    put: Put, folder: Path, read: Read
) -> None:
    put("week 3/value.py", "import helpers\n" + SOLVED)
    put("week 3/helpers.py", "x = 1\n")
    assert read(folder).modules == {"helpers": "x = 1\n"}


def test_two_files_that_define_it_are_refused_by_name(put: Put, folder: Path, refusal: Refusal) -> None:
    put("engine.py")
    put("old engine.py", "class Value: ...\n")
    refused = refusal(folder)
    assert refused.reason == "several-candidates"
    assert refused.message == (
        "2 files define Value: engine.py, old engine.py. Hand in one of them, named value.py or value.ipynb."
    )


def test_of_several_files_the_one_named_value_is_graded_and_the_others_are_noted(
    put: Put, folder: Path, read: Read
) -> None:
    put("value.py")
    put("old.py", "class Value: ...\n")
    submission = read(folder)
    assert sources(submission) == [SOLVED]
    assert submission.notes == ("Graded value.py; old.py also defines Value and was not graded.",)


def test_an_empty_folder_is_refused(folder: Path, refusal: Refusal) -> None:
    refused = refusal(folder)
    assert (refused.reason, refused.files) == ("no-python-file", ())


def test_a_folder_of_other_files_is_refused_by_their_names(put: Put, folder: Path, refusal: Refusal) -> None:
    put("report.pdf")
    put("notes.txt")
    assert "only notes.txt, report.pdf" in refusal(folder).message


def test_a_folder_of_thousands_of_files_is_refused(put: Put, folder: Path, refusal: Refusal) -> None:
    for number in range(2001):
        (folder / f"{number}.txt").touch()
    assert refusal(folder).reason == "too-many-files"


def test_the_hash_of_a_folder_is_over_names_and_contents(put: Put, folder: Path, read: Read) -> None:
    put("helpers.py", "x = 1\n")
    hashes = {read(put("value.py").parent).sha256}
    put("helpers.py", "x = 2\n")
    hashes.add(read(folder).sha256)
    (folder / "helpers.py").rename(folder / "others.py")
    hashes.add(read(folder).sha256)
    assert len(hashes) == 3


# The template, beside the student's own work


def test_the_notebook_is_graded_when_the_file_of_the_template_is_untouched(
    put: Put, folder: Path, read: Read, engine: Assignment
) -> None:
    put("value.py", (engine.template / "value.py").read_bytes())
    put("value.ipynb", notebook(SOLVED))
    assert sources(read(folder)) == [SOLVED]


def test_the_file_is_graded_when_the_notebook_of_the_template_is_untouched(
    put: Put, folder: Path, read: Read, engine: Assignment
) -> None:
    put("value.py")
    put("value.ipynb", (engine.template / "value.ipynb").read_bytes())
    submission = read(folder)
    assert (sources(submission), submission.notes) == ([SOLVED], ())


def test_a_notebook_that_was_only_run_is_untouched(put: Put, folder: Path, read: Read, engine: Assignment) -> None:
    ran = json.loads((engine.template / "value.ipynb").read_bytes())
    for number, cell in enumerate(ran["cells"]):
        if cell["cell_type"] == "code":
            cell["execution_count"] = number
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["not written yet\n"]}]
    put("value.ipynb", json.dumps(ran))
    put("value.py")
    assert sources(read(folder)) == [SOLVED]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_a_file_whose_line_endings_an_editor_changed_is_untouched(
    put: Put, folder: Path, read: Read, engine: Assignment, ending: str
) -> None:
    template = (engine.template / "value.py").read_text(encoding="utf-8")
    put("value.py", template.replace("\n", ending))
    put("value.ipynb", notebook(SOLVED))
    assert sources(read(folder)) == [SOLVED]


def test_a_template_that_nobody_touched_can_still_be_read(read: Read, engine: Assignment) -> None:
    assert read(engine.template).units


def test_work_in_both_files_of_the_template_is_refused(put: Put, folder: Path, refusal: Refusal) -> None:
    put("value.py")
    put("value.ipynb", notebook(SOLVED))
    assert refusal(folder).reason == "several-candidates"


# Zips


def test_a_zip_is_read_like_the_folder_in_it(tmp_path: Path, read: Read) -> None:
    submission = read(zip_of(tmp_path / "alice.zip", value=SOLVED, helpers="x = 1\n"))
    assert (submission.id, sources(submission)) == ("alice", [SOLVED])
    assert submission.modules == {"helpers": "x = 1\n"}


def test_a_zip_may_hold_a_folder_in_a_folder(tmp_path: Path, read: Read) -> None:
    assert sources(read(zip_of(tmp_path / "alice.zip", alice__alice__value=SOLVED))) == [SOLVED]


def test_files_can_be_imported_from_beside_the_one_that_is_graded_in_a_zipped_folder(
    tmp_path: Path, read: Read
) -> None:
    archive = zip_of(tmp_path / "alice.zip", alice__value="import helpers\n" + SOLVED, alice__helpers="x = 1\n")
    assert read(archive).modules == {"helpers": "x = 1\n"}


def test_a_zip_is_known_by_the_hash_of_its_own_bytes(tmp_path: Path, read: Read) -> None:
    archive = zip_of(tmp_path / "alice.zip", value=SOLVED, helpers="x = 1\n")
    assert read(archive).sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_zip_whose_content_is_refused_is_known_by_the_hash_of_its_own_bytes(
    tmp_path: Path, refusal: Refusal
) -> None:
    archive = zip_of(tmp_path / "alice.zip", one=SOLVED, two=SOLVED)
    refused = refusal(archive)
    assert (refused.reason, refused.sha256) == (
        "several-candidates",
        hashlib.sha256(archive.read_bytes()).hexdigest(),
    )


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\3\4" + b"\0" * 30])
def test_a_bad_zip_is_refused(put: Put, refusal: Refusal, content: bytes) -> None:
    refused = refusal(put("alice.zip", content))
    assert (refused.reason, refused.files) == ("bad-zip", ("alice.zip",))
    assert "Make it again" in refused.message


def test_an_empty_zip_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert refusal(zip_of(tmp_path / "alice.zip")).reason == "no-python-file"


def test_a_bomb_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    refused = refusal(zip_of(tmp_path / "alice.zip", value="#" * (25 * MB)))
    assert (refused.reason, "more than 20 MB" in refused.message) == ("bad-zip", True)


def test_a_refusal_does_not_say_where_a_zip_was_unpacked(tmp_path: Path, refusal: Refusal) -> None:
    refused = refusal(zip_of(tmp_path / "alice.zip", value=""))
    assert (refused.reason, refused.message) == ("empty", "value.py is empty. Save your work and hand it in again.")


# The fingerprint, by which a batch knows what it has graded already


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("value.py", SOLVED),
        ("value.ipynb", notebook(SOLVED)),
        ("value.py", ""),
        ("value.py", "\0"),
        ("value.ipynb", "{}"),
        ("value.txt", "hi"),
        ("value.zip", "no zip"),
    ],
)
def test_the_fingerprint_is_the_hash_of_the_submission_read_or_refused(
    put: Put, engine: Assignment, name: str, content: str
) -> None:
    path = put(name, content)
    try:
        known = read_submission(path, engine).sha256
    except Unreadable as error:
        known = error.sha256
    assert (
        fingerprint(path, engine.limits.submission_mb * MB) == known == hashlib.sha256(content.encode()).hexdigest()
    )


def test_the_fingerprint_of_a_folder_is_the_hash_of_the_submission(
    put: Put, folder: Path, read: Read, engine: Assignment
) -> None:
    put("value.py")
    put("more/helpers.py")
    assert fingerprint(folder, engine.limits.submission_mb * MB) == read(folder).sha256


def test_the_fingerprint_of_what_cannot_be_read_is_empty(tmp_path: Path) -> None:
    assert fingerprint(tmp_path / "nothing.py", MB) == ""
