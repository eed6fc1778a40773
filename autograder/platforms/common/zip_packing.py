"""Pack the zips that platforms take: the same bytes for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from autograder.submissions.safe_paths import may_leave_folder

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
