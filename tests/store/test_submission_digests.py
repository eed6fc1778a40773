"""What a submission holds decides its identity; so do the names of its files, and why it cannot be read."""

from __future__ import annotations

from pathlib import Path

from autograder.store.results.result_model import compute_submission_digests

LIMIT = 2**20


def test_the_same_bytes_under_another_name_are_something_else(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1")
    a, b = (compute_submission_digests(tmp_path / name, "", LIMIT) for name in ("a.py", "b.py"))
    assert a.sha256 == b.sha256
    assert a.identity != b.identity


def test_the_same_files_of_two_students_are_the_same(tmp_path: Path) -> None:
    for name in ("alice", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "value.py").write_text("x = 1")
    assert compute_submission_digests(tmp_path / "alice", "", LIMIT) == compute_submission_digests(
        tmp_path / "bob", "", LIMIT
    )


def test_what_cannot_be_read_is_told_apart_by_why(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    paths = ("link.py", "missing.py")
    identities = {compute_submission_digests(tmp_path / path, "", LIMIT).identity for path in paths}
    identities.add(compute_submission_digests(tmp_path / "missing.py", "It lies outside.", LIMIT).identity)
    assert len(identities) == 3
