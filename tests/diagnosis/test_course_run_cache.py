"""What programs of the course's own did is kept between runs of the kit."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from autograder.diagnosis import caches
from autograder.diagnosis.caches import CourseProgramRunCache, hash_run_inputs
from autograder.diagnosis.model import BackwardReplayStep, RecordedBackwardRun
from autograder.diagnosis.readings import ProgramReadings, RunFailure

TRACES = (
    ProgramReadings((2, 3.0, None, "nan"), (0.1, -1e300), ("a", "b")),
    ProgramReadings(failure=RunFailure("TypeError", "step", 1, "it() takes no arguments")),
)
KEY = hash_run_inputs("traces", "class Value: ...", further_texts=["[]"])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the results are kept."""
    return tmp_path / "cache" / "toy.runs"


def open_cache_again(file: Path) -> CourseProgramRunCache:
    """Return what a new run of the kit would open."""
    return CourseProgramRunCache(lambda: file)


def test_what_one_run_of_the_kit_keeps_the_next_one_finds_to_the_bit(file: Path) -> None:
    open_cache_again(file).store_if_absent(KEY, TRACES)
    found = open_cache_again(file).get_or_none(KEY, tuple[ProgramReadings, ...])
    assert found == TRACES
    assert [type(one) for one in found[0].data] == [int, float, type(None), str]
    replay = RecordedBackwardRun(before={"a": 1}, steps=(BackwardReplayStep(node="b", line=2, grads={"a": 2.0}),))
    open_cache_again(file).store_if_absent(b"replay", replay)
    assert open_cache_again(file).get_or_none(b"replay", RecordedBackwardRun) == replay


def test_another_program_or_other_requests_have_another_key() -> None:
    keys = [hash_run_inputs("a", "bc"), hash_run_inputs("ab", "c"), hash_run_inputs("a", "b", further_texts="c"), KEY]
    assert hash_run_inputs("a", "b", further_texts="c") == hash_run_inputs("a", "b", "c")
    assert len({*keys}) == len(keys)


def test_nobody_else_may_read_what_is_kept(file: Path) -> None:
    open_cache_again(file).store_if_absent(KEY, TRACES)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_is_no_database_is_removed_and_the_next_run_keeps_results_again(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 100)
    first = open_cache_again(file)
    assert first.get_or_none(KEY, tuple[ProgramReadings, ...]) is None
    first.store_if_absent(KEY, TRACES)  # keeps nothing, and raises nothing
    assert not file.exists()
    open_cache_again(file).store_if_absent(KEY, TRACES)
    assert open_cache_again(file).get_or_none(KEY, tuple[ProgramReadings, ...]) == TRACES


def test_a_result_of_another_form_is_not_used(file: Path) -> None:
    open_cache_again(file).store_if_absent(KEY, {"before": {}})
    assert open_cache_again(file).get_or_none(KEY, tuple[ProgramReadings, ...]) is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the place of the folder")
    cache = open_cache_again(tmp_path / "cache" / "toy.runs")
    cache.store_if_absent(KEY, TRACES)
    assert cache.get_or_none(KEY, tuple[ProgramReadings, ...]) is None

    def find_no_home() -> Path:
        raise RuntimeError("no home")

    assert CourseProgramRunCache(find_no_home).get_or_none(KEY, tuple[ProgramReadings, ...]) is None
    assert CourseProgramRunCache(None).get_or_none(KEY, tuple[ProgramReadings, ...]) is None


def test_a_number_that_the_format_does_not_hold_is_not_kept(file: Path) -> None:
    open_cache_again(file).store_if_absent(KEY, (ProgramReadings((1 << 70,)),))
    assert open_cache_again(file).get_or_none(KEY, tuple[ProgramReadings, ...]) is None


def test_the_oldest_results_go_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MOST_ROWS", 3)
    cache = open_cache_again(file)
    for number in range(5):
        cache.store_if_absent(b"%d" % number, (number,))
    assert [cache.get_or_none(b"%d" % number, tuple[int, ...]) for number in range(5)] == [
        None,
        None,
        (2,),
        (3,),
        (4,),
    ]


def test_two_graders_keep_results_at_the_same_time(file: Path) -> None:
    one, other = open_cache_again(file), open_cache_again(file)
    for number in range(20):
        (one, other)[number % 2].store_if_absent(b"%d" % number, (number,))
        one.store_if_absent(b"common", (1,))
        other.store_if_absent(b"common", (1,))
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM run").fetchone() == (21,)
