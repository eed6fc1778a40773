"""Read ``submission_metadata.json``: the students of a submission, and when it came.

Format: https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.faults import KitFault, make_file_fault


class GradescopeStudent(Struct, frozen=True):
    """One of those who handed in; several in a group."""

    email: str | None = None
    name: str | None = None


class GradescopeSubmissionMetadata(Struct, frozen=True):
    """What is used of the file; everything else in it is left out."""

    id: int | str = ""
    created_at: str | None = None
    users: tuple[GradescopeStudent, ...] = ()

    @property
    def submission_name_from_id(self) -> str:
        """Return what the submission is called, in "Export submissions" too.

        >>> GradescopeSubmissionMetadata(id=123).submission_name_from_id
        'submission_123'
        """
        return f"submission_{self.id}" if self.id != "" else "submission"


def read_gradescope_metadata(path: Path) -> GradescopeSubmissionMetadata:
    """Read ``submission_metadata.json``.

    Raises:
        KitFault: the file is missing, or is not what the platform writes.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=GradescopeSubmissionMetadata)
    except OSError as error:
        raise make_file_fault(error, path, fault_class=KitFault) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise KitFault(f"the metadata is not as Gradescope writes it: {error}", where=str(path)) from error
