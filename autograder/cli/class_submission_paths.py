"""Find the files of a class that was graded from a download, which may be a zip."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from autograder.cli.output.console import print_line
from autograder.english_wording import format_abbreviated_list
from autograder.faults import CallerFault, translate_file_errors
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.safe_text import escape_name_unambiguously
from autograder.store.results.graded_class_table import StoredGradedClass


@contextmanager
def open_submission_paths(stored_class: StoredGradedClass) -> Iterator[Mapping[str, Path]]:
    """Yield the path of each submission by its name; a zip is unpacked until the block ends.

    The mapping is empty if the download is gone or is no download any more.

    Raises:
        CallerFault: the download's folder cannot be opened.
    """
    with translate_file_errors(stored_class.submissions_path):
        is_there = stored_class.submissions_path.exists()
    with ExitStack() as stack:
        paths: dict[str, Path] = {}
        if is_there:
            try:
                submissions = stack.enter_context(
                    open_class_submissions(stored_class.submissions_path, stored_class.platform_name or PLAIN)
                )
            except CallerFault:
                submissions = None
            if submissions:
                paths = {entry.name: entry.path for entry in submissions.entries}
        yield paths


def warn_about_missing_files(
    submission_names: Collection[str], written_file_kind: str, *, to_stderr: bool = False
) -> None:
    """Print which submissions' files are gone, so that the written file lacks them.

    Args:
        submission_names: those without files.
        written_file_kind: what was written, such as ``archive``.
        to_stderr: whether standard output holds the file itself.
    """
    if submission_names:
        names = format_abbreviated_list([escape_name_unambiguously(name) for name in submission_names])
        line = f"the files of {names} are gone and not in the {written_file_kind}: keep the download that was graded"
        print_line(line, to_stderr=to_stderr)
