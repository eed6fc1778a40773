"""Keep the secret that signs a course's cookies."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from autograder.output_file_permissions import make_output_folder, open_new_output_file

SECRET = "web-secret"


def read_or_make_cookie_secret(output_folder: Path) -> str:
    """Return the secret that signs cookies; make it the first time. Only the web process reads it.

    Raises:
        OSError: the folder cannot be written to.
    """
    path = output_folder / SECRET
    make_output_folder(output_folder)
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        temporary_path = path.with_name(f".writing-{secrets.token_hex(8)}")
        with open_new_output_file(temporary_path) as file:
            file.write(secrets.token_hex(32).encode())
        try:
            os.link(temporary_path, path)  # the first of several that start at once makes it
        except FileExistsError:
            pass
        finally:
            temporary_path.unlink()
        return path.read_text(encoding="ascii")
