"""The kit's own modules as they are sent into a student's process, which can read no file of the kit."""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from pathlib import Path


def marshalled(package: str, folder: Path, parts: Sequence[str]) -> bytes:
    """Some modules of a package as one frame: a marshalled list of (module name, code), run in this order.

    Args:
        package: the package's name.
        folder: where its modules lie.
        parts: their names.
    """
    codes = []
    for part in parts:
        source = folder.joinpath(f"{part}.py").read_text(encoding="utf-8")
        code = compile(source, f"<{part}>", "exec", dont_inherit=True, optimize=2)
        codes.append((f"{package}.{part}", code))
    return marshal.dumps(codes)
