"""Write the files that an export made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from autograder.atomic_file_writing import is_written_through, write_file_atomically
from autograder.faults import CallerFault, translate_file_errors
from autograder.output_file_permissions import make_output_folder, warn_about_exposed_files
from autograder.submissions.safe_paths import may_leave_folder


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
                "the export would replace the table that it was made from",
                str(path),
                "name another place with --out",
            )
    warn_about_exposed_files(
        {output_path / PurePath(name).parts[0] for name in content_by_name if not single and "/" in name}
    )
    for path, content in places.items():
        with translate_file_errors(path, action="write", advice="name another with --out"):
            make_output_folder(path.parent)
        write_file_atomically(path, content)
        yield path
