"""Write a file so that nobody ever reads half of it."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from autograder.faults import CallerFault, KitFault, make_file_fault
from autograder.output_file_permissions import make_output_folder, open_new_output_file

DISK_FAILS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def write_file_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old one or the new one, and never half of it.

    See ``output_file_permissions`` for who may read it.

    Raises:
        CallerFault: the folder cannot be written to.
        KitFault: the disk is full or fails.
    """
    temporary = path.parent / f".writing-{secrets.token_hex(8)}"
    try:
        make_output_folder(path.parent)
        with open_new_output_file(temporary) as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        fault = KitFault if error.errno in DISK_FAILS else CallerFault
        raise make_file_fault(error, path, fault_class=fault, action="write") from error
