"""Give the student's code random numbers and bytes that are the same at every run, and start anew with every test.

They are set up once a module is imported; so are the event loops of ``asyncio``, which need sockets elsewhere.

Not covered, since CPython leaves no way to: ``random.SystemRandom`` beneath ``os.urandom``.
"""

import _random
import builtins
import os
import sys
from time import process_time
from typing import Any

_original_import = builtins.__import__
importing = [0.0]  # CPU seconds that the submission's imports took
_byte_generator: Any = _random.Random(0)
_bytes_were_drawn = False


def get_repeatable_bytes(size: int, /) -> bytes:
    """Return bytes that look random, and are the same at every run."""
    global _bytes_were_drawn
    _bytes_were_drawn = True
    return bytes(_byte_generator.getrandbits(8) for _ in range(size))


def import_and_fix_random(name: Any, *arguments: Any, **keywords: Any) -> Any:
    """Import as the submission asks; note the CPU time, and fix the module ``random`` once it is there."""
    start = process_time()
    try:
        return _original_import(name, *arguments, **keywords)
    finally:
        importing[0] += process_time() - start
        _fix_random()
        _fix_event_loops()


def _fix_random() -> None:
    """Give generators that seed themselves the same seed at every run."""
    module = sys.modules.get("random")
    if module is None or not hasattr(module, "Random") or hasattr(module.Random.seed, "original"):
        return
    seeds = module.Random.seed

    def seed(self: Any, a: Any = None, version: int = 2) -> None:
        seeds(self, 0 if a is None else a, version)

    seed.original = seeds  # type: ignore[attr-defined]
    module.Random.seed = seed
    module.seed = module._inst.seed  # type: ignore[attr-defined]
    module._urandom = get_repeatable_bytes  # type: ignore[attr-defined]
    module.seed()


def _fix_event_loops() -> None:
    """Have event loops be woken by a counter of the system's, since there are no sockets here."""
    loops: Any = getattr(sys.modules.get("asyncio.selector_events"), "BaseSelectorEventLoop", None)
    if loops is not None and loops._make_self_pipe is not _make_waker and hasattr(os, "eventfd"):
        loops._make_self_pipe, loops._close_self_pipe = _make_waker, _close_waker


def _make_waker(loop: Any) -> None:
    loop._ssock = loop._csock = _Waker()
    loop._internal_fds += 1
    loop._add_reader(loop._ssock.fileno(), loop._read_from_self)


def _close_waker(loop: Any) -> None:
    loop._remove_reader(loop._ssock.fileno())
    os.close(loop._ssock.fileno())
    loop._ssock = loop._csock = None
    loop._internal_fds -= 1


class _Waker:
    """What an event loop waits for, with the methods of the two sockets that it has elsewhere."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def fileno(self) -> int:
        """Return the number of its file."""
        return self._descriptor

    def recv(self, size: int) -> bytes:
        """Take note of having been woken."""
        return os.read(self._descriptor, 8)

    def send(self, data: bytes) -> int:
        """Wake the loop."""
        os.eventfd_write(self._descriptor, 1)
        return len(data)


def seed_random_generators() -> None:
    """Have random numbers and bytes start anew."""
    global _bytes_were_drawn
    if _bytes_were_drawn:
        _byte_generator.seed(0)
        _bytes_were_drawn = False
    if "random" in sys.modules:
        _fix_random()
        sys.modules["random"].seed()
    if hasattr(sys.modules.get("numpy"), "__file__"):  # the package, and not what stands in for it
        sys.modules["numpy"].random.seed(0)
