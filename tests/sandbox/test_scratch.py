"""The folder that a submission may write to: its own, empty, small, and gone afterwards."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from autograder.bridge import Bridge, StudentStopped, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.files import remove_abandoned_folders
from autograder.sandbox import SandboxConfig, sandbox_config
from autograder.sandbox.sandbox_config import OPEN_FILES, SCRATCH_MB
from tests.sandbox.conftest import Run

WRITE = """
import os
def attack():
    before = os.listdir('.')
    with open('notes.txt', 'w') as file: file.write('x' * 1000)
    with open('notes.txt', 'r+') as file: file.truncate(10)
    os.rename('notes.txt', 'others.txt') if {rename} else None
    return [before, os.listdir('.')]
"""


def test_it_is_empty_and_can_be_written_to(any_tier: SandboxConfig, run_in: Run) -> None:
    assert run_in(any_tier, WRITE.format(rename=False)) == [[], ["notes.txt"]]


def test_temporary_files_find_their_way_to_it(any_tier: SandboxConfig, run_in: Run) -> None:
    body = "with tempfile.NamedTemporaryFile() as file: return file.write(b'abc')"
    assert run_in(any_tier, f"import os, tempfile\ndef attack():\n    {body}\n") == 3


def test_a_file_has_a_largest_size(any_tier: SandboxConfig, run_in: Run) -> None:
    source = "def attack():\n    with open('large', 'wb') as file: file.write(bytes(5 << 20))\n"
    with pytest.raises(OSError, match="File too large"):
        run_in(any_tier, source)


DELETED = """
import errno, os
def attack():
    written, kept = 0, []
    while True:
        try:
            kept.append(os.open('file', os.O_RDWR | os.O_CREAT))
            os.unlink('file')
            while True: written += os.write(kept[-1], bytes(1 << 16))
        except OSError as error:
            if len(kept) >= {open_files} or error.errno in (errno.EMFILE, errno.ENOSPC): return written
"""


def test_files_that_were_deleted_while_open_are_small_all_together(any_tier: SandboxConfig, run_in: Run) -> None:
    written = run_in(any_tier, DELETED.format(open_files=OPEN_FILES))
    assert 8 << 20 < written <= SCRATCH_MB << 20


MANY = """
import time
def attack():
    for number in range({count}):
        with open(f'file{{number}}', 'wb') as file: file.write(bytes({size}))
    time.sleep(5)
"""


PATIENT = Limits(cpu_seconds=20, wall_seconds=60)
"""A busy disk may take a second of CPU time for a thousand files."""


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(("count", "size"), [(1_300, 0), (160, 1 << 17)], ids=["many files", "large files"])
def test_writing_without_measure_is_stopped(any_tier: SandboxConfig, run_in: Run, count: int, size: int) -> None:
    kernel_keeps_it_small = any_tier.tier == "namespaces" and size
    words = "No space left" if kernel_keeps_it_small else "1000 files or 16 MB"
    with pytest.raises(OSError if kernel_keeps_it_small else StudentStopped, match=words):
        run_in(any_tier, MANY.format(count=count, size=size), PATIENT)


def test_it_is_gone_with_its_process(
    any_tier: SandboxConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    below = Path(any_tier.library_copy.root) if any_tier.library_copy else tmp_path
    before = {*below.iterdir()}
    processes = ProcessPool(any_tier, Limits())
    bridge = Bridge(SubmissionProgram((("value.py", "open('left', 'w').write('x')"),), ()), processes, Limits())
    bridge.load_without_fatal_code()
    assert bool({*below.iterdir()} - before) == (any_tier.tier != "namespaces")  # or in a file system of its own
    bridge.end_process()
    processes.end_unused_process()
    assert {*below.iterdir()} <= before


def test_folders_and_links_cannot_be_made_where_others_would_have_to_clean_up(
    run_in: Run, any_tier: SandboxConfig
) -> None:
    if any_tier.tier != "restricted":
        pytest.skip("only where the folder is one of the machine's")
    for body in ("os.mkdir('folder')", "os.symlink('/etc/passwd', 'link')"):
        with pytest.raises(PermissionError):
            run_in(any_tier, f"import os\ndef attack(): {body}\n")


def test_what_a_killed_grader_left_is_removed_by_a_later_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    names = {
        "of a dead grader": f"scratch-{dead.pid}-old",
        "of a dead grader, not long ago": f"scratch-{dead.pid}-new",
        "with submissions": f"autograder-submissions-{dead.pid}-old",
        "of a living one": f"scratch-{os.getpid()}-old",
        "of somebody else": "scratches",
    }
    for words, name in names.items():
        (tmp_path / name).mkdir()
        if "not long ago" not in words:
            os.utime(tmp_path / name, (1, 1))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove_abandoned_folders.cache_clear()
    try:
        sandbox_config.BoundedScratchFolder(None, in_private_file_system=False).remove()
    finally:
        remove_abandoned_folders.cache_clear()
    removed = {names["of a dead grader"], names["with submissions"]}
    assert {path.name for path in tmp_path.iterdir()} == {*names.values()} - removed
