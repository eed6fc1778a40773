"""A term's archive holds the files of a class that lies in a folder, whatever they are called."""

from __future__ import annotations

import os
import zipfile

from tests.cli.commands import run, succeeded
from tests.store.conftest import RIGHT, CounterCourse


def test_a_file_whose_name_is_not_utf_8_is_in_the_archive(counter_course: CounterCourse) -> None:
    folder = os.fsencode(counter_course.students)
    os.makedirs(os.path.join(folder, b"z\xe9", b"a\xff"))
    for name in (b"value.py", b"a\xff/n\xfcll.py"):
        with open(os.path.join(folder, b"z\xe9", name), "w", encoding="utf-8") as file:
            file.write(RIGHT if name == b"value.py" else "")
    counter_course.batch()
    succeeded(run("archive", "term.zip", "--out", "out", cwd=counter_course.root))
    with zipfile.ZipFile(counter_course.root / "term.zip") as archive:
        assert archive.read("counter/submissions/z%E9/value.py").decode() == RIGHT
        assert archive.read("counter/submissions/z%E9/a%FF/n%FCll.py") == b""
