"""Remember the store's URL in a batch's folder, so that ``--store`` has to be given only once."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import URL

from autograder.atomic_file_writing import write_file_atomically
from autograder.faults import CallerFault
from autograder.store.connection import get_database_path_or_none

REMEMBERED = "store.url"


def read_remembered_store_url(output_folder: Path) -> str:
    """Return the URL of a batch's store; empty if none was ever given.

    Raises:
        CallerFault: the file with the URL cannot be read.
    """
    path = output_folder / REMEMBERED
    if not os.path.isfile(path):  # problems with the folder are reported when it is made
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CallerFault(
            "cannot read the store's URL from this file",
            str(path),
            "name the store with --store, or remove this file",
        ) from error


def write_store_url_without_password(output_folder: Path, url: URL) -> None:
    """Write the URL of a batch's store, without the password, and with the full path of a file.

    Raises:
        CallerFault: the folder cannot be written to.
    """
    file = get_database_path_or_none(url)
    if file is not None:
        url = url.set(database=os.path.abspath(file))
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query)
    text = bare.render_as_string(hide_password=False)
    if text != read_remembered_store_url(output_folder):
        write_file_atomically(output_folder / REMEMBERED, f"{text}\n".encode())
