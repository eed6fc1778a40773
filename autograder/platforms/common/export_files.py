"""Make the files of an export, JSON and zips with equal bytes for equal content, and write them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from autograder.faults import CallerFault, translate_file_errors
from autograder.files import is_written_through, make_output_folder, warn_about_exposed_files, write_file_atomically
from autograder.submissions.safe_paths import may_leave_folder


def encode_json_line(value: Any) -> bytes:
    r"""Return data as JSON in ASCII on one line, with a line end.

    >>> encode_json_line({"name": "Zoë", "score": 0.5})
    b'{"name":"Zo\\u00eb","score":0.5}\n'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def encode_json_file(value: Any) -> bytes:
    """Return data as a JSON file."""
    return json.dumps(value, allow_nan=False, indent=1).encode() + b"\n"


FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip knows: a file's time says nothing here."""


def is_safe_zip_path(path: str) -> bool:
    r"""Return whether a zip can hold a path: it is text, and it never leads outside the folder of unpacking.

    >>> is_safe_zip_path("ada/value.py"), is_safe_zip_path("../value.py"), is_safe_zip_path(r"C:\value.py")
    (True, False, False)
    """
    return path == path.encode("utf-8", "replace").decode() and not may_leave_folder(path)


def make_zip(content_by_path: Mapping[str, bytes], executable_paths: frozenset[str] = frozenset()) -> bytes:
    """Return a zip as bytes, with the files in the order of ``content_by_path``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in content_by_path.items():
            info = zipfile.ZipInfo(name, FIXED_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, so that the mode below is read
            info.external_attr = (0o100755 if name in executable_paths else 0o100644) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def iterate_written_export_files(
    content_by_name: Mapping[str, bytes], output_path: Path, path_never_overwritten: Path | None = None
) -> Iterator[Path]:
    """Write files, each whole: a single one to ``output_path`` itself if that looks like a file, others below it.

    Args:
        content_by_name: content by name.
        output_path: the file or folder to write to.
        path_never_overwritten: the platform's table that they were made from; it is never written over.

    Yields:
        The place of each file written.

    Raises:
        CallerFault: a file cannot be written; or one would take the place of ``path_never_overwritten``, and nothing
            is written.
    """
    is_file_name = bool(output_path.suffix) or is_written_through(output_path)
    single = len(content_by_name) == 1 and not output_path.is_dir() and is_file_name
    assert not any(map(may_leave_folder, content_by_name))
    places = {output_path if single else output_path / name: content for name, content in content_by_name.items()}
    for path in places:
        if path_never_overwritten is not None and path.exists() and path.samefile(path_never_overwritten):
            raise CallerFault(
                "the export would replace the table that it was made from", str(path), "name another place with --out"
            )
    warn_about_exposed_files(
        {output_path / PurePath(name).parts[0] for name in content_by_name if not single and "/" in name}
    )
    for path, content in places.items():
        with translate_file_errors(path, action="write", advice="name another with --out"):
            make_output_folder(path.parent)
        write_file_atomically(path, content)
        yield path
