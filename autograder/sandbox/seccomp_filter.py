"""Make the system-call filter of a student's process, as a classic BPF program: an allow-list with reasons."""

from __future__ import annotations

import errno
import functools
import struct
from collections.abc import Sequence

ALLOWED_CALLS = """
read write open openat close close_range stat lstat lseek pread64 pwrite64 readv
writev preadv pwritev access faccessat faccessat2 fsync fdatasync
ftruncate getdents getdents64 getcwd chdir fchdir rename renameat mkdir
mkdirat rmdir creat unlink unlinkat symlink symlinkat readlink readlinkat umask sendfile copy_file_range
mmap mprotect munmap brk mremap msync mbind get_mempolicy membarrier
poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime pause nanosleep
getitimer setitimer alarm sched_yield restart_syscall
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
getpid gettid getppid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid
time gettimeofday getrlimit getcpu getrandom
sched_get_priority_max sched_get_priority_min
arch_prctl set_tid_address set_robust_list rseq exit exit_group
""".split()  # noqa: SIM905  (a list of a hundred quotes is harder to read)
"""Reading, writing below what is mounted or granted, memory, threads, time: what Python itself needs.

Absent on purpose: starting processes, sockets, tracing, namespaces, mounting, keys, other users' ids, io_uring,
the name of a thread, room reserved beyond a file's end (which no limit counts), messages to an address, and changing
the modes, times and (before kernel 6.2) lengths of files by name, which Landlock does not forbid.
Absent because another submission would see it: locks on files; pipes and pairs of sockets, which get their inode
numbers from one counter of the machine's; whatever tells such a number (``statx`` tells those of mounts, and
``getsockopt`` the cookie of a socket); how much room a disk has; which pages of a file are in memory (``mincore``,
``preadv2``, ``fadvise64``, and ``getrusage`` and ``wait4``, which count what was read from a disk); the machine's
name, load, processes and uptime (``uname``, ``sysinfo``, ``times``).
Calls that depend on an argument stand in ``seccomp_filter``.
"""

ALLOWED_ON_ITSELF = (
    "prlimit64", "getpgid", "getsid", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "get_robust_list",
)  # fmt: skip
"""Calls that ask about the process whose id is their first argument; 0 is the one that asks."""

ALLOWED_ON_OWN_FILES = ("fstat", "newfstatat", "dup", "dup2", "dup3")
"""Calls about a descriptor. That of a stream or the channel has a number of the machine's, which the first two tell;
so a copy under another descriptor must not be had either."""

ALLOWED_ON_CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")
"""Calls whose first argument may be made from a process's id, and then tells how long that one ran."""

# fmt: off
X86_64 = dict(  # noqa: C408
    access=21, alarm=37, arch_prctl=158, brk=12, chdir=80, clock_getres=229, clock_gettime=228,
    clock_nanosleep=230, clone=56, clone3=435, close=3, close_range=436, copy_file_range=326, creat=85,
    dup=32, dup2=33, dup3=292, epoll_create=213, epoll_create1=291, epoll_ctl=233, epoll_pwait=281,
    epoll_pwait2=441, epoll_wait=232, eventfd=284, eventfd2=290, exit=60, exit_group=231, faccessat=269,
    faccessat2=439, fchdir=81, fcntl=72, fdatasync=75, flock=73, fstat=5, fsync=74, ftruncate=77, futex=202,
    get_mempolicy=239, get_robust_list=274, getcpu=309, getcwd=79, getdents=78, getdents64=217, getegid=108,
    geteuid=107, getgid=104, getgroups=115, getitimer=36, getpgid=121, getpgrp=111, getpid=39, getppid=110,
    getrandom=318, getresgid=120, getresuid=118, getrlimit=97, getsid=124, gettid=186, gettimeofday=96,
    getuid=102, ioctl=16, kill=62, lseek=8, lstat=6, madvise=28, mbind=237, membarrier=324, mkdir=83,
    mkdirat=258, mmap=9, mprotect=10, mremap=25, msync=26, munmap=11, nanosleep=35, newfstatat=262, open=2,
    openat=257, pause=34, poll=7, ppoll=271, pread64=17, preadv=295, preadv2=327, prlimit64=302, pselect6=270,
    pwrite64=18, pwritev=296, pwritev2=328, read=0, readlink=89, readlinkat=267, readv=19, rename=82,
    renameat=264, restart_syscall=219, rmdir=84, rseq=334, rt_sigaction=13, rt_sigpending=127,
    rt_sigprocmask=14, rt_sigreturn=15, rt_sigsuspend=130, rt_sigtimedwait=128, sched_get_priority_max=146,
    sched_get_priority_min=147, sched_getaffinity=204, sched_getparam=143, sched_getscheduler=145,
    sched_yield=24, seccomp=317, select=23, sendfile=40, set_robust_list=273, set_tid_address=218,
    setitimer=38, sigaltstack=131, stat=4, statx=332, symlink=88, symlinkat=266, tgkill=234, time=201,
    timerfd_create=283, timerfd_gettime=287, timerfd_settime=286, times=100, umask=95, unlink=87,
    unlinkat=263, write=1, writev=20,
)

AARCH64 = dict(  # noqa: C408
    brk=214, chdir=49, clock_getres=114, clock_gettime=113, clock_nanosleep=115, clone=220, clone3=435,
    close=57, close_range=436, copy_file_range=285, dup=23, dup3=24, epoll_create1=20, epoll_ctl=21,
    epoll_pwait=22, epoll_pwait2=441, eventfd2=19, exit=93, exit_group=94, faccessat=48, faccessat2=439,
    fchdir=50, fcntl=25, fdatasync=83, flock=32, fstat=80, fsync=82, ftruncate=46, futex=98,
    get_mempolicy=236, get_robust_list=100, getcpu=168, getcwd=17, getdents64=61, getegid=177, geteuid=175,
    getgid=176, getgroups=158, getitimer=102, getpgid=155, getpid=172, getppid=173, getrandom=278,
    getresgid=150, getresuid=148, getrlimit=163, getsid=156, gettid=178, gettimeofday=169, getuid=174,
    ioctl=29, kill=129, lseek=62, madvise=233, mbind=235, membarrier=283, mkdirat=34, mmap=222, mprotect=226,
    mremap=216, msync=227, munmap=215, nanosleep=101, newfstatat=79, openat=56, ppoll=73, pread64=67,
    preadv=69, preadv2=286, prlimit64=261, pselect6=72, pwrite64=68, pwritev=70, pwritev2=287, read=63,
    readlinkat=78, readv=65, renameat=38, restart_syscall=128, rseq=293, rt_sigaction=134, rt_sigpending=136,
    rt_sigprocmask=135, rt_sigreturn=139, rt_sigsuspend=133, rt_sigtimedwait=137, sched_get_priority_max=125,
    sched_get_priority_min=126, sched_getaffinity=123, sched_getparam=121, sched_getscheduler=120,
    sched_yield=124, seccomp=277, sendfile=71, set_robust_list=99, set_tid_address=96, setitimer=103,
    sigaltstack=132, statx=291, symlinkat=36, tgkill=131, timerfd_create=85, timerfd_gettime=87,
    timerfd_settime=86, times=153, umask=166, unlinkat=35, write=64, writev=66,
)


LOAD, JUMP_EQUAL, JUMP_AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, KILL_PROCESS, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
REFUSE, NOT_THERE, AGAIN = ERROR | errno.EPERM, ERROR | errno.ENOSYS, ERROR | errno.EAGAIN
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32 = 0x40000000

CLONE_THREAD = 0x00010000
CLONE_NEW_ANYTHING = 0x7E020080
FCNTL_COMMANDS = (*range(5), 1030, 1032)  # no locks, no leases, no F_SETOWN (it sends signals), no F_SETPIPE_SZ
FCNTL_COPIES = (0, 1030)  # F_DUPFD, F_DUPFD_CLOEXEC
FCNTL_LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)  # F_GETLK to F_SETLKW, F_OFD_*, F_SETLEASE to F_NOTIFY
FUTEX_PRIVATE = 0x80
MADVICE = (*range(5), 8, *range(14, 18))  # of allocators; no MADV_PAGEOUT and its like: what is in memory is shared
MOST_CLOCK = 11  # CLOCK_TAI; above it, a number names the process or the device whose time is asked for
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # isatty and its like; no TIOCSTI

ARCHITECTURES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}


def is_supported_machine(machine: str) -> bool:
    """Return whether a filter can be made for this ``os.uname().machine``."""
    return machine in ARCHITECTURES


def get_unwrapped_syscall_numbers(machine: str) -> dict[str, int]:
    """Return the numbers of calls for which libc has no suitable function.

    Empty on a machine that is not ``is_supported_machine``.
    """
    return (
        {name: ARCHITECTURES[machine][1][name] for name in ("seccomp", "futex", "clone", "statx", "times")}
        if is_supported_machine(machine)
        else {}
    )


class SeccompFilterBuilder:
    """The instructions of a filter, as they are added."""

    def __init__(self, machine: str) -> None:
        """Begin with the test of the architecture, and the number of the call loaded."""
        audit_name, self._numbers = ARCHITECTURES[machine]
        self._code: list[bytes] = []
        self._add_instruction(LOAD, ARCHITECTURE)
        self._add_instruction(JUMP_EQUAL, audit_name, 1, 0)
        self._add_instruction(RETURN, KILL_PROCESS)
        self._add_instruction(LOAD, NUMBER)
        if machine == "x86_64":
            self._add_instruction(JUMP_AT_LEAST, X32, 0, 1)
            self._add_instruction(RETURN, KILL_PROCESS)

    def add_call_rule(self, system_call_name: str, action: int) -> None:
        """Decide a call by its name alone; a name that the architecture lacks is left out."""
        if system_call_name in self._numbers:
            self._add_decision(self._numbers[system_call_name], action)

    def add_argument_rule(
        self,
        system_call_name: str,
        argument_index: int,
        values: Sequence[int],
        mask: int | None = None,
        action: int = ALLOW,
        otherwise_action: int = REFUSE,
    ) -> None:
        """Decide a call by the lower half of an argument, which is all that the kernel reads of these.

        Args:
            system_call_name: the call's; a call that the architecture lacks is left out.
            argument_index: which argument.
            values: those that get the action.
            mask: the bits of the argument that are compared; all of them when None.
            action: for the values.
            otherwise_action: for all others.
        """
        if system_call_name not in self._numbers:
            return
        size = 2 + (mask is not None) + 2 * len(values)
        self._add_instruction(JUMP_EQUAL, self._numbers[system_call_name], 0, size)
        self._add_instruction(LOAD, ARGUMENTS + 8 * argument_index)
        if mask is not None:
            self._add_instruction(AND, mask)
        for value in values:
            self._add_decision(value, action)
        self._add_instruction(RETURN, otherwise_action)

    def add_fcntl_refusal(self, fcntl_commands: Sequence[int], descriptors: Sequence[int]) -> None:
        """Refuse ``fcntl`` if its command and its descriptor are both among these; decide nothing otherwise."""
        descriptor_instruction_count = 1 + 2 * len(descriptors)
        self._add_instruction(
            JUMP_EQUAL, self._numbers["fcntl"], 0, 2 + len(fcntl_commands) + descriptor_instruction_count
        )
        self._add_instruction(LOAD, ARGUMENTS + 8)
        for number in reversed(range(len(fcntl_commands))):
            self._add_instruction(
                JUMP_EQUAL, fcntl_commands[number], number, 0 if number else descriptor_instruction_count
            )
        self._add_instruction(LOAD, ARGUMENTS)
        for descriptor in descriptors:
            self._add_decision(descriptor, REFUSE)
        self._add_instruction(LOAD, NUMBER)

    def build(self, default_action: int) -> bytes:
        """Give every other call a verdict; return the instructions, 8 bytes each."""
        self._add_instruction(RETURN, default_action)
        return b"".join(self._code)

    def _add_decision(self, number: int, verdict: int) -> None:
        self._add_instruction(JUMP_EQUAL, number, 0, 1)
        self._add_instruction(RETURN, verdict)

    def _add_instruction(self, operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", operation, if_true, if_false, constant))


@functools.lru_cache(maxsize=64)  # in a namespace of its own, every process has the same id
def make_student_filter(machine: str, pid_seen_inside: int, hidden_descriptors: tuple[int, ...]) -> bytes:
    """Return the filter for one process.

    Args:
        machine: the value of ``os.uname().machine``; must be supported, see ``is_supported_machine``.
        pid_seen_inside: the process's id in its own namespace, the only process that it may signal or query.
        hidden_descriptors: descriptors that it may neither query nor copy.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    # clone3 hides its flags behind a pointer; told that it does not exist, libc falls back to clone.
    builder.add_call_rule("clone3", NOT_THERE)
    # The flags of two tell what is in memory, statx tells numbers of mounts; libc falls back to the older calls.
    for name in ("preadv2", "pwritev2", "statx"):
        builder.add_call_rule(name, NOT_THERE)
    builder.add_argument_rule("clone", 0, (CLONE_THREAD,), CLONE_THREAD | CLONE_NEW_ANYTHING)
    for name in ("kill", "tgkill"):
        builder.add_argument_rule(name, 0, (pid_seen_inside,))
    for name in ALLOWED_ON_ITSELF:
        builder.add_argument_rule(name, 0, (0, pid_seen_inside))
    for name in ALLOWED_ON_CLOCKS:
        builder.add_argument_rule(name, 0, range(MOST_CLOCK + 1))
    # A futex that is not private belongs to a file, which other sandboxes map too. libc waits for the end of a
    # thread on one, and asks again when told to.
    builder.add_argument_rule("futex", 1, (FUTEX_PRIVATE,), FUTEX_PRIVATE, otherwise_action=AGAIN)
    for name in ALLOWED_ON_OWN_FILES:
        builder.add_argument_rule(name, 0, hidden_descriptors, action=REFUSE, otherwise_action=ALLOW)
    builder.add_argument_rule("madvise", 2, MADVICE)
    builder.add_argument_rule("ioctl", 1, IOCTL_REQUESTS)
    builder.add_fcntl_refusal(FCNTL_COPIES, hidden_descriptors)
    builder.add_argument_rule("fcntl", 1, FCNTL_COMMANDS)
    for name in ALLOWED_CALLS:
        builder.add_call_rule(name, ALLOW)
    return builder.build(REFUSE)


def make_filter_denying_only_file_locks(machine: str) -> bytes:
    """Return the filter of a process that may do everything but lock files.

    Args:
        machine: as ``os.uname().machine`` says it, one that is ``is_supported_machine``.

    Returns:
        The instructions, 8 bytes each.
    """
    builder = SeccompFilterBuilder(machine)
    builder.add_call_rule("flock", REFUSE)
    builder.add_argument_rule("fcntl", 1, FCNTL_LOCKS, action=REFUSE, otherwise_action=ALLOW)
    return builder.build(ALLOW)
