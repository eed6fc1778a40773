"""Two recordings are compared value by value, and what differs alike stands together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.recording.__main__ import main
from tests.recording.comparison import compare_recordings, read_visible_text, steady

PAGE = "<title>A</title><style>p {}</style><p>one</p>\n<p aria-label='of it'>two  words</p><script>x</script>"


def record(folder: Path, score: float, page: str, names: str = "ab") -> Path:
    programs: Mapping[str, object] = {name: {"score": score, "tests": {"t": {"message": "m"}}} for name in names}
    folder.mkdir()
    (folder / "programs.json").write_text(json.dumps(programs), encoding="utf-8")
    (folder / "web.json").write_text(json.dumps({"pages": {"ada /": page}}), encoding="utf-8")
    return folder


def test_equal_recordings_have_no_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = record(tmp_path / "before", 1.0, "a\nb"), record(tmp_path / "after", 1.0, "a\nb")
    assert main(["compare", str(before), str(after)]) == 0
    assert capsys.readouterr().out == "equal\n"


def test_a_difference_of_several_programs_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = record(tmp_path / "before", 1.0, "a\nb\nc"), record(tmp_path / "after", 0.5, "a\nB\nc")
    assert main(["compare", str(before), str(after)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "programs: /score", "  before: 1.0", "  after:  0.5", "  in 2: a, b", "",
        "web: /ada /", "  -b", "  +B", "  in 1: pages",
    ]  # fmt: skip


def test_what_is_gone_and_what_is_new_are_differences(tmp_path: Path) -> None:
    before, after = record(tmp_path / "before", 1.0, "a", "ab"), record(tmp_path / "after", 1.0, "a", "bc")
    gone, new = compare_recordings(before, after)
    assert gone == "programs: whole\n  before: (there)\n  after:  (not there)\n  in 1: a"
    assert new.endswith("in 1: c")
    (after / "web.json").unlink()
    assert len(compare_recordings(before, after)) == 3


def test_a_folder_without_a_recording_equals_nothing(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["compare", str(tmp_path / "neither"), str(tmp_path / "nor")])


def test_nothing_that_is_seen_is_lost_and_what_a_run_made_is_taken_out() -> None:
    assert read_visible_text(PAGE).split("\n") == ["A", "one", "[of it]", "two words"]
    assert (
        steady("due 2025-11-20 in /tmp/x, kit 0.2.0+0123456789ab", Path("/tmp/x"))
        == "due 2025-11-20 in FOLDER, kit KIT"
    )
    assert steady("it was still in `f`,\n  a.py, line 6, when its time was up.") == (
        "it was still in PLACE, when its time was up."
    )
