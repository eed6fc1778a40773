"""Moodle's download: everybody's files and texts, whatever they are called."""

from __future__ import annotations

import html
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download, convert_html_to_plain_text
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.platforms.moodle import platform
from autograder.submissions import SubmissionOrigin
from tests.machine import cost_of
from tests.platforms.classes import entries
from tests.platforms.moodle_class import GOLDEN, cells, export, pages, result
from tests.platforms.moodle_school import FULL, SINGLE, write_program

# ------------------------------------------------------------------ moodle reader


GOLDEN_MOODLE_READER = Path(__file__).parents[1] / "data" / "platforms" / "moodle"
EMPTY = b'<!DOCTYPE html><html><head><meta charset="UTF-8"></head><body></body></html>'
NAMES = ["A b 12 van der Berg, Jr._5", "Ada Lovelace_2", "Bob Builder_4", "José María Ñandú-OBrien_6", "小龙 李_1"]


def tree(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def arrivals(root: Path, *files: str, **pages: bytes) -> dict[str, DownloadedSubmission]:
    assert platform.reader is not None
    download = Download(tree(root, dict.fromkeys(files, b"x = 1\n") | pages))
    return {one.name: one for one in platform.reader.read(download)}


def read_moodle_class(source: Path) -> dict[str, dict[str, str]]:
    """By entry of the batch, the files of it and their content."""
    with open_class_submissions(source) as found:
        assert found.platform is platform
    return entries(source)


def origins(source: Path) -> dict[str, SubmissionOrigin | None]:
    with open_class_submissions(source) as found:
        return {entry.name: entry.origin for entry in found.entries}


# ------------------------------------------------------------------ what a real Moodle 4.3 packed


def test_a_real_download_with_folders_is_read_with_all_its_names() -> None:
    found = read_moodle_class(GOLDEN_MOODLE_READER / "plain_folders1.zip")
    assert list(found) == NAMES
    assert {name: list(files) for name, files in found.items()} == {
        "A b 12 van der Berg, Jr._5": ["my value (1).py"],
        "Ada Lovelace_2": ["value.py"],
        "Bob Builder_4": ["notes.ipynb", "pkg/engine.py", "value.py"],
        "José María Ñandú-OBrien_6": ["värde.py"],
        "小龙 李_1": ["value.py"],
    }


def test_a_real_download_without_folders_puts_together_what_is_one_students() -> None:
    found = read_moodle_class(GOLDEN_MOODLE_READER / "plain_folders0.zip")
    assert list(found) == NAMES
    assert list(found["Bob Builder_4"]) == ["engine.py", "notes.ipynb", "value.py"]
    assert found["José María Ñandú-OBrien_6"] == {"värde.py": "class Value:\n    pass\n"}


@pytest.mark.parametrize("name", ["blind_folders0.zip", "blind_folders1.zip"])
def test_a_real_download_with_hidden_names_is_read_by_numbers(name: str) -> None:
    assert read_moodle_class(GOLDEN_MOODLE_READER / name) == {
        "Participant_11": {"value.py": "class Value:\n    pass\n"},
        "Participant_7": {"value.py": "class Value:\n    pass\n"},
    }


@pytest.mark.parametrize("name", ["plain_folders0.zip", "plain_folders1.zip"])
def test_the_number_is_the_participants_and_the_name_is_as_in_the_download(name: str) -> None:
    found = origins(GOLDEN_MOODLE_READER / name)
    whose = {key: [(person.id, person.name) for person in one.people] for key, one in found.items() if one}
    assert whose == {key: [(key.rpartition("_")[2], key.rpartition("_")[0])] for key in NAMES}


def test_the_paths_of_the_download_are_kept_letter_for_letter() -> None:
    origin = origins(GOLDEN_MOODLE_READER / "plain_folders1.zip")["小龙 李_1"]
    assert origin is not None
    assert origin.names == ("小龙 李_1_assignsubmission_file", "小龙 李_1_assignsubmission_onlinetext")


# ------------------------------------------------------------------ other shapes


def test_folders_of_moodle_before_4_1_end_in_an_underscore(tmp_path: Path) -> None:
    found = arrivals(tmp_path, "Ada_2_assignsubmission_file_/value.py", "Ada_2_assignsubmission_file_/lib/more.py")
    assert set(found["Ada_2"].files) == {"value.py", "lib/more.py"}


def test_teams_have_a_number_of_their_own_and_those_without_a_team_have_none(tmp_path: Path) -> None:
    found = arrivals(
        tmp_path, "Team Red_31_assignsubmission_file/value.py", "Default group_assignsubmission_file/value.py"
    )
    assert set(found) == {"Team Red_31", "Default group"}
    assert found["Team Red_31"].origin.people[0].id == "31"
    assert (found["Default group"].origin.people, found["Default group"].origin.group) == ((), "Default group")


def test_two_students_with_one_name_are_two(tmp_path: Path) -> None:
    found = arrivals(tmp_path, "Wei Li_3_assignsubmission_file_value.py", "Wei Li_33_assignsubmission_file_value.py")
    assert set(found) == {"Wei Li_3", "Wei Li_33"}


@pytest.mark.parametrize(
    "name", ["LATE", "2", "Berg, Jr.", 'the "best"', "O;Neill", "assignsubmission", "Müller-Lüd"]
)
def test_awkward_names_stay_names(tmp_path: Path, name: str) -> None:
    found = arrivals(tmp_path, f"{name}_7_assignsubmission_file/LATE_value.py")
    assert [(one.origin.people[0].id, one.origin.people[0].name) for one in found.values()] == [("7", name)]


LONG = f"{'龍' * 99} {'鬱' * 99}"
"""As long as Moodle lets a name be: 597 bytes, where file systems take 255."""


@pytest.mark.parametrize("end", ["_assignsubmission_file/value.py", "_assignsubmission_file_value.py"])
@pytest.mark.parametrize("below", ["", "MG101-HW1-3/"])
def test_a_name_that_no_file_system_takes_stops_nobody(tmp_path: Path, end: str, below: str) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        for name in (f"{LONG}_7", f"{LONG[:-1]}_8", f"{LONG}_70", "Ada_2"):
            packed.writestr(f"{below}{name}{end}", f"x = {name[-2:]!r}\n")
    assert read_moodle_class(tmp_path / "class.zip") == {
        "Ada_2": {"value.py": "x = '_2'\n"},
        f"{LONG[:-1]}_8": {"value.py": "x = '_8'\n"},
        f"{LONG}_7": {"value.py": "x = '_7'\n"},
        f"{LONG}_70": {"value.py": "x = '70'\n"},
    }
    origin = origins(tmp_path / "class.zip")[f"{LONG}_7"]
    assert origin is not None
    assert (origin.people[0].name, origin.people[0].id) == (LONG, "7")
    assert origin.names == (f"{LONG}_7{end}".partition("/")[0],)


def test_a_file_whose_name_is_too_long_is_its_students_alone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr("Ada_2_assignsubmission_file/value.py", "x = 1\n")
        packed.writestr(f"Eve_7_assignsubmission_file/{LONG}.py", "x = 1\n")
    with open_class_submissions(tmp_path / "class.zip") as found:
        assert {one.name: "too long" in one.reading_problem for one in found.entries} == {
            "Ada_2": False,
            "Eve_7": True,
        }


# ------------------------------------------------------------------ nobody poses as another


def test_a_folder_in_a_submission_that_is_named_as_anothers_stays_in_that_submission(tmp_path: Path) -> None:
    found = arrivals(tmp_path, "Eve_7_assignsubmission_file/Ada_2_assignsubmission_file/value.py")
    assert set(found) == {"Eve_7"}
    assert set(found["Eve_7"].files) == {"Ada_2_assignsubmission_file/value.py"}


@pytest.mark.parametrize("owner", ["Eve_7", "Default group"])
def test_a_file_that_is_named_as_anothers_stays_its_owners_without_folders_too(tmp_path: Path, owner: str) -> None:
    found = arrivals(tmp_path, f"{owner}_assignsubmission_file_Ada_2_assignsubmission_file_value.py")
    assert {name: list(one.files) for name, one in found.items()} == {owner: ["Ada_2_assignsubmission_file_value.py"]}


def test_paths_that_lead_out_of_the_zip_change_nothing_outside_and_nobody_else(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr("Ada_2_assignsubmission_file/value.py", "x = 1\n")
        packed.writestr("Eve_7_assignsubmission_file/../../Ada_2_assignsubmission_file/value.py", "x = 'eve'\n")
        packed.writestr("Eve_7_assignsubmission_file/value.py", "x = 7\n")
    with open_class_submissions(tmp_path / "class.zip", "moodle") as found:
        content = {one.name: one.path.read_text() for one in found.entries if one.path.is_file()}
    assert content == {"Ada_2": "x = 1\n", "Eve_7": "x = 7\n"}


def test_links_are_nobodys_files(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 'secret'\n")
    place = tree(tmp_path / "class", {"Eve_7_assignsubmission_file/own.py": b"x = 1\n"})
    (place / "Eve_7_assignsubmission_file" / "value.py").symlink_to(tmp_path / "secret.py")
    (place / "Bob_4_assignsubmission_file").symlink_to(tmp_path)
    assert read_moodle_class(place) == {"Eve_7": {"own.py": "x = 1\n"}}


# ------------------------------------------------------------------ online texts


def test_an_online_text_is_the_program_where_there_is_no_file(tmp_path: Path) -> None:
    page = EMPTY.replace(b"<body>", b"<body><p>class Value:</p><p>&nbsp; &nbsp; pass  # a &lt; b</p>")
    found = arrivals(tmp_path, **{"Ada_2_assignsubmission_onlinetext/onlinetext.html": page})
    assert dict(found["Ada_2"].texts) == {"value.py": b"class Value:\n    pass  # a < b\n"}


TYPED = EMPTY.replace(b"<body>", b"<body><p>x = 1</p>")
IN_FOUR_LANGUAGES = ["texteenligne.html", "onlineκείμενο.html", "textoenliña.html", "نص في وضع متصل بصيغة هيتمل"]
"""What French, Greek, Galician and Arabic call an online text's file; other languages call it as English does."""


@pytest.mark.parametrize("sign", ["/", "_"], ids=["folders", "flat"])
@pytest.mark.parametrize("name", IN_FOUR_LANGUAGES)
def test_an_online_text_is_found_whatever_the_language_calls_its_file(tmp_path: Path, name: str, sign: str) -> None:
    found = arrivals(tmp_path, **{f"Ada_2_assignsubmission_onlinetext{sign}{name}": TYPED})
    assert {one: dict(made.texts) for one, made in found.items()} == {"Ada_2": {"value.py": b"x = 1\n"}}


@pytest.mark.parametrize("name", ["onlinetext.html", *IN_FOUR_LANGUAGES])
@pytest.mark.parametrize("image", ["a.png", "zz.png"])
def test_an_image_in_an_online_text_is_not_taken_for_the_text(tmp_path: Path, name: str, image: str) -> None:
    place = "Ada_2_assignsubmission_onlinetext"
    found = arrivals(
        tmp_path, **{f"{place}/{name}": TYPED, f"{place}/{image}": b"\x89PNG", f"{place}/b/{name}": EMPTY}
    )
    assert dict(found["Ada_2"].texts) == {"value.py": b"x = 1\n"}


@pytest.mark.parametrize("name", ["onlinetext.html", *IN_FOUR_LANGUAGES])
def test_an_online_text_as_long_as_nobody_types_is_handed_on_unread(tmp_path: Path, name: str) -> None:
    path = f"Ada_2_assignsubmission_onlinetext/{name}"
    assert dict(arrivals(tmp_path, **{path: b"<p>" * 400_000})["Ada_2"].files) == {"onlinetext.html": path}


def test_an_online_text_beside_a_file_is_left_out(tmp_path: Path) -> None:
    page = EMPTY.replace(b"<body>", b"<body><p>see my file</p>")
    found = arrivals(
        tmp_path,
        "Ada_2_assignsubmission_file/engine.py",
        **{"Ada_2_assignsubmission_onlinetext/onlinetext.html": page},
    )
    assert (list(found["Ada_2"].files), dict(found["Ada_2"].texts)) == (["engine.py"], {})


def test_who_only_opened_the_form_handed_in_nothing(tmp_path: Path) -> None:
    name = "Ada_2_assignsubmission_onlinetext/onlinetext.html"
    assert arrivals(tmp_path, "Bob_4_assignsubmission_file/value.py", **{name: EMPTY}).keys() == {"Bob_4"}


def test_an_online_text_that_cannot_be_unpacked_is_its_students_alone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr("Ada_2_assignsubmission_file/value.py", "x = 1\n")
        link = zipfile.ZipInfo("Bob_4_assignsubmission_onlinetext/onlinetext.html")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "/etc/passwd")
    with open_class_submissions(tmp_path / "class.zip") as found:
        assert {one.name: bool(one.reading_problem) for one in found.entries} == {"Ada_2": False, "Bob_4": True}


# ------------------------------------------------------------------ what is no download


def test_a_strange_file_in_a_download_is_named_and_nobody_is_left_out_in_silence(tmp_path: Path) -> None:
    with pytest.raises(
        CallerFault, match=r"'bob\.py' is not named as in a Moodle download.*Download all submissions"
    ):
        arrivals(tmp_path, "Ada_2_assignsubmission_file/value.py", "bob.py")


# ------------------------------------------------------------------ moodle text


PROGRAM = "class Value:\n    def __init__(self, data):\n        self.data = data  # a < b & c\n\nx = 'é'\n"


def text_of(page: bytes) -> str:
    return convert_html_to_plain_text(page.decode("utf-8", "replace"))


def escaped(line: str) -> str:
    return html.escape(line).replace("  ", "&nbsp; ")


@pytest.mark.parametrize(
    "page",
    [
        "".join(f"<p>{escaped(line) or '<br>'}</p>\n" for line in PROGRAM.splitlines()),
        "<p>" + "<br />\n".join(map(escaped, PROGRAM.splitlines())) + "</p>",
        "<div>" + "<br>".join(map(escaped, PROGRAM.splitlines())) + "</div>",
        f"<pre>{html.escape(PROGRAM)}</pre>",
        f"<pre><code>\n{html.escape(PROGRAM)}</code></pre>\n<p>&nbsp;</p>",
        "<ul>" + "".join(f"\n  <li>{escaped(line)}</li>" for line in PROGRAM.splitlines()) + "\n</ul>",
        html.escape(PROGRAM).replace("\n", "\r\n"),
        '<p style="x">' + "</p><p>".join(f"<span>{escaped(line)}</span>" for line in PROGRAM.splitlines()) + "</p>",
    ],
    ids=["paragraphs", "breaks of plain text", "breaks", "pre", "code in pre", "list", "no tags", "spans"],
)
def test_a_program_keeps_its_lines_and_indentation(page: str) -> None:
    whole = f'<!DOCTYPE html><html><head><meta charset="UTF-8"></head><body>{page}</body></html>'
    assert [line for line in text_of(whole.encode()).splitlines() if line] == [
        line for line in PROGRAM.splitlines() if line
    ]


@given(st.text("<>/!-[]&;#p\nbré x\"'=") | st.binary().map(lambda raw: raw.decode("latin-1")))
@example("<![nonsense[ x")
@example("<!DOCTYPE x [<!ELEMENT>")
def test_no_page_is_too_broken_to_be_read(page: str) -> None:
    text = text_of(page.encode())
    assert text == "" or (text.endswith("\n") and text.strip() and "\r" not in text)


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<a ", "<a b='", "<a/", "</", "<?", "<![CDATA[", "<![", "<script>", "&#", "<b>a", "<", "<p>"],
)
def test_a_million_bytes_of_unfinished_tags_take_seconds_and_not_hours(piece: str) -> None:
    assert cost_of(lambda: text_of((piece * (1_000_000 // len(piece))).encode())) < 320


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_lines_in_paragraphs_come_back_letter_for_letter(lines: list[str]) -> None:
    page = "\n".join(f"<p>{html.escape(line)}</p>" for line in lines)
    assert text_of(page.encode()) == "\n".join(lines) + "\n"


# ------------------------------------------------------------------ moodle typed


NUMBERS = {write_program(number).strip(): number for number in SINGLE.values()}
EMAIL, GRADE, MAXIMUM = 2, 4, 7


@pytest.mark.parametrize("language", ["ar", "fr"])
def test_what_was_typed_is_graded_for_whoever_typed_it_whatever_its_file_is_called(language: str) -> None:
    with open_class_submissions(GOLDEN / "text" / f"{language}.zip") as found:
        assert found.platform is not None
        assert found.platform.name == "moodle"
        rows = []
        for entry in found.entries:
            files = [entry.path] if entry.path.is_file() else [*entry.path.rglob("*.py"), *entry.path.rglob("*.zip")]
            (file,) = files
            number = 3 if file.suffix == ".zip" else NUMBERS[file.read_text("utf-8").strip()]
            rows.append(result(entry.name, number, origin=entry.origin))
    assert len(rows) == len(SINGLE)
    made = export((GOLDEN / "text" / f"{language}.csv").read_bytes(), *rows, max_points=FULL)
    grades = {row[EMAIL].partition("@")[0]: row[GRADE] for row in cells(made.files["worksheet.csv"])[1:]}
    assert {login: float(grade.replace(",", ".")) for login, grade in grades.items() if grade} == {
        login: pytest.approx(number * MAXIMUM / FULL, abs=0.00501) for login, number in SINGLE.items()
    }
    assert len(pages(made)) == len(SINGLE)
    assert made.unmatched == ()


# ------------------------------------------------------------------ richtext


CODE = (
    st.lists(st.text('ab <>&"=:#()', max_size=20).map(str.rstrip), max_size=8)
    .map("\n".join)
    .map(lambda code: code.strip("\n"))
)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>class V:</p><p>&nbsp; &nbsp; def f(self):</p>", "class V:\n    def f(self):\n"),
        ("<p>if a &lt; b:<br />&nbsp;&nbsp;x = 1</p>", "if a < b:\n  x = 1\n"),
        ("<div>\r\n<p>a</p>\r\n<p>b<br>\r\n  c</p>\r\n</div>", "a\nb\n  c\n"),
        ("<pre>\nclass V:\n\n    def f(self):\n        pass\n</pre>", "class V:\n\n    def f(self):\n        pass\n"),
        ("<p>x<b>y</b> z</p>", "xy z\n"),
        ("<p>a</p><p><br></p><p>b</p>", "a\n\nb\n"),
        ("<p>a</p>\n<p>&nbsp;</p>\n<p>b</p>", "a\n\nb\n"),
        ("<p>a</p> <p>b</p>", "a\nb\n"),
        ("<p>a:</p><p>&nbsp; <b>&nbsp;</b> b</p>", "a:\n    b\n"),
        ("<p>a<!-- x <b> -->b</p><style>p{}</style>c<!-- <!-- no end", "ab\nc\n"),
        ("<!DOCTYPE html><html><head><title>t</title></head><body><![if x]>a<![endif]></body></html>", "a\n"),
        ("a < b and c > d", "a < b and c > d\n"),
        ("<p>if a < b:</p><!-- x --><p>1 << 2</p><script>f()</script>", "if a < b:\n1 << 2\n"),
        ("<p>&nbsp;</p><p></p>\n", ""),
        ("", ""),
    ],
)
def test_the_text_is_what_is_seen(markup: str, text: str) -> None:
    assert convert_html_to_plain_text(markup) == text


@given(CODE)
def test_lines_come_back_as_they_were_typed(code: str) -> None:
    escaped = html.escape(code).replace(" ", "&nbsp;")
    ways = ["<p>" + escaped.replace("\n", "<br />") + "</p>", f"<pre>{html.escape(code)}</pre>"]
    for markup in ways:
        assert convert_html_to_plain_text(markup) == (f"{code}\n" if code.strip() else "")
