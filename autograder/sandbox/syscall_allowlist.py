"""List the system calls that a student's process may make, and their numbers on each architecture.

Numbers: Linux ``asm/unistd_64.h`` (x86_64) and ``asm-generic/unistd.h`` (aarch64).
"""

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
