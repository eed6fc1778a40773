"""What Canvas packs, by the names it gives. The names are those of its documentation and of its source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import Download, DownloadedSubmission, require_platform
from autograder.platforms.canvas.reader import (
    make_canvas_owner_key,
    parse_packed_file_names,
    parse_possible_readings,
    try_parse_anonymous_name,
)
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.submissions import Person

UUID = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
CLASS = [
    "lovelaceada_12345_67890_value.py",
    "smithbob_340934_208490284_BobsWork.zip",
    "turingalan_LATE_12346_67891_value-1.py",
]
READER = require_platform("canvas").reader


def packed(folder: Path, files: Mapping[str, str] | list[str]) -> Download:
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_text(files[name] if isinstance(files, Mapping) else "x = 1\n", encoding="utf-8")
    return Download(folder)


def arrivals(folder: Path, files: Mapping[str, str] | list[str]) -> dict[str, DownloadedSubmission]:
    assert READER is not None
    return {one.name: one for one in READER.read(packed(folder, files))}


def test_name_id_and_the_students_own_file_name_are_read(tmp_path: Path) -> None:
    found = arrivals(tmp_path, CLASS)
    assert sorted(found) == ["lovelaceada_12345", "smithbob_340934", "turingalan_12346"]
    ada = found["lovelaceada_12345"]
    assert ada.files == {"value.py": "lovelaceada_12345_67890_value.py"}
    assert ada.origin.people == (Person(id="12345", name="lovelaceada"),)
    assert ada.origin.names == ("lovelaceada_12345_67890_value.py",)
    assert found["smithbob_340934"].files == {"BobsWork.zip": "smithbob_340934_208490284_BobsWork.zip"}


def test_late_is_the_mark_in_front_of_the_ids_and_no_other(tmp_path: Path) -> None:
    found = arrivals(tmp_path, [*CLASS, "hopper_12347_67899_x_LATE_value.py", "late_12348_67898_value.py"])
    late = {name for name, one in found.items() if one.origin.marked_late}
    assert late == {"turingalan_12346"}
    assert found["hopper_12347"].files == {"x_LATE_value.py": "hopper_12347_67899_x_LATE_value.py"}


def test_all_files_of_a_student_are_one_submission_late_if_one_is(tmp_path: Path) -> None:
    names = ["a_12345_67890_value.py", "a_LATE_12345_67891_helper.py"]
    (one,) = arrivals(tmp_path, names).values()
    assert set(one.files) == {"value.py", "helper.py"}
    assert one.origin.marked_late
    assert one.origin.names == tuple(names)


@pytest.mark.parametrize(
    ("shown", "path"),
    [
        ("value-1.py", "value.py"),
        ("value-12.ipynb", "value.ipynb"),
        (f"value-{UUID}.py", "value.py"),
        ("engine-1.py", "engine-1.py"),
        ("value-1.tar.gz", "value-1.tar.gz"),
        ("value-final.py", "value-final.py"),
        ("Value-1.py", "Value-1.py"),
    ],
)
def test_the_number_of_another_attempt_is_taken_off_value_alone(tmp_path: Path, shown: str, path: str) -> None:
    (one,) = arrivals(tmp_path, [f"a_12345_67890_{shown}"]).values()
    assert [*one.files] == [path]


@pytest.mark.parametrize("other", ["value.py", "VALUE.py", "value.ipynb", "value-2.py"])
def test_a_number_stays_where_the_student_has_another_such_file(tmp_path: Path, other: str) -> None:
    (one,) = arrivals(tmp_path, ["a_12345_67890_value-1.py", f"a_12345_67891_{other}"]).values()
    assert set(one.files) == {"value-1.py", other}


def test_of_two_files_called_alike_the_later_keeps_its_name(tmp_path: Path) -> None:
    (one,) = arrivals(tmp_path, ["a_1_999_value.py", "a_1_1000_value.py"]).values()
    assert one.files == {"value.py": "a_1_1000_value.py", "999_value.py": "a_1_999_value.py"}


def test_hidden_names_stay_hidden(tmp_path: Path) -> None:
    names = ["anon_aB3dE_67890_value.py", "anon_12345_67891_value.py", "LATE_anon_Zz9yX_67892_value.py"]
    found = arrivals(tmp_path, [*names, "anon_qqqqq_LATE_67893_value.py"])
    assert sorted(found) == ["anon_12345", "anon_Zz9yX", "anon_aB3dE", "anon_qqqqq"]
    assert all(one.origin.people == () for one in found.values())
    assert [one.origin.marked_late for one in found.values()].count(True) == 2
    assert found["anon_aB3dE"].files == {"value.py": names[0]}


def test_somebody_may_be_called_anon(tmp_path: Path) -> None:
    found = arrivals(tmp_path, ["anon_12345_67890_value.py", "lovelaceada_12346_67891_value.py"])
    assert found["anon_12345"].origin.people == (Person(id="12345", name="anon"),)
    (alone,) = arrivals(tmp_path / "alone", ["anon_12345_67890_value.py"]).values()
    assert alone.origin.people == (Person(id="12345", name="anon"),)


def test_what_was_typed_in_is_a_program_where_nothing_else_was_handed_in(tmp_path: Path) -> None:
    page = "<html><head><title>HW: Ada</title></head><body><h1>HW: Ada</h1>\n<div>\n  {}\n</div></body></html>"
    typed = "<p>class Value:<br />&nbsp; &nbsp; pass</p><p>x = 1 &lt; 2</p>"
    (one,) = arrivals(tmp_path, {"a_12345_text.html": page.format(typed)}).values()
    assert one.texts == {"value.py": b"class Value:\n    pass\nx = 1 < 2\n"}
    assert not one.files
    beside = {"b_12346_text.html": page.format(typed), "b_12346_67890_value.py": ""}
    (two,) = arrivals(tmp_path / "beside", beside).values()
    assert not two.texts
    assert set(two.files) == {"text.html", "value.py"}


@pytest.mark.parametrize("typed", ["link.html", "text.html"])
def test_a_link_and_an_empty_text_are_told_to_be_no_program(tmp_path: Path, typed: str) -> None:
    packed(tmp_path, {f"a_12345_{typed}": "<html><h1>t</h1><div> </div></html>", "b_12346_77777_value.py": ""})
    with open_class_submissions(tmp_path, "canvas") as found:
        one = next(entry for entry in found.entries if entry.name == "a_12345")
        assert one.path.name == typed


@pytest.mark.parametrize(
    "name",
    [
        "value.py",
        "smith_value.py",
        "Smith_12345_67890_value.py",
        "a b_12345_67890_value.py",
        "a_12345_67890_",
        "a_1_2",
    ],
)
def test_other_names_are_not_canvas_s(name: str) -> None:
    assert not parse_possible_readings(name)
    assert not try_parse_anonymous_name(name)


@pytest.mark.parametrize(
    ("name", "short"),
    [("Lovelace, Ada", "lovelaceada"), ("O’Brien-Ö, B.", "obrienöb"), ("Mal_5_lory", "mal5lory"), ("a_b", "a_b")],
)
def test_a_name_is_squeezed_as_canvas_does(name: str, short: str) -> None:
    assert make_canvas_owner_key(name) == short


def test_a_name_of_numbers_takes_no_place_that_is_anothers(tmp_path: Path) -> None:
    """Mallory has called herself ``Mallory_5``: the id of Bob, who handed in too."""
    found = arrivals(tmp_path, ["bob_5_67890_value.py", "mallory_5_12345_67891_value.py"])
    assert sorted(found) == ["bob_5", "mallory_5_12345"]
    assert [person.id for person in found["mallory_5_12345"].origin.people] == [""]


def test_a_file_name_of_numbers_changes_nothing(tmp_path: Path) -> None:
    found = arrivals(tmp_path, ["ada_12345_67890_24_value.py", "ada_12345_67891_1_2_3.py"])
    assert [*found] == ["ada_12345"]
    assert set(found["ada_12345"].files) == {"24_value.py", "1_2_3.py"}


def test_a_link_in_the_download_is_left_out(tmp_path: Path) -> None:
    packed(tmp_path, CLASS)
    (tmp_path / "eve_12349_67999_value.py").symlink_to("/etc/passwd")
    assert READER is not None
    assert "eve_12349" not in {one.name for one in READER.read(Download(tmp_path))}


@pytest.mark.parametrize("other", ["gradebook.csv", "notes"])
def test_what_canvas_does_not_pack_is_refused_by_name(tmp_path: Path, other: str) -> None:
    with pytest.raises(CallerFault, match=rf"{other}.*not named as in a Canvas download.*--from folder"):
        arrivals(tmp_path, [*CLASS, other])


def test_a_folder_that_is_named_like_a_file_is_refused(tmp_path: Path) -> None:
    packed(tmp_path, CLASS)
    (tmp_path / "eve_12349_67999_value.py").mkdir()
    assert READER is not None
    with pytest.raises(CallerFault, match="eve_12349"):
        READER.read(Download(tmp_path))


OWNERS = st.text(st.characters(codec="utf-8", categories=["Ll", "Lo", "Mn"]), min_size=1, max_size=12)
SHOWN = st.text(st.characters(codec="utf-8", exclude_characters='/\\\0:*?"<>|'), min_size=1, max_size=30)
NUMBERS = st.integers(1, 10**17).map(str)


@given(OWNERS, NUMBERS, NUMBERS, SHOWN, st.booleans())
def test_whatever_the_file_is_called_the_ids_in_front_decide(
    owner: str, user: str, attachment: str, shown: str, late: bool
) -> None:
    name = f"{owner}_{'LATE_' if late else ''}{user}_{attachment}_{shown}"
    (one,), others = parse_packed_file_names([name])
    assert (one.user_id, one.attachment_id, one.student_file_name, one.is_late, others) == (
        user,
        attachment,
        shown,
        late,
        [],
    )


@given(st.lists(st.text("anLATE_019.py\n", max_size=20), max_size=6))
def test_every_name_is_read_once_or_refused(names: list[str]) -> None:
    found, others = parse_packed_file_names(names)
    assert sorted({one.packed_name for one in found} | {*others}) == sorted(set(names))
