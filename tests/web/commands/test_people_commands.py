"""``autograder people``: all that is kept of a student is exported, and erased so that nothing of it can be found."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from autograder.cli.main import main
from autograder.store.tables import metadata
from tests.web.conftest import Site, grade_all, make_site

CANARY = "canary_4711"
CODE = f"def double(x):\n    {CANARY} = 6\n    return {CANARY}\n"
NAME = "Ada <b>Okafor</b>"
OTHERS = 'see "ada-3", which Ada <b>Okafor</b> wrote'


def run_people(site: Site, *arguments: str, answer: str = "") -> Result:
    place = ("--out", str(site.settings.location.output_folder))
    return CliRunner().invoke(main, ["people", *arguments, *place], input=answer)


@pytest.fixture(scope="module")
def busy_root(graded_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in which Ada and a pair did and got everything that there is; not to be changed."""
    root = tmp_path_factory.mktemp("busy") / "site"
    shutil.copytree(graded_root, root, ignore=shutil.ignore_patterns("__pycache__"))
    site = make_site(root)
    ada, ines, di = site.browser("ada"), site.browser("ines"), site.browser("di")
    assert ada.hand_in(CODE, "ada_okafor.py").status_code == 303
    grade_all(site)
    key = site.key("ada-3")
    assert ada.post(f"/hand-ins/{key}/ask", text=f"why is {CANARY} wrong?").status_code == 303
    shared = site.key("cy + di-1")
    assert di.post(f"/hand-ins/{shared}/ask", text="a question of di's own").status_code == 303
    page = "/class/toy/students/ada"
    for form, fields in (
        ("override", {"attempt": "ada-3", "points": "7", "reason": f"{CANARY} is nearly right"}),
        ("comment", {"attempt": "ada-3", "text": f"well, {NAME}"}),
        ("extend", {"until": "2 days", "reason": "ill"}),
    ):
        assert ines.post(f"{page}/{form}", page=page, **fields).status_code == 303
    bob = "/class/toy/students/bob"
    assert ines.post(f"{bob}/comment", page=bob, attempt="bob-1", text=OTHERS).status_code == 303
    assert ines.post("/class/toy/try-regrade", page="/class/toy", which="all").status_code == 303
    out, course = site.settings.location.output_folder, str(site.settings.course)
    for words in (["report", "--pages"], ["overview"], ["similar"]):
        done = CliRunner().invoke(main, [*words, "--out", str(out), "--course", course])
        assert done.exit_code == 0, done.output
    return root


@pytest.fixture
def busy_site(busy_root: Path, tmp_path: Path) -> Site:
    """The same, to be changed."""
    return make_site(shutil.copytree(busy_root, tmp_path / "site"))


def list_texts(site: Site) -> Iterator[tuple[str, str]]:
    """Everything in the results folder, the bytes of the database included, and each row of the store."""
    for path in site.settings.location.output_folder.rglob("*"):
        if path.is_file():
            yield str(path), path.name + path.read_bytes().decode("latin-1")
    database = sqlite3.connect(site.settings.location.output_folder / "results.sqlite")
    for name in metadata.tables:
        for row in database.execute(f"SELECT * FROM {name}"):
            yield name, repr([unpack(cell) for cell in row])
    database.close()


def unpack(cell: object) -> object:
    """A cell as a text, also of what the store keeps compressed."""
    try:
        return zlib.decompress(cell).decode() if isinstance(cell, bytes) else cell
    except zlib.error:
        return cell


def find(site: Site, *texts: str) -> list[str]:
    return [f"{where}: {text}" for where, content in list_texts(site) for text in texts if text in content]


def test_a_dry_run_says_what_would_go_and_erases_nothing(busy_site: Site) -> None:
    before = {where: content for where, content in list_texts(busy_site) if "sqlite" not in where}
    done = run_people(busy_site, "erase", "ada", "--dry-run")
    assert done.exit_code == 0, done.output
    for line in (
        "goes: the account",
        "goes: 3 submissions with files and results",
        "goes: 3 decisions, 1 inquiry",
        "reports/ada-3.json",
        "raw/ada-3.json",
        "feedback/ada-3.html",
        "handed-in/toy/ada-3.py",
        "similar.html",
        "goes: rows in",
        "nothing was erased",
    ):
        assert line in done.stdout
    assert {where: content for where, content in list_texts(busy_site) if "sqlite" not in where} == before
    assert busy_site.browser("ines").get("/class/toy/students/ada").status_code == 200


def test_nothing_of_an_erased_student_is_left_in_any_file(busy_site: Site) -> None:
    assert len(find(busy_site, CANARY)) > 5
    done = run_people(busy_site, "erase", "ada", "--yes")
    assert done.exit_code == 0, done.output
    assert find(busy_site, CANARY, "ada-", "ada@", "ada_okafor", '"ada"', "Okafor", "web:ada") == []
    assert run_people(busy_site, "erase", "ada", "--dry-run").exit_code == 2  # nobody is called so any more


def test_the_audit_log_keeps_that_a_mark_changed_and_says_not_whose_it_was(busy_site: Site) -> None:
    before = len(busy_site.in_store(lambda store: store.audit.load_audit_rows("", "toy")))
    run_people(busy_site, "erase", "ada", "--yes")
    events = busy_site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert len(events) == before
    (changed,) = [one for one in events if one.event.changed_item == "override"]
    assert (changed.event.before, changed.event.after, changed.action.account) == ("5", "7", "web:ines")
    assert changed.event.student_label.startswith("_erased-")
    assert changed.answer == ""


def test_the_others_keep_what_is_theirs(busy_site: Site) -> None:
    bob_before = busy_site.browser("bob").get(f"/hand-ins/{busy_site.key('bob-1')}/report.json").get_json()
    run_people(busy_site, "erase", "ada", "--yes")
    bob = busy_site.browser("bob")
    assert bob.get(f"/hand-ins/{busy_site.key('bob-1')}/report.json").get_json()["score"] == bob_before["score"]
    table = busy_site.browser("ines").get("/class/toy").text
    assert "Bob" in table
    assert "Okafor" not in table
    out, course = busy_site.settings.location.output_folder, str(busy_site.settings.course)
    assert CliRunner().invoke(main, ["report", "--out", str(out), "--course", course]).exit_code == 0
    book = (out / "gradebook.csv").read_text(encoding="utf-8")
    assert [line.partition(",")[0] for line in book.splitlines()] == ["submission", "bob-1", "cy + di-1"]


def test_what_a_pair_handed_in_stays_the_others_without_the_name(busy_site: Site) -> None:
    done = run_people(busy_site, "erase", "di", "--yes")
    assert done.exit_code == 0, done.output
    assert "stays for the others of the team, without this name: cy + di-1" in done.stdout
    (kept,) = [one for one in busy_site.hand_ins() if one.owner.startswith("cy")]
    assert kept.owner.startswith("cy + _erased-")
    cy = busy_site.browser("cy")
    page = cy.get(f"/hand-ins/{kept.key}")
    assert page.status_code == 200
    assert cy.get(f"/hand-ins/{kept.key}/report.json").get_json()["score"] == 10
    assert busy_site.browser("ines").get("/class/toy").status_code == 200
    assert find(busy_site, "cy + di", "di-1", '"di"', "web:di", "question of di's own") == []
    out, course = busy_site.settings.location.output_folder, str(busy_site.settings.course)
    assert CliRunner().invoke(main, ["report", "--out", str(out), "--course", course]).exit_code == 0
    assert (out / "reports" / f"{kept.submission}.json").is_file()
    assert (out / "handed-in" / "toy" / f"{kept.submission}.py").is_file()
    assert run_people(busy_site, "erase", "cy", "--yes").exit_code == 0  # the last of the pair: now it goes
    assert [one.owner for one in busy_site.hand_ins()] == ["ada", "ada", "bob", "ada"]


def test_the_same_bytes_that_another_handed_in_keep_their_result(site: Site) -> None:
    assert run_people(site, "erase", "ada", "--yes").exit_code == 0  # her first is Bob's, letter for letter
    bob = site.browser("bob")
    assert bob.get(f"/hand-ins/{site.key('bob-1')}/report.json").get_json()["score"] == 5


def test_copies_that_people_made_are_named_since_nobody_knows_what_they_are(site: Site) -> None:
    place = site.settings.location.output_folder / "upload"
    place.mkdir()
    (place / "grades.csv").write_text("login,points\nada,7\n", encoding="utf-8")
    with zipfile.ZipFile(place / "feedback.zip", "w") as archive:
        archive.writestr("ada-1.html", "points")
    (place / "bobs.csv").write_text("adam,ada-b\n", encoding="utf-8")
    done = run_people(site, "erase", "ada", "--yes")
    assert done.exit_code == 1
    named = [line for line in done.stderr.splitlines() if "still names the erased person" in line]
    assert len(named) == 2
    assert "grades.csv" in done.stderr
    assert "feedback.zip" in done.stderr


def test_nothing_is_erased_without_a_yes(site: Site) -> None:
    done = run_people(site, "erase", "ada", answer="n\n")
    assert done.exit_code == 1
    assert site.browser("ines").get("/class/toy/students/ada").status_code == 200


@pytest.mark.parametrize(("login", "sentence"), [("eve", "has the name 'eve'"), ("ines", "invite --revoke")])
def test_only_students_of_the_course_are_erased(site: Site, login: str, sentence: str) -> None:
    done = run_people(site, "erase", login, "--yes")
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_who_is_being_graded_is_not_erased(site: Site) -> None:
    assert site.browser("ada").hand_in(CODE).status_code == 303
    assert site.in_store(lambda store: store.grading_queue.try_claim_next_hand_in("", "w"))
    done = run_people(site, "erase", "ada", "--yes")
    assert done.exit_code == 2
    assert "is being graded" in done.stderr
    assert site.key("ada-1")


def export(site: Site, tmp_path: Path, *more: str) -> zipfile.ZipFile:
    path = tmp_path / "ada.zip"
    done = run_people(site, "export", "ada", "--to", str(path), "--course", str(site.settings.course), *more)
    assert done.exit_code == 0, done.output
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


def test_an_export_holds_everything_and_can_be_read_without_the_kit(busy_site: Site, tmp_path: Path) -> None:
    with export(busy_site, tmp_path) as found:
        assert found.testzip() is None
        data = {name: json.loads(found.read(name)) for name in found.namelist() if name.endswith(".json")}
        assert data["account.json"]["name"] == NAME
        assert [one["submission"] for one in data["hand-ins.json"]] == ["ada-1", "ada-2", "ada-3"]
        assert found.read("files/toy/ada-3/ada_okafor.py").decode() == CODE
        assert data["reports/toy/ada-3.json"]["decided"]["score"] == 5
        assert "reports/toy/ada-3.html" in found.namelist()
        assert [one["kind"] for one in data["decisions.json"]] == ["override", "comment", "extend"]
        assert CANARY in json.dumps(data["inquiries.json"])
        assert len([row for row in data["audit.json"] if row["action"] != "people"]) == 4
        assert "ada-3" in found.read("gradebook.csv").decode()
        assert "README.txt" in found.namelist()


def test_an_export_for_the_student_holds_no_hidden_test_and_no_secret(busy_site: Site, tmp_path: Path) -> None:
    hidden = busy_site.settings.course / "grading.yml"
    hidden.write_text(hidden.read_text(encoding="utf-8") + "    feedback: {hidden_tests: hidden}\n", encoding="utf-8")
    with export(busy_site, tmp_path) as found:
        everything = b"".join(map(found.read, found.namelist()))
        assert not any(name.startswith("raw/") for name in found.namelist())
    tokens = select(metadata.tables["web_sign_ins"].c.token)
    for row in busy_site.in_store(lambda store: store.people._session.fetch_all(tokens)):
        assert row.token.encode() not in everything


def test_an_export_for_the_staff_holds_the_raw_records_too(busy_site: Site, tmp_path: Path) -> None:
    with export(busy_site, tmp_path, "--with-hidden-tests") as found:
        assert "raw/ada-3.json" in found.namelist()


def test_an_export_overwrites_nothing(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "ada.zip"
    path.write_text("mine")
    done = run_people(site, "export", "ada", "--to", str(path), "--course", str(site.settings.course))
    assert done.exit_code == 2
    assert path.read_text() == "mine"


def test_nothing_is_erased_without_the_folder_that_the_worker_writes(busy_site: Site) -> None:
    handed_in = busy_site.settings.location.output_folder / "handed-in"
    handed_in.rename(handed_in.with_name("elsewhere"))
    done = run_people(busy_site, "erase", "ada", "--yes")
    assert done.exit_code == 2
    assert "the worker's files are not in this folder" in done.stderr
    assert "ada-1" in {hand_in.submission for hand_in in busy_site.hand_ins()}
