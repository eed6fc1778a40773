"""Find the files of a class that was graded from a download, which may be a zip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autograder.faults import CallerFault
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.store.results.graded_class_table import StoredGradedClass


@contextmanager
def open_submission_paths(stored_class: StoredGradedClass) -> Iterator[Mapping[str, Path]]:
    """Yield the path of each submission by its name; a zip is unpacked until the block ends.

    The mapping is empty if the download is gone or cannot be read any more.
    """
    with ExitStack() as stack:
        paths: dict[str, Path] = {}
        if stored_class.submissions_path.exists():
            try:
                submissions = stack.enter_context(
                    open_class_submissions(stored_class.submissions_path, stored_class.platform_name or PLAIN)
                )
            except CallerFault:
                submissions = None
            if submissions:
                paths = {entry.name: entry.path for entry in submissions.entries}
        yield paths
