"""What a student's process must not be able to do: bodies of programs, by what they reach for."""

from __future__ import annotations

import os

SYSCALLS = {
    "x86_64": dict(  # noqa: C408
        ptrace=101, process_vm_readv=310, tgkill=234, pidfd_open=434, unshare=272, mount=165, umount2=166,
        setuid=105, setgid=106, memfd_create=319, io_uring_setup=425, keyctl=250, add_key=248, bpf=321,
        userfaultfd=323, perf_event_open=298, prlimit64=302, prctl=157, shmget=29, shmctl=31, inotify_init1=294,
        fanotify_init=300, personality=135, mq_open=240, clone3=435, rt_sigqueueinfo=129, setns=308,
        futex=202, mincore=27, uname=63, sysinfo=99, times=100, statx=332, newfstatat=262,
    ),
    "aarch64": dict(  # noqa: C408
        ptrace=117, process_vm_readv=270, tgkill=131, pidfd_open=434, unshare=97, mount=40, umount2=39,
        setuid=146, setgid=144, memfd_create=279, io_uring_setup=425, keyctl=219, add_key=217, bpf=280,
        userfaultfd=282, perf_event_open=241, prlimit64=261, prctl=167, shmget=194, shmctl=195, inotify_init1=26,
        fanotify_init=262, personality=92, mq_open=180, clone3=435, rt_sigqueueinfo=138, setns=268,
        futex=98, mincore=232, uname=160, sysinfo=179, times=153, statx=291, newfstatat=79,
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

FLOCK = "struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 1 << 40, 1, 0)"
ON_A_SHARED_FILE = "import fcntl, struct\nfile = open(os.__file__)\n"
APART = {  # catalogue: 91
    "a lock on a file": ON_A_SHARED_FILE + "fcntl.flock(file, fcntl.LOCK_SH)",
    "a lock on bytes of a file": ON_A_SHARED_FILE + f"fcntl.fcntl(file, fcntl.F_SETLK, {FLOCK})",
    "a lock on bytes that waits": ON_A_SHARED_FILE + f"fcntl.fcntl(file, fcntl.F_SETLKW, {FLOCK})",
    "looking for a lock": ON_A_SHARED_FILE + f"fcntl.fcntl(file, fcntl.F_GETLK, {FLOCK})",
    "a lock of an open file": ON_A_SHARED_FILE + f"fcntl.fcntl(file, 37, {FLOCK})",
    "looking for a lock of an open file": ON_A_SHARED_FILE + f"fcntl.fcntl(file, 36, {FLOCK})",
    "looking for a lease": ON_A_SHARED_FILE + "fcntl.fcntl(file, fcntl.F_GETLEASE)",
    "a watch on a folder": "import fcntl\nfcntl.fcntl(os.open(HERE, os.O_RDONLY), fcntl.F_NOTIFY, 1)",
    "a pipe": "os.pipe()",
    "a large pipe": "import fcntl\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    "a pair of sockets": "import socket\nsocket.socketpair()",
    "a wait on a file that others map":
        "call('futex', ctypes.cast(libc.malloc, ctypes.c_void_p), 1, 1, None, None, 0)",
    "which pages are in memory":
        "call('mincore', id(os) & ~4095, 4096, ctypes.create_string_buffer(1))",
    "pages out of memory":
        "import mmap\nfile = open(os.__file__, 'rb')\n"
        "mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ).madvise(21)",
    "the room on a disk": "os.statvfs(HERE)",
    "what was read from a disk": "import resource\nresource.getrusage(resource.RUSAGE_SELF)",
    "what a child read from a disk":
        "try: os.wait4(-1, os.WNOHANG)\nexcept ChildProcessError: pass",
    "the number of a stream": "os.fstat(1)",
    "the number of a stream by an empty path":
        "call('newfstatat', 1, b'', ctypes.create_string_buffer(1024), 0x1000)",
    "a copy of a stream": "os.dup(1)",
    "a copy of a stream in a certain place": "os.dup2(1, 60)",
    "a copy of a stream by the call for locks": "import fcntl\nfcntl.fcntl(1, fcntl.F_DUPFD, 0)",
    "the number of a mount": "call('statx', -100, b'/', 0, 0x1000, ctypes.create_string_buffer(256))",
    "how long the machine has been running": "call('times', ctypes.create_string_buffer(1024))",
    "the machine's load": "call('sysinfo', ctypes.create_string_buffer(1024))",
    "the machine's name": "call('uname', ctypes.create_string_buffer(1024))",
    "the group of another process": "os.getpgid(os.getppid() or PARENT)",
    "how long another process ran":
        "import time\ntime.clock_gettime(~(os.getppid() or PARENT) << 3 | 2)",
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
        "apart": APART,
    }.items()
    for name, body in attacks.items()
}
