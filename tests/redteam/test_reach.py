"""What a student's process cannot do. Each attack also runs outside, and works there: so a denial means something."""

from __future__ import annotations

import builtins
import gc
import os
import pty
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.bridge import Bridge, Program, Student, StudentError, StudentStopped
from autograder.bridge.supply import Supply
from autograder.course import Limits
from autograder.sandbox import Sandbox, probe

ROOT = Path(__file__).resolve().parents[2]
STDLIB = Path(os.__file__).resolve().parent

SYSCALLS = {
    "x86_64": dict(  # noqa: C408
        ptrace=101, process_vm_readv=310, tgkill=234, pidfd_open=434, unshare=272, mount=165, umount2=166,
        setuid=105, setgid=106, memfd_create=319, io_uring_setup=425, keyctl=250, add_key=248, bpf=321,
        userfaultfd=323, perf_event_open=298, prlimit64=302, prctl=157, shmget=29, shmctl=31, inotify_init1=294,
        fanotify_init=300, personality=135, mq_open=240, clone3=435, rt_sigqueueinfo=129, setns=308,
    ),
    "aarch64": dict(  # noqa: C408
        ptrace=117, process_vm_readv=270, tgkill=131, pidfd_open=434, unshare=97, mount=40, umount2=39,
        setuid=146, setgid=144, memfd_create=279, io_uring_setup=425, keyctl=219, add_key=217, bpf=280,
        userfaultfd=282, perf_event_open=241, prlimit64=261, prctl=167, shmget=194, shmctl=195, inotify_init1=26,
        fanotify_init=262, personality=92, mq_open=180, clone3=435, rt_sigqueueinfo=138, setns=268,
    ),
}.get(os.uname().machine, {})  # fmt: skip

PRELUDE = """
import ctypes, os, sys
PARENT, FOLDER, PORT, NUMBER = {parent}, {folder!r}, {port}, {numbers!r}
PYTHON, ADDRESS = {python!r}, {address}
HERE = next(path for path in sys.path if os.path.isdir(path + '/json'))
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in (NUMBER[name], *arguments)]
    result = libc.syscall(*words)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

def longs(*values): return (ctypes.c_long * len(values))(*values)

"""

READING = {  # catalogue: 34 to 37, 75
    "a file of the machine": "open('/etc/passwd').read()",
    "a file of the grader": "open(FOLDER + '/secret').read()",
    "a file of the grader through an open folder":
        "folder = os.open(HERE, os.O_RDONLY)\n"
        "os.read(os.open('../' * 20 + FOLDER.strip('/') + '/secret', os.O_RDONLY, dir_fd=folder), 10)",
    "a folder above the standard library": "os.listdir(HERE + '/' + '../' * 20 + 'etc')",
    "a file of the grader through a link":
        "import tempfile\n"
        "link = os.path.join(tempfile.mkdtemp(dir='/tmp'), 'link')\n"
        "os.symlink(FOLDER + '/secret', link)\nopen(link).read()",
    "a file of the grader through a link that is there": "open(FOLDER + '/link').read()",
    "a file of the grader through the root of a process": "open(f'/proc/self/root{FOLDER}/secret').read()",
    "a folder of the grader": "os.listdir(FOLDER)",
    "the process table": "os.listdir('/proc')",
    "the parent's environment": "open(f'/proc/{PARENT}/environ').read()",
    "the parent's command line": "open(f'/proc/{PARENT}/cmdline').read()",
    "the parent's memory": "open(f'/proc/{PARENT}/mem', 'rb').seek(ADDRESS)",
    "the parent's memory map": "open(f'/proc/{PARENT}/maps').read()",
    "the parent's descriptors": "os.listdir(f'/proc/{PARENT}/fd')",
    "the parent's folder": "os.listdir(f'/proc/{PARENT}/cwd')",
    "the parent it sees": "open(f'/proc/{os.getppid()}/environ').read()",
    "the first process": "open('/proc/1/cmdline').read()",
    "its own memory": "open('/proc/self/mem', 'rb').seek(id(os))",
    "the cgroups": "os.listdir('/sys/fs/cgroup')",
    "the kernel's messages": "open('/proc/kmsg')",
    "the network's addresses": "open('/proc/net/tcp').read()",
}  # fmt: skip

WRITING = {  # catalogue: 19, 58, 75
    "a new file": "open(FOLDER + '/new', 'w').write('x')",
    "over a file": "open(FOLDER + '/secret', 'w').write('x')",
    "at the end of a file": "open(FOLDER + '/secret', 'a').write('x')",
    "a shorter file": "os.truncate(FOLDER + '/secret', 1)",
    "the end of a file": "os.unlink(FOLDER + '/secret')",
    "another name": "os.rename(FOLDER + '/secret', FOLDER + '/other')",
    "a second name": "os.link(FOLDER + '/secret', FOLDER + '/other')",
    "a link": "os.symlink('/etc/passwd', FOLDER + '/other')",
    "a folder": "os.mkdir(FOLDER + '/other')",
    "a pipe": "os.mkfifo(FOLDER + '/other')",
    "a device": "os.mknod(FOLDER + '/other', 0o20666, os.makedev(1, 5))",
    "another mode": "os.chmod(FOLDER + '/secret', 0o777)",
    "another owner": "os.chown(FOLDER + '/secret', os.getuid(), os.getgid())",
    "another time": "os.utime(FOLDER + '/secret', (1, 1))",
    "an attribute": "os.setxattr(FOLDER + '/secret', 'user.x', b'x')",
    "a module of the standard library": "open(HERE + '/json/__init__.py', 'r+b').close()",
}

PROCESSES = {  # catalogue: 20, 37, 55, 66, 67
    "fork": "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)",
    "exec": "os.execv(PYTHON, [PYTHON, '-I', '-c', 'print(\"SUCCEEDED\")'])",
    "posix_spawn": "os.waitpid(os.posix_spawn(PYTHON, [PYTHON, '-I', '-c', ''], {}), 0)",
    "a shell": "assert os.system('true') == 0 or os.fork()",
    "subprocess": "import subprocess\nsubprocess.run([PYTHON, '-I', '-c', ''], check=True)",
    "multiprocessing": "import multiprocessing\np = multiprocessing.get_context('fork').Process(target=int)\n"
        "p.start(); p.join()",
    "signalling the parent": "os.kill(PARENT, 0)",
    "signalling the parent it sees": "os.kill(os.getppid(), 0)",
    "signalling everything": "os.kill(-1, 0)",
    "signalling the parent's group": "os.killpg(os.getpgid(os.getppid()) or 1, 0)",
    "signalling the parent's thread": "call('tgkill', PARENT, PARENT, 0)",
    "having signals sent on its behalf": "import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, 8, os.getpid())",
    "tracing the parent": "call('ptrace', 0x4206, PARENT, 0, 0)",
    "being traced": "call('ptrace', 0, 0, 0, 0)",
    "reading the parent's memory":
        "ours = ctypes.create_string_buffer(16)\n"
        "here, there = longs(ctypes.addressof(ours), 16), longs(ADDRESS, 16)\n"
        "assert call('process_vm_readv', PARENT, here, 1, there, 1, 0) == 16",
    "a handle of the parent": "call('pidfd_open', PARENT, 0)",
    "the parent's limits": "call('prlimit64', PARENT, 7, None, longs(0, 0))",
}  # fmt: skip

RIGHTS = {  # catalogue: 71, 75, 76
    "root": "call('setuid', 0)",
    "root's group": "call('setgid', 0)",
    "no other groups": "os.setgroups([])",
    "another user": "os.setresuid(12345, 12345, 12345)",
    "a larger limit on files": "call('prlimit64', 0, 7, longs(1 << 10, 1 << 10), None)",
    "a larger limit on memory": "call('prlimit64', 0, 9, longs(1 << 40, 1 << 40), None)",
    "a larger limit on CPU time": "call('prlimit64', os.getpid(), 0, longs(1 << 20, 1 << 20), None)",
    "being looked into": "call('prctl', 4, 1, 0, 0, 0)",
    "surviving the parent": "call('prctl', 1, 0, 0, 0, 0)",
    "a user namespace": "call('unshare', 0x10000000)",
    "a mount namespace": "call('unshare', 0x20000)",
    "a user namespace through clone3":
        "pid = call('clone3', longs(0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)\nif pid == 0: os._exit(0)\n"
        "os.waitpid(pid, 0)",
    "a mount": "call('mount', b'none', FOLDER.encode(), b'tmpfs', 0, None)\ncall('umount2', FOLDER.encode(), 2)",
    "another root": "os.chroot(FOLDER)",
    "another personality": "call('personality', 0xffffffff)",
}  # fmt: skip

NETWORK = {  # catalogue: 43, 46
    "a connection to the grader": "import socket\nsocket.socket().connect(('127.0.0.1', PORT))",
    "a server": "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0)); s.listen()",
    "a datagram": "import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "a name without a file": "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0' + FOLDER)",
    "a socket file": "import socket\nsocket.socket(socket.AF_UNIX).bind(FOLDER + '/socket')",
    "routing": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "raw packets": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "the kernel's ciphers": "import socket\nsocket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
}

KERNEL = {  # catalogue: 54, 71
    "memory beyond the limit": "call('memfd_create', b'x', 0)",
    "shared memory": "segment = call('shmget', 0, 4096, 0o1600)\ncall('shmctl', segment, 0, None)",
    "message queues":
        "name = f'x{os.getpid()}'.encode()\n"
        "call('mq_open', name, 0o100, 0o600, None)\nlibc.mq_unlink(b'/' + name)",
    "io_uring": "call('io_uring_setup', 1, ctypes.create_string_buffer(120))",
    "keys": "call('keyctl', 0, -2, 1)",
    "a key": "call('add_key', b'user', b'x', b'y', 1, -2)",
    "bpf": "call('bpf', 0, ctypes.create_string_buffer(bytes([2,0,0,0, 4,0,0,0, 4,0,0,0, 1,0,0,0]), 72), 72)",
    "userfaultfd": "call('userfaultfd', 0o2000000)",
    "performance counters":
        "call('perf_event_open', ctypes.create_string_buffer(bytes([1,0,0,0, 112,0,0,0]), 112), 0, -1, -1, 0)",
    "watching files": "call('inotify_init1', 0)",
    "watching all files": "call('fanotify_init', 0, 0)",
}  # fmt: skip

ATTACKS = {
    f"{kind}: {name}": body
    for kind, attacks in {
        "reading": READING,
        "writing": WRITING,
        "processes": PROCESSES,
        "rights": RIGHTS,
        "network": NETWORK,
        "kernel": KERNEL,
    }.items()
    for name, body in attacks.items()
}


class Inside:
    """Runs programs as students' code in one tier."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.tier = sandbox.tier
        self.sandbox = sandbox
        self._supply = Supply(sandbox, Limits())

    def run(self, source: str, *arguments: Any) -> Any:
        """What ``attack()`` of this source gives."""
        bridge = Bridge(Program((("value.py", source),), ()), self._supply, Limits())
        try:
            assert bridge.load().notes == ()
            bridge.begin_test()
            return Student(bridge).get("attack")(*arguments)
        finally:
            bridge.discard()

    def close(self) -> None:
        self._supply.close()


@pytest.fixture(scope="module", params=["namespaces", "restricted"])
def inside(request: pytest.FixtureRequest) -> Iterator[Inside]:
    offer = next(offer for offer in probe() if offer.tier == request.param)
    if offer.sandbox is None:
        pytest.skip(f"tier {offer.tier}: {offer.reason}")
    opened = Inside(offer.sandbox)
    yield opened
    opened.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of the grader's that everybody may read and write, so that no file mode is what denies."""
    path = Path(tempfile.mkdtemp(dir="/tmp"))
    path.chmod(0o777)
    (path / "secret").write_text("the answer")
    (path / "secret").chmod(0o666)
    (path / "link").symlink_to(path / "secret")
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Something of the grader's that listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


SECRET = b"a secret of the grader"


def program(body: str, folder: Path, port: int = 0) -> str:
    """A program whose ``attack()`` does this."""
    prelude = PRELUDE.format(
        parent=os.getpid(),
        folder=str(folder),
        port=port,
        numbers=SYSCALLS,
        python=os.path.realpath(sys.executable),
        address=id(SECRET),
    )
    return prelude + "def attack():\n" + "".join(f"    {line}\n" for line in body.splitlines())


def works_outside(source: str, **settings: Any) -> None:
    """Run ``attack()`` as an ordinary program; where even that is denied, nothing can be learnt from a denial."""
    command = [sys.executable, "-I", "-c", f"{source}\nattack()\nprint('SUCCEEDED')"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=20, **settings)
    if "SUCCEEDED" not in done.stdout:
        pytest.skip(f"it does not work outside either: {done.stderr.strip().splitlines()[-1:]}")


def state_of(folder: Path) -> dict[str, Any]:
    return {
        path.name: (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_nlink, path.read_bytes())
        for path in folder.iterdir()
    }


@pytest.mark.parametrize("body", ATTACKS.values(), ids=ATTACKS.keys())
def test_what_works_outside_is_denied_inside(inside: Inside, folder: Path, port: int, body: str) -> None:
    before = state_of(folder)
    with pytest.raises(StudentError) as denied:
        inside.run(program(body, folder, port))
    error = getattr(builtins, denied.value.raised.builtin)
    assert issubclass(error, OSError), denied.value
    assert state_of(folder) == before
    works_outside(program(body, folder, port))


# --- The same, where a denial looks different.


# catalogue: 74
def test_typing_into_the_graders_terminal_is_denied(inside: Inside, folder: Path) -> None:
    source = program("import fcntl\nfcntl.ioctl(0, 0x5412, b'x')", folder)
    with pytest.raises(PermissionError):
        inside.run(source)
    ours, theirs = pty.openpty()
    try:
        works_outside(source, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)


# catalogue: 72
def test_a_system_call_by_the_number_of_another_architecture_ends_the_process(inside: Inside, folder: Path) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("only x86_64 has two sets of numbers")
    source = program("libc.syscall(ctypes.c_long(0x40000000 + 39))", folder)
    with pytest.raises(StudentStopped, match="SIGSYS"):
        inside.run(source)
    works_outside(source)


LISTING = """
import os, stat
def attack():
    found = {}
    for fd in range(1024):
        try: mode = os.fstat(fd).st_mode
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
    assert [found.pop(number) for number in (0, 1, 2)] == ["character", "pipe", "pipe"]
    # Where the standard library lies below a private home, tier restricted reaches it through an open folder.
    through = ["folder"] if inside.sandbox.stdlib else []
    assert sorted(found.values()) == sorted(["socket", *through])
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
    if inside.sandbox.own_uid or inside.tier == "namespaces":
        assert 0 not in uids
        assert 0 not in gids
        assert groups in ([], [65534])
    assert (known, capabilities) in ((-1, [0] * 6), (0, [0] * 6))  # asking is refused, too


# catalogue: 67, 89
def test_two_submissions_do_not_share_a_user(inside: Inside) -> None:
    if not inside.sandbox.own_uid:
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
def test_that_a_file_exists_is_told_in_tier_restricted_alone(inside: Inside, folder: Path) -> None:
    # Landlock does not cover stat: a process of tier restricted can ask whether a path it guesses exists.
    source = program("return os.path.exists(FOLDER + '/secret')", folder)
    assert inside.run(source) is (inside.tier == "restricted")


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


IMPORTING = """
import importlib, os, sys
def attack(name=NAME):
    sys.path[:0] = FOLDERS
    module = importlib.import_module(name)
    return module.__name__
"""


def hidden_folder() -> Path:
    return next(path.parent for path in sorted(ROOT.glob("assignments/*/hidden/test_*.py")))


# catalogue: 10, 28
@pytest.mark.parametrize(
    ("name", "source_of"),
    [
        ("autograder", lambda: ROOT),
        ("pytest", lambda: Path(pytest.__file__).parents[1]),
        ("msgspec", lambda: Path(msgspec.__file__).parents[1]),
        ("value", lambda: ROOT / "solutions" / "autograd-engine"),
        ("grading_yml", lambda: ROOT),
        (next(iter(sorted(hidden_folder().glob("test_*.py")))).stem, hidden_folder),
    ],
    ids=["the kit", "pytest", "msgspec", "the solution", "a name that does not exist", "a hidden suite"],
)
def test_neither_kit_nor_suite_nor_solution_can_be_imported(
    inside: Inside, name: str, source_of: Callable[[], Path]
) -> None:
    folders = [str(source_of()), str(Path(pytest.__file__).parents[1]), str(ROOT)]
    source = IMPORTING.replace("NAME", repr(name)).replace("FOLDERS", repr(folders))
    with pytest.raises(ImportError):
        inside.run(source)
    if name != "grading_yml":
        works_outside(source, env={"PYTHONDONTWRITEBYTECODE": "1"})


def test_packages_beside_the_standard_library_cannot_be_imported(inside: Inside) -> None:
    packages = STDLIB / "site-packages"
    name = next((path.name for path in sorted(packages.glob("[a-z]*")) if (path / "__init__.py").is_file()), "")
    if not name:
        pytest.skip("there are none")
    source = f"""
import importlib.util, os, sys
def attack():
    here = os.path.dirname(os.path.dirname(importlib.__file__))
    sys.path[:0] = [here + '/site-packages', {str(packages)!r}]
    return len(open(importlib.util.find_spec({name!r}).origin).read())
"""
    works_outside(source)
    with pytest.raises((StudentError, OSError)):
        inside.run(source)


SEARCH = """
import gc, re, sys
PATTERN = re.compile('canary-[0-9a-f]{32}|test_1_for[w]ard|assignments[/]')
def attack(*given):
    seen, waiting, found = set(), [*gc.get_objects(), *sys.modules.values(), sys._getframe()], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen: continue
        seen.add(id(thing))
        if isinstance(thing, bytes): thing = thing.decode('latin-1')
        if isinstance(thing, str): found.update(PATTERN.findall(thing))
        else: waiting += gc.get_referents(thing)
    return sorted(found)
"""


# catalogue: 38
def test_nothing_of_the_graders_memory_is_in_the_process(inside: Inside) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    inside.run(f"kept = {canary!r}\ndef attack(): return kept")
    assert canary in gc.get_referents(locals())
    assert inside.run(SEARCH) == []


def test_the_search_finds_what_is_there(inside: Inside) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    assert inside.run(f"kept = [{canary!r}]\n{SEARCH}") == [canary]


# catalogue: 9
def test_the_frames_above_a_students_function_belong_to_its_own_process(inside: Inside) -> None:
    source = """
import sys
def attack(answer):
    names, frame = [], sys._getframe(1)
    while frame is not None:
        names.append(frame.f_code.co_filename)
        frame = frame.f_back
    return names
"""
    assert set(inside.run(source, 42.0)) <= {"<requests>", "<serve>", "<string>"}


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


def test_a_message_to_a_socket_with_a_name_is_denied(inside: Inside, folder: Path) -> None:
    body = "import socket\nours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
    with tempfile.TemporaryDirectory(dir="/tmp") as outside:
        os.chmod(outside, 0o777)
        path = f"{outside}/listening"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
            listening.bind(path)
            os.chmod(path, 0o777)
            listening.settimeout(0.1)
            source = program(f"{body}ours.sendto(b'out', {path!r})", folder)
            with pytest.raises(PermissionError):
                inside.run(source)
            with pytest.raises(TimeoutError):
                listening.recv(10)
            works_outside(source)
            assert listening.recv(10) == b"out"


@pytest.mark.parametrize("call", ["ours.sendmsg([b'x'])", "ours.sendto(b'x', '/tmp/anywhere')"])
def test_a_message_to_an_address_is_denied_on_any_socket(inside: Inside, folder: Path, call: str) -> None:
    source = program(f"import socket\nours, theirs = socket.socketpair()\nours.send(b'x')\n{call}", folder)
    with pytest.raises(PermissionError):
        inside.run(source)


def test_room_beyond_the_end_of_a_file_is_denied(inside: Inside, folder: Path) -> None:
    body = (
        "import tempfile\nwith tempfile.NamedTemporaryFile() as file:\n"
        "    if libc.fallocate(file.fileno(), 1, ctypes.c_long(0), ctypes.c_long(1 << 24)) < 0:\n"
        "        raise PermissionError(ctypes.get_errno(), 'denied')\n"
    )
    with pytest.raises(PermissionError):
        inside.run(program(body, folder))
    works_outside(program(body, folder))
