"""Give the student's code random numbers and bytes that are the same at every run, and start anew with every test.

Not covered, since CPython leaves no way to: ``random.SystemRandom`` beneath ``os.urandom``.
"""

import _random
import builtins
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
