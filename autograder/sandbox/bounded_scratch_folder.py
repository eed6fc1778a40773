"""Make the scratch folder of a submission: empty, private, limited in size, and removed with its process."""

from __future__ import annotations

import contextlib
import os
import shutil

from autograder.temporary_folders import make_scratch_folder

SCRATCH_MB, SCRATCH_FILES = 16, 1000


class BoundedScratchFolder:
    """The scratch folder of one process; its size is checked from outside."""

    def __init__(self, uid: int | None, *, in_private_file_system: bool, parent_folder: str | None = None) -> None:
        """Make the folder.

        Args:
            uid: the user that it belongs to; this process's own user when None.
            in_private_file_system: whether the process has a file system of its own, and makes the folder there (see
                ``take_folder_descriptor``).
            parent_folder: the folder to make it in; where temporary files go when None.

        Raises:
            OSError: there is no room for temporary files.
        """
        self.path_outside_namespace: str | None = None
        """Where it is for both sides; None when it is in the process's own file system."""
        if not in_private_file_system:
            self.path_outside_namespace = make_scratch_folder(parent_folder)
        self._descriptor = -1
        if self.path_outside_namespace is not None and uid is not None:
            os.chown(self.path_outside_namespace, uid, uid)

    def take_folder_descriptor(self, folder_descriptor: int) -> None:
        """Keep a descriptor of the folder, which the process opened before it received anything of the student's.

        Close it instead if the folder has a path outside of the process's namespace.
        """
        if self.path_outside_namespace is None:
            self._descriptor = folder_descriptor
        else:
            os.close(folder_descriptor)

    @property
    def exceeds_limits(self) -> bool:
        """Return whether the folder holds more than a submission may write.

        In a private file system, the kernel limits the bytes; the number of files is checked only here.
        """
        if self.path_outside_namespace is None:
            if self._descriptor < 0:
                return False
            statistics = os.fstatvfs(self._descriptor)
            return statistics.f_files - statistics.f_ffree > SCRATCH_FILES
        files = size = 0
        with contextlib.suppress(OSError), os.scandir(self.path_outside_namespace) as entries:
            for entry in entries:
                files += 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    size += max(status.st_size, status.st_blocks * 512)
                if files > SCRATCH_FILES:
                    break
        return files > SCRATCH_FILES or size > SCRATCH_MB * 2**20

    def remove(self) -> None:
        """Remove the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        if self.path_outside_namespace is not None:
            shutil.rmtree(self.path_outside_namespace, ignore_errors=True)
