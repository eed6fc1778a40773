"""``autograder archive``: a term in one file, and what is left when it is erased."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli.main import main
from tests.web.conftest import Site, grade_all, wait_until


def run_archive(site: Site, *arguments: str) -> Result:
    place = ("--out", str(site.settings.location.output_folder), "--course", str(site.settings.course))
    return CliRunner().invoke(main, ["archive", *arguments, *place])


def test_an_archive_holds_all_that_an_administrator_must_keep(site: Site, tmp_path: Path) -> None:
    ines, page = site.browser("ines"), "/class/toy/students/bob"
    assert ines.post(f"{page}/comment", page=page, attempt="bob-1", text="well").status_code == 303
    path = tmp_path / "term.zip"
    done = run_archive(site, str(path))
    assert done.exit_code == 0, done.output
    assert path.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(path) as found:
        digests = json.loads(found.read("manifest.json"))["sha256"]
        for name, digest in digests.items():
            assert hashlib.sha256(found.read(name)).hexdigest() == digest
        assert {*digests} | {"manifest.json"} == {*found.namelist()}
        people = json.loads(found.read("people.json"))
        ines = next(one for one in people if one["login"] == "ines")
        assert (ines["name"], ines["role"], ines["team"], ines["section"]) == ("Ines", "instructor", "", "")
        assert "toy" in found.read("course/grading.yml").decode()
        assert len(found.read("toy/gradebook.csv").decode().splitlines()) == 5
        assert json.loads(found.read("toy/reports/bob-1.json"))["score"] == 5
        assert found.read("toy/submissions/bob-1/value.py").startswith(b"def double")
        assert json.loads(found.read("toy/decisions.json"))[0]["value"] == "well"
        assert len(json.loads(found.read("toy/audit.json"))) == 1
        assert "bob-1" in {one["submission"] for one in json.loads(found.read("toy/hand-ins.json"))}


def test_after_an_archive_the_term_is_erased_and_the_staff_goes_on(site: Site, tmp_path: Path) -> None:
    done = run_archive(site, str(tmp_path / "term.zip"), "--erase", "--yes")
    assert done.exit_code == 0, done.output
    assert site.hand_ins() == []
    out = site.settings.location.output_folder
    assert sorted(path.name for path in out.iterdir()) == ["results.sqlite", "web-secret"]
    assert b"def double" not in (out / "results.sqlite").read_bytes()
    assert site.browser("ines").get("/class/toy").status_code == 200


def test_nothing_is_erased_if_the_archive_cannot_be_written(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "term.zip"
    path.write_text("the term before")
    done = run_archive(site, str(path), "--erase", "--yes")
    assert done.exit_code == 2
    assert path.read_text() == "the term before"
    assert len(site.hand_ins()) == 4


def test_a_term_in_which_something_waits_is_not_archived(site: Site, tmp_path: Path) -> None:
    assert site.browser("ada").hand_in("def double(x):\n    return 1\n").status_code == 303
    done = run_archive(site, str(tmp_path / "term.zip"))
    assert done.exit_code == 2
    assert "waits to be graded" in done.stderr
    assert not (tmp_path / "term.zip").exists()


@pytest.mark.thorough
def test_what_came_in_after_the_archive_was_written_is_not_erased(site: Site, tmp_path: Path) -> None:
    place = ["--out", str(site.settings.location.output_folder), "--course", str(site.settings.course)]
    command = [sys.executable, "-m", "autograder", "archive", str(tmp_path / "term.zip"), "--erase", *place]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as asking:
        wait_until((tmp_path / "term.zip").exists, "the archive is written")
        assert site.browser("bob").hand_in("def double(x):\n    return 2 * x\n").status_code == 303
        grade_all(site)
        message = asking.communicate("y\n", timeout=300)[1]
    assert asking.returncode == 2
    assert "the term is no longer as it stands there" in message
    assert len(site.hand_ins()) == 5
    assert (site.settings.location.output_folder / "handed-in" / "toy" / "bob-2.py").exists()


def test_no_term_is_erased_without_the_folder_that_the_worker_writes(site: Site, tmp_path: Path) -> None:
    handed_in = site.settings.location.output_folder / "handed-in"
    handed_in.rename(handed_in.with_name("elsewhere"))
    done = run_archive(site, str(tmp_path / "term.zip"), "--erase", "--yes")
    assert done.exit_code == 2
    assert "the worker's files are not in this folder" in done.stderr
    assert len(site.hand_ins()) == 4
