"""Write files that only this server reads, also where the staff's group reads everything else."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from autograder.files import make_output_folder, open_new_output_file


def write_secret_file(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file at once; unless ``replace``, one that is there stays: the first of several writers makes it.

    Raises:
        OSError: it cannot be written.
    """
    make_output_folder(path.parent)
    temporary_path = path.with_name(f".writing-{secrets.token_hex(8)}")
    with open_new_output_file(temporary_path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
    if replace:
        temporary_path.replace(path)
        return
    with suppress(FileExistsError):
        os.link(temporary_path, path)
    temporary_path.unlink()
