"""What a student's process finds around it: streams, an environment, a user and a root folder that tell nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.redteam.inside import ROOT, STDLIB, Inside, program

LISTING = """
import os, stat
def attack():
    found = {}
    for fd in range(1024):
        try: mode = os.fstat(fd).st_mode
        except PermissionError:
            found[fd] = 'hidden'
            continue
        except OSError: continue
        kinds = dict(character=stat.S_ISCHR, pipe=stat.S_ISFIFO, socket=stat.S_ISSOCK, folder=stat.S_ISDIR)
        found[fd] = next((name for name, test in kinds.items() if test(mode)), 'file')
    return found
"""


# catalogue: 39
def test_nothing_is_open_but_the_standard_streams_and_the_channel(inside: Inside) -> None:
    secret = os.open(ROOT / "grading.yml", os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        found = inside.run(LISTING)
        outside = subprocess.run(
            [sys.executable, "-I", "-c", f"{LISTING}\nprint(attack())"],
            check=True,
            close_fds=False,
            capture_output=True,
            text=True,
        )
    finally:
        os.close(secret)
    assert [found.pop(number) for number in (0, 1, 2)] == ["character", "hidden", "hidden"]
    # Where the standard library lies below a private home, tier restricted reaches it through an open folder.
    through = ["folder"] if inside.sandbox.stdlib else []
    assert sorted(found.values()) == sorted(["hidden", *through])
    assert "'file'" in outside.stdout


def test_standard_input_is_empty(inside: Inside) -> None:
    assert inside.run("import sys\ndef attack(): return sys.stdin.read()") == ""


# catalogue: 46
def test_the_environment_is_empty(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER_TOKEN", "secret")
    source = "import os\ndef attack(): return sorted(os.environ)"
    assert set(inside.run(source)) <= {"LC_CTYPE", "PWD"}  # Python sets the one itself, bubblewrap the other
    command = [sys.executable, "-c", f"{source}\nprint(attack())"]
    outside = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "AUTOGRADER_TOKEN" in outside.stdout


# catalogue: 76
def test_the_process_is_no_ones_user_and_has_no_capabilities(inside: Inside) -> None:
    source = """
import ctypes, os
def attack():
    data = (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    known = ctypes.CDLL(None).capget(header, data)
    return os.getresuid(), os.getresgid(), os.getgroups(), known, list(data)
"""
    uids, gids, groups, known, capabilities = inside.run(source)
    if inside.sandbox.uses_own_uid or inside.tier == "namespaces":
        assert 0 not in uids
        assert 0 not in gids
        assert groups in ([], [65534])
    assert (known, capabilities) in ((-1, [0] * 6), (0, [0] * 6))  # asking is refused, too


# catalogue: 67, 89
def test_two_submissions_do_not_share_a_user(inside: Inside) -> None:
    if not inside.sandbox.uses_own_uid:
        pytest.skip("only root can give each process a user of its own")
    source = "import os\ndef attack(): return os.getuid()"
    assert inside.run(source) != inside.run(source)


# catalogue: 75
def test_the_root_folder_shows_nothing_of_the_machine(inside: Inside) -> None:
    source = "import os\ndef attack(): return os.listdir('/')"
    if inside.tier == "restricted":
        with pytest.raises(PermissionError):
            inside.run(source)
        return
    ways = {Path(path).parts[1] for path in (STDLIB, os.path.realpath(sys.executable), "/usr", "/lib", "/lib64")}
    assert set(inside.run(source)) <= ways | {"dev", "tmp"}
    assert set(os.listdir("/")) - ways - {"dev", "tmp"}


# catalogue: 44
def test_that_a_file_exists_is_told_only_where_a_process_has_no_root_folder_of_its_own(
    inside: Inside, open_folder: Path
) -> None:
    # Landlock does not cover stat, and without root no process of tier restricted gets a root folder.
    source = program("return [os.path.exists(FOLDER + '/secret'), os.path.exists('/proc/1')]", open_folder)
    told = inside.tier == "restricted" and not inside.sandbox.uses_own_root
    assert inside.run(source) == [told, told]


# catalogue: 45, 89
def test_a_file_that_was_written_is_gone_in_the_next_process(inside: Inside) -> None:
    source = """
import os
def attack():
    found = os.path.exists('/tmp/left-behind')
    try: open('/tmp/left-behind', 'w').write('x')
    except OSError: pass
    return found
"""
    assert [inside.run(source), inside.run(source)] == [False, False]
    assert not os.path.exists("/tmp/left-behind")


# catalogue: 58
def test_a_folder_for_temporary_files_is_small(inside: Inside) -> None:
    source = """
import os
def attack():
    written = 0
    for number in range(16):
        with open(f'/tmp/{number}', 'wb', buffering=0) as file:
            for _ in range(7): written += file.write(bytes(1 << 20))
    return written
"""
    with pytest.raises(OSError):  # noqa: PT011  (no space left in one tier, no way to write in the other)
        inside.run(source)


# catalogue: 56
def test_threads_are_few(inside: Inside) -> None:
    source = """
import threading
def attack():
    event = threading.Event()
    for _ in range(1_000): threading.Thread(target=event.wait, daemon=True).start()
"""
    with pytest.raises(RuntimeError):
        inside.run(source)


# catalogue: 73
def test_nothing_the_process_may_run_has_a_setuid_bit(inside: Inside) -> None:
    source = """
import os, stat, sys
def attack():
    places = {os.path.dirname(os.path.realpath(sys.executable)), '/usr/bin', '/bin', '/usr/sbin'}
    found = []
    for place in places:
        try: names = os.listdir(place)
        except OSError: continue
        found += [n for n in names if os.stat(os.path.join(place, n)).st_mode & stat.S_ISUID]
    return found
"""
    assert inside.run(source) == []
