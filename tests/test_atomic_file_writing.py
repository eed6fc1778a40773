"""An output file is replaced whole; what is no file of its own, such as a device, stays where it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from autograder.faults import KitFault
from autograder.files import write_file_atomically

WRITE = """\
import sys
from pathlib import Path
from autograder.files import write_file_atomically
print("before")
write_file_atomically(Path(sys.argv[1]), b"content\\n")
print("after")
"""


def test_a_symbolic_link_stays_and_its_target_is_replaced_in_the_targets_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "report.json").write_text("old", encoding="utf-8")
    before = (tmp_path / "elsewhere" / "report.json").stat().st_ino
    (tmp_path / "middle").symlink_to("elsewhere/report.json")
    (tmp_path / "link").symlink_to("middle")
    write_file_atomically(tmp_path / "link", b"new")
    assert os.readlink(tmp_path / "link") == "middle"
    assert os.readlink(tmp_path / "middle") == "elsewhere/report.json"
    assert (tmp_path / "elsewhere" / "report.json").read_bytes() == b"new"
    assert (tmp_path / "elsewhere" / "report.json").stat().st_ino != before
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["report.json"]


def test_a_fifo_stays_and_its_reader_gets_the_content(tmp_path: Path) -> None:
    fifo, got = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True)
    reader.start()
    write_file_atomically(fifo, b"content")
    reader.join(300)
    assert got == [b"content"]
    assert stat.S_ISFIFO(fifo.lstat().st_mode)


@pytest.mark.parametrize(("minor", "fault"), [(3, None), (7, KitFault)], ids=["null", "full"])
def test_a_device_stays(tmp_path: Path, minor: int, fault: type[Exception] | None) -> None:
    device = tmp_path / "device"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.close(os.open(device, os.O_WRONLY))
    except OSError:
        pytest.skip("this account makes no devices here")
    if fault is None:
        write_file_atomically(device, b"content")
    else:
        with pytest.raises(fault):
            write_file_atomically(device, b"content")
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert [*tmp_path.iterdir()] == [device]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_that_goes_to_a_file_is_continued(tmp_path: Path, name: str) -> None:
    if not os.path.exists(name):
        pytest.skip("this machine names no open files")
    (tmp_path / "link").symlink_to(name)  # the test never names the node itself: an error here must not replace it
    output = tmp_path / "output"
    with output.open("wb") as file:
        subprocess.run([sys.executable, "-c", WRITE, tmp_path / "link"], stdout=file, check=True)
    assert output.read_bytes() == b"before\ncontent\nafter\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "output"]


def test_what_a_killed_command_left_unfinished_is_removed_by_a_later_one(tmp_path: Path) -> None:
    names = {
        "of a killed command": f".writing-{'0' * 16}",
        "of one that may still write": f".writing-{'1' * 16}",
        "somebody's own": ".writing-notes",
    }
    for words, name in names.items():
        (tmp_path / name).write_text("half", encoding="utf-8")
        if "may still" not in words:
            os.utime(tmp_path / name, (1, 1))
    write_file_atomically(tmp_path / "report.json", b"new")
    left = {*names.values(), "report.json"} - {names["of a killed command"]}
    assert {path.name for path in tmp_path.iterdir()} == left
