"""Check uploads before they are saved, and read them in processes with limits."""

from __future__ import annotations

import atexit
import math
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from werkzeug.datastructures import FileStorage

from autograder.course import Assignment
from autograder.files import temporary_folder
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_files import split_source_name
from autograder.submissions.submission_reading import read_submission
from autograder.text import escape_for_sentence
from autograder.workers.worker_processes import RestartingWorkerProcess, WorkerEnded, start_worker_interpreter

READERS = 3
MOST_AT_ONCE = 2
"""How many files of one person are read at once; the second may be a double click."""
CPU_SECONDS = 30
"""Most CPU time for one file. An ordinary one takes a few milliseconds."""
CLASS_CPU_SECONDS = 300
"""The same for the download of a whole class."""
WAIT_SECONDS = 600.0
MEMORY_BYTES = 3 << 30

R = TypeVar("R")


class ReadingStopped(Exception):
    """Something that was uploaded took more than the limits of a reader allow."""


class TooManyFilesAtOnce(Exception):
    """A person's earlier files are still being read."""


_lock = threading.Lock()
_files_by_person: Counter[int] = Counter()


@contextmanager
def reading_for(account: int) -> Iterator[None]:
    """Count a person's file as being read, as long as the block takes.

    Raises:
        TooManyFilesAtOnce: ``MOST_AT_ONCE`` files of this person are being read.
    """
    with _lock:
        if _files_by_person[account] >= MOST_AT_ONCE:
            raise TooManyFilesAtOnce
        _files_by_person[account] += 1
    try:
        yield
    finally:
        with _lock:
            _files_by_person[account] -= 1


def read_apart(function: Callable[..., R], *arguments: object, cpu_seconds: int = CPU_SECONDS) -> R:
    """Call a module-level function in a reading process, and return what it returned.

    Raises:
        ReadingStopped: it took more than ``cpu_seconds`` or ``MEMORY_BYTES``, or ended its process.
        Exception: whatever the function raised.
    """
    with _lock:
        idle_readers = _prepare_readers(os.getpid())
    reader = idle_readers.get()
    try:
        result: R = reader.call(_call_within, cpu_seconds, function, arguments)
    except (WorkerEnded, MemoryError) as error:
        raise ReadingStopped(str(error)) from error
    finally:
        idle_readers.put(reader)
    return result


@cache
def _prepare_readers(process_id: int) -> SimpleQueue[RestartingWorkerProcess]:
    """Return the readers of a process, each of which starts at its first call; a fork has its own."""
    idle_readers = SimpleQueue[RestartingWorkerProcess]()
    for _ in range(READERS):
        reader = RestartingWorkerProcess(start_worker_interpreter, _limit_memory, WAIT_SECONDS)
        atexit.register(reader.close)
        idle_readers.put(reader)
    return idle_readers


def _call_within(cpu_seconds: int, function: Callable[..., R], arguments: tuple[object, ...]) -> R:
    with suppress(ImportError, OSError, ValueError):
        import resource

        used_seconds = math.ceil(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used_seconds + cpu_seconds, resource.RLIM_INFINITY))
    return function(*arguments)


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # some systems know no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


SUFFIXES = (".py", ".ipynb", ".zip")
SPECIAL = re.compile(r"[^\w .+()-]", re.ASCII)
MOST_CHARACTERS = 80


class RefusedUpload(Exception):
    """An upload that is not kept; the message is a sentence for the student."""


def read_and_check_upload(
    chosen_file: FileStorage | None, pasted_code: str, assignment: Assignment
) -> tuple[str, bytes]:
    """Return the chosen file or the pasted code, whichever there is, under a safe name.

    Raises:
        RefusedUpload: it is not what can be handed in, or both came.
    """
    if chosen_file is not None and chosen_file.filename:
        if pasted_code.strip():
            raise RefusedUpload(
                "You chose a file and pasted code: hand in one of the two. The form still has your code; to hand in "
                "the file, delete the code and choose the file again."
            )
        file_name, content = _clean_file_name(chosen_file.filename), chosen_file.read()
    elif pasted_code.strip():
        file_name, content = "value.py", pasted_code.replace("\r\n", "\n").encode("utf-8", "replace")
    else:
        raise RefusedUpload("There is nothing to hand in: choose a file, or paste your code.")
    _judge(file_name, content, assignment)
    return file_name, content


def _clean_file_name(file_name: str) -> str:
    """Return the last part of a path, made safe; refuse it if its suffix is not accepted."""
    last = re.split(r"[/\\]", file_name)[-1]
    stem, suffix = split_source_name(last)  # a browser may have added another
    if not suffix:
        raise RefusedUpload(
            f"{escape_for_sentence(last, MOST_CHARACTERS)} cannot be handed in: hand in .py, .ipynb or .zip."
        )
    return make_safe_upload_name(f"{stem}{suffix}")


def make_safe_upload_name(file_name: str) -> str:
    r"""Return a file's name without characters that are special in a path or a terminal.

    >>> make_safe_upload_name("../my\x1b work.PY")
    '_my_ work.py'
    """
    suffix = Path(file_name).suffix.lower()
    stem = SPECIAL.sub("_", file_name[: len(file_name) - len(suffix)]).strip(" .")[:MOST_CHARACTERS]
    return f"{stem or 'submission'}{suffix}"


def _judge(file_name: str, content: bytes, assignment: Assignment) -> None:
    """Check that the upload can be read as the grader reads it; nothing in it is run.

    Raises:
        RefusedUpload: it cannot be read. Work that can be read and is wrong is kept.
    """
    if not content.strip():
        raise RefusedUpload(f"{file_name} is empty.")
    if file_name.endswith(".py") and b"\0" in content:
        raise RefusedUpload(f"{file_name} is not text: hand in your program itself.")
    with temporary_folder("upload") as folder:
        path = folder / file_name  # which messages name
        path.write_bytes(content)
        try:
            read_apart(_require_readable, path, assignment)
        except UngradableSubmission as error:
            raise RefusedUpload(error.message) from error
        except ReadingStopped as error:
            raise RefusedUpload(
                f"{file_name} takes too long to be read. Hand in your own code alone, without data and "
                "outputs; if it is nothing else, show it to the staff."
            ) from error


def _require_readable(path: Path, assignment: Assignment) -> None:
    read_submission(path, assignment)
