"""Read a submission: find the file to grade, and decode it into pieces of source."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

from autograder.course import Assignment
from autograder.faults import make_file_fault
from autograder.files import temporary_folder
from autograder.submissions.notebook_cells import (
    NotebookCell,
    RefusedNotebook,
    convert_cell_to_plain_python,
    convert_file_to_plain_python,
    get_written_module,
    read_notebook_cells,
)
from autograder.submissions.source_definitions import remove_untagged_redefinitions
from autograder.submissions.submission_files import (
    SOURCE_SUFFIXES,
    RawSubmission,
    SubmittedFile,
    abbreviate_file_names,
    hash_files,
    is_hidden_source_file,
    is_ignored_file,
    read_raw_submission,
    split_source_name,
)
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.zips import BadArchive, unpack_zip
from autograder.syntax_trees import may_parse_together
from autograder.text import choose_by_count, escape_for_sentence

MOST_CELLS = 2000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What a Python file or a notebook runs."""

    units: tuple[SourceUnit, ...]
    """The units of source, in order."""
    modules: dict[str, str] = field(default_factory=dict)
    """The modules that a notebook writes, by name."""
    text_cells: tuple[NotebookCell, ...] = ()
    """The notebook's other cells that define a wanted name, as far as text can."""


def read_source_file(file: SubmittedFile, max_bytes: int, wanted_names: Sequence[str] = ()) -> SourceFile:
    """Return what a file runs.

    Args:
        file: a Python file or a notebook, whatever its name.
        max_bytes: bytes that a Python file may have; a notebook's code cells together may have as many.
        wanted_names: classes and functions that are looked for in a notebook's text, too.

    Raises:
        UngradableSubmission: the file is not Python text or not a notebook, or is empty or too large.
    """
    if file.is_notebook:
        return _read_notebook(file, max_bytes, wanted_names)
    name = escape_for_sentence(file.name, 100)
    if len(file.content) > max_bytes:
        raise UngradableSubmission(
            "too-large",
            f"{name} has {len(file.content) / 1024:.0f} kB of Python; at most {max_bytes // 1024} kB can be graded. "
            "Hand in your own code alone.",
        )
    text = convert_file_to_plain_python(_decode_python_file(file))
    return SourceFile((SourceUnit(escape_for_sentence(file.name, 200), text),))


def _read_texts_with_magics(file: SubmittedFile, max_bytes: int) -> list[str]:
    """Return the texts that ``read_source_file`` makes units of, with a notebook's magics still in them.

    Many files are compared by them, and converting each would take a minute.

    Raises:
        UngradableSubmission: as for ``read_source_file``.
    """
    if file.is_notebook:
        return [cell.source for cell in _read_cells(file, max_bytes, ()) if cell.is_code]
    return [unit.source for unit in read_source_file(file, max_bytes).units]


def _decode_python_file(file: SubmittedFile) -> str:
    """Return a Python file's text as Python decodes it: UTF-8, or the encoding that it declares (PEP 263).

    Raises:
        UngradableSubmission: the file is not text, is in another encoding, or is empty.
    """
    content, name = file.content, escape_for_sentence(file.name, 100)
    _refuse_foreign(file, "binary", "Python")
    if b"\0" in content:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise UngradableSubmission("not-utf-8", f"{name} is UTF-16 text. Save it as UTF-8 and hand it in again.")
        raise UngradableSubmission(
            "binary", f"{name} is not text. Hand in the Python file or notebook that you edit."
        )
    encoding = find_declared_encoding(content)
    try:
        codec = codecs.lookup(encoding)
        if not codec._is_text_encoding or codec.name.startswith(("utf-16", "utf-32")):  # nor does Python
            raise LookupError
        text = content.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except LookupError:
        raise UngradableSubmission(
            "not-utf-8",
            f"{name} declares an encoding that Python does not know. Delete that line at its top, save the file as "
            "UTF-8 and hand it in again.",
        ) from None
    except UnicodeError as error:
        line_number = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise UngradableSubmission(
            "not-utf-8",
            f"{name} is not {'UTF-8' if encoding == 'utf-8' else encoding} text (line {line_number}). Save it as "
            "UTF-8 and hand it in again.",
        ) from error
    if not text.strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your work and hand it in again.")
    return _escape_surrogates(text)


def _refuse_foreign(file: SubmittedFile, reason: str, wanted_kind: str) -> None:
    """Refuse what is a page, a document or an archive by its first bytes."""
    if file.foreign_kind:
        raise UngradableSubmission(
            reason,
            f"{escape_for_sentence(file.name, 100)} is {file.foreign_kind}, not {wanted_kind}. Hand in the Python "
            "file or the notebook itself, not what shows or packs it.",
        )


def find_declared_encoding(content: bytes) -> str:
    """Return the encoding that a Python file declares, known or not; ``utf-8`` where it declares none."""
    if content.startswith(codecs.BOM_UTF8):
        return "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError as error:
        return "unknown" if "unknown encoding" in str(error) else "utf-8"


def _read_notebook(file: SubmittedFile, limit: int, wanted_names: Sequence[str]) -> SourceFile:
    cells = _read_cells(file, limit, wanted_names)
    code_cells = [cell for cell in cells if cell.is_code]
    may_parse = may_parse_together([cell.source for cell in code_cells])
    units: list[SourceUnit] = []
    modules: dict[str, str] = {}
    for number, cell in enumerate(code_cells, start=1):
        source = convert_cell_to_plain_python(_escape_surrogates(cell.source), may_parse=may_parse)
        module, is_added = get_written_module(cell.source)
        if module:
            modules[module] = f"{modules[module]}\n{source}" if is_added and module in modules else source
        units.append(SourceUnit(f"code cell {number}", source, cell.has_solution_tag))
    return SourceFile(
        tuple(unit for unit in units if unit.source.strip()),
        modules,
        tuple(cell for cell in cells if not cell.is_code),
    )


def _read_cells(file: SubmittedFile, limit: int, wanted_names: Sequence[str]) -> list[NotebookCell]:
    name = escape_for_sentence(file.name, 100)
    _refuse_foreign(file, "not-a-notebook", "a Jupyter notebook")
    if not file.content.removeprefix(codecs.BOM_UTF8).strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your notebook and hand it in again.")
    try:
        return read_notebook_cells(file.content, limit, MOST_CELLS, wanted_names)
    except RefusedNotebook as refusal:
        raise UngradableSubmission(refusal.reason, f"{name} {refusal.sentence}") from refusal


def _escape_surrogates(text: str) -> str:
    """Escape halves of characters, which are legal in JSON but which no Python file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()


MAGIC_SIGNS = ("%", "!")
MOST_COMPARED = 100
"""Most files with the required names that are compared with the template, each of which is read for it."""


def _choose_graded_file(
    sources: Sequence[SubmittedFile], assignment: Assignment
) -> tuple[SubmittedFile, tuple[str, ...]]:
    """Choose the file to grade among several, with notes on the files that are not graded."""
    if len(sources) == 1:
        return sources[0], ()
    definers = [file for file in sources if _defines_all(file, assignment.defines)]
    required = " and ".join(assignment.defines)
    if not definers:
        problem, advice = f"None of the files defines {required}", "Hand in the file with your own work."
        if any(_defines_any(file, assignment.defines) for file in sources):
            problem = f"No file by itself defines {required}"
            advice = "Put your code into one file, and hand that in."
        raise UngradableSubmission("nothing-defined", f"{problem}: {abbreviate_file_names(sources)}. {advice}")
    is_compared = len(definers) <= MOST_COMPARED
    edited = [file for file in definers if not (is_compared and _is_untouched_template(file, assignment))]
    candidates = edited or definers[:1]
    preferences: list[Callable[[SubmittedFile], bool]] = [
        *(partial(_has_name, pattern) for pattern in assignment.graded_files),
        lambda file: split_source_name(PurePosixPath(file.name).name)[0].casefold() == "value",
        lambda file: file.suffix == file.source_suffix,
    ]
    for may_choose in preferences:
        if len(candidates) > 1:
            candidates = [*filter(may_choose, candidates)] or candidates
    if len(candidates) > 1:
        names = abbreviate_file_names(candidates)
        raise UngradableSubmission(
            "several-candidates",
            f"{len(candidates)} files define {required}: {names}. Hand in one of them, named "
            f"{_list_usual_names(assignment)}. A course may say which one counts: `submission` in grading.yml.",
        )
    ungraded = [file for file in edited if file is not candidates[0]]
    graded_name = escape_for_sentence(candidates[0].name, 80)
    note = f"Graded {graded_name}; {abbreviate_file_names(ungraded)} also defines {required} and was not graded."
    return candidates[0], (note,) if ungraded else ()


def _list_usual_names(assignment: Assignment) -> str:
    """Return the names under which students hand in their file."""
    names = [name for name in assignment.graded_files if "*" not in name] or ["value.py", "value.ipynb"]
    return " or ".join(names)


def _defines_any(file: SubmittedFile, names: Sequence[str]) -> bool:
    """Return whether a file's text defines one of the names, as far as text can."""
    return any(_defines_all(file, [name]) for name in names)


def _has_name(pattern: str, file: SubmittedFile) -> bool:
    """Return whether a file has a name or a path like ``value.py``, ``src/value.py`` or ``*.ipynb``."""
    folders = pattern.count("/")
    stem, ending = split_source_name(file.name)
    path = "/".join(f"{stem}{ending}".split("/")[-1 - folders :])
    return fnmatchcase(path.casefold(), pattern.casefold())


def _defines_all(file: SubmittedFile, names: Sequence[str]) -> bool:
    text = file.content.decode("utf-8", "replace")
    line_start = r'(?:^|\\n|")[ \t]*' if file.is_notebook else r"^[ \t]*"
    assignment = r"[ \t]*(?::[^:=\n]*)?=[^=]"
    return all(
        re.search(rf"{line_start}(?:(?:class|def)\s+{re.escape(name)}\b|{re.escape(name)}{assignment})", text, re.M)
        for name in names
    )


def _is_untouched_template(file: SubmittedFile, assignment: Assignment) -> bool:
    """Return whether a file is the template's, as students got it (a notebook may have been run and saved)."""
    original = assignment.template_folder / ("value.ipynb" if file.is_notebook else "value.py")
    if not original.is_file():
        return False
    try:
        limit = assignment.limits.source_kb * 1024
        return _normalize_texts(_read_texts_with_magics(file, limit)) == _normalize_texts(
            _read_texts_with_magics(SubmittedFile(original.name, original.read_bytes()), limit)
        )
    except UngradableSubmission:
        return False
    except OSError as error:
        raise make_file_fault(error, original) from error


def _normalize_texts(texts: Sequence[str]) -> list[str]:
    """Return texts without lines that begin with a magic, in one style of line ends, and without empty ones."""
    normalized = (
        "\n".join(line for line in text.splitlines() if not line.startswith(MAGIC_SIGNS)).strip() for text in texts
    )
    return [text for text in normalized if text]


SECOND_DOWNLOAD = re.compile(r"\(\d+\)$")


def read_submission(path: Path, assignment: Assignment, submission_id: str = "") -> Submission:
    """Read what one student handed in; nothing in it is executed.

    Args:
        path: a ``.py`` or ``.ipynb`` file, a folder, or a ``.zip``; nothing in it says whose it is.
        assignment: gives the names that a submission must define, and the size limits.
        submission_id: the submission's id; the file's name without its ending when empty.

    Raises:
        UngradableSubmission: the submission cannot be graded as it is; the message says why and what to do.
    """
    return read_gradable_submission(
        read_raw_submission(path, assignment.limits.submission_mb * 2**20), assignment, submission_id
    )


def read_gradable_submission(
    raw_submission: RawSubmission, assignment: Assignment, submission_id: str = ""
) -> Submission:
    """Read collected files as a submission. See ``read_submission``."""
    if raw_submission.is_unopened_zip:
        return _read_zip(raw_submission, assignment, submission_id or raw_submission.name_stem)
    files = list(raw_submission.files)
    sha256, names = hash_files(files), tuple(file.name for file in files)
    try:
        return _choose_and_read(
            files, assignment, submission_id or raw_submission.name_stem, sha256, in_folder=raw_submission.is_folder
        )
    except UngradableSubmission as error:
        error.sha256, error.files = sha256, names
        raise


def _read_zip(collected: RawSubmission, assignment: Assignment, name: str) -> Submission:
    (archive,) = collected.files
    sha256, limit = hash_files([archive]), assignment.limits.submission_mb * 2**20
    with temporary_folder("submission") as folder:
        try:
            unpack_zip(archive.content, folder, limit, _is_listed)
        except BadArchive as error:
            zip_name = escape_for_sentence(archive.name, 80)
            kind = archive.foreign_kind if not archive.content.startswith(b"PK") else ""
            other = f"{zip_name} is {kind}, not a zip. Zip your own files, or hand in the program alone."
            message = other if kind else f"{zip_name}: {error}"
            raise UngradableSubmission("bad-zip", message, sha256=sha256, files=(archive.name,)) from error
        try:
            inside = read_gradable_submission(
                read_raw_submission(folder, limit, unwrap_single_zip=False), assignment, name
            )
        except UngradableSubmission as error:
            error.sha256 = sha256
            raise
        return replace(inside, sha256=sha256)


def _choose_and_read(
    files: Sequence[SubmittedFile], assignment: Assignment, name: str, sha256: str, *, in_folder: bool
) -> Submission:
    hidden = [file for file in files if in_folder and is_hidden_source_file(file.name)]
    shown = [file for file in files if file not in hidden]
    sources = [file for file in shown if file.source_suffix in SOURCE_SUFFIXES] or [
        file for file in shown if file.is_notebook or _defines_any(file, assignment.defines)
    ]
    hidden_notes = _note_hidden_programs(hidden)
    if not sources:
        sentences = [_describe_other_files(shown), *hidden_notes, f"Hand in {_list_usual_names(assignment)}."]
        raise UngradableSubmission("no-python-file", " ".join(sentences))
    chosen, notes = _choose_graded_file(sources, assignment) if in_folder else (sources[0], ())
    limit = assignment.limits.source_kb * 1024
    companions = _select_companions(sources, chosen, limit)
    read = read_source_file(chosen, limit, assignment.defines)
    units, left_out = remove_untagged_redefinitions(read.units, assignment.defines)
    return Submission(
        id=name,
        sha256=sha256,
        files=tuple(file.name for file in sources),
        units=units,
        modules=read.modules | {_get_module_name(file): _read_companion(file) for file in companions},
        notes=(*notes, *hidden_notes, *_find_disguise(chosen), *left_out),
        unread_definitions=_list_unread_definitions(read, assignment, limit),
    )


def _describe_other_files(files: Sequence[SubmittedFile]) -> str:
    """Say what was handed in by someone without a program."""
    if len(files) == 1 and files[0].foreign_kind:
        name = escape_for_sentence(files[0].name, 80)
        return f"{name} is {files[0].foreign_kind}: there is no Python file or notebook here."
    names = abbreviate_file_names(files)
    return f"There is no Python file or notebook here{f', only {names}' if names else ''}."


def _select_companions(
    sources: Sequence[SubmittedFile], chosen: SubmittedFile, max_bytes: int
) -> list[SubmittedFile]:
    """Return the Python files beside the graded one, which it may import."""
    companions = [
        file
        for file in sources
        if file is not chosen
        and not file.is_notebook
        and _get_folder(file) == _get_folder(chosen)
        and not is_ignored_file(file.name)
    ]
    if sum(len(file.content) for file in companions) > max_bytes:
        raise UngradableSubmission(
            "too-large",
            f"The Python files beside {escape_for_sentence(chosen.name, 80)} have more than {max_bytes // 1024} kB. "
            "Hand in your own code alone.",
        )
    return companions


def _is_listed(name: str) -> bool:
    return not is_ignored_file(name) or is_hidden_source_file(name)


def _note_hidden_programs(hidden: Sequence[SubmittedFile]) -> tuple[str, ...]:
    if not hidden:
        return ()
    verb = choose_by_count(len(hidden), "is", "are")
    return (f"{abbreviate_file_names(hidden)} {verb} not read: the name begins with a dot.",)


def _find_disguise(file: SubmittedFile) -> tuple[str, ...]:
    """Return a note on a file whose ending does not say what it holds."""
    ending = ".ipynb" if file.is_notebook else ".py"
    if file.suffix == ending:
        return ()
    held, kind = ("a notebook", "notebook") if file.is_notebook else ("Python text", "Python file")
    other = {".py": ", not Python text", ".ipynb": ", not a notebook"}.get(file.suffix, "")
    return (
        f"{escape_for_sentence(file.name, 80)} holds {held}{other}, and was graded as a {kind}. Next time hand in "
        f"the {kind} itself, with its name ending in {ending}.",
    )


def _list_unread_definitions(read: SourceFile, assignment: Assignment, max_bytes: int) -> tuple[str, ...]:
    """Return a sentence for each text cell that defines what no code cell does, or where the stub still stands."""
    if not read.text_cells:
        return ()
    given = _list_template_texts(assignment, max_bytes)
    cells = [cell for cell in read.text_cells if cell.source not in given]
    sentences = []
    for name in assignment.defines:
        definition = re.compile(rf"^(class|def) {re.escape(name)}\b", re.M)
        code = [unit.source for unit in read.units if definition.search(unit.source)]
        if all("NotImplementedError" in source for source in code):
            sentences += [
                f"Cell {cell.number} from the top is a text cell ({cell.kind.capitalize()}), and holds `{found[1]} "
                f"{name}`: text is not run. Turn it into code (in Jupyter: click beside it and press Y), run it, "
                "save the notebook, and hand it in again."
                for cell in cells
                if (found := definition.search(cell.source))
            ]
    return tuple(sentences)


def _list_template_texts(assignment: Assignment, max_bytes: int) -> frozenset[str]:
    """Return the text cells that students get."""
    path = assignment.template_folder / "value.ipynb"
    try:
        template = SubmittedFile(path.name, path.read_bytes()) if path.is_file() else None
        cells = read_source_file(template, max_bytes, assignment.defines).text_cells if template else ()
    except (OSError, UngradableSubmission):
        cells = ()
    return frozenset(cell.source for cell in cells)


def _get_module_name(file: SubmittedFile) -> str:
    """Return the name under which a file is imported: ``helpers`` for ``helpers (1).py``, too."""
    stem, _ = split_source_name(PurePosixPath(file.name).name)
    first_stem = SECOND_DOWNLOAD.sub("", stem)
    return stem if first_stem == stem else first_stem.rstrip(" _-")


def _read_companion(file: SubmittedFile) -> str:
    try:
        return convert_file_to_plain_python(_decode_python_file(file))
    except UngradableSubmission:  # what imports it fails, and says so
        return file.content.decode("utf-8-sig", "replace").replace("\0", "\ufffd")


def _get_folder(file: SubmittedFile) -> PurePosixPath:
    return PurePosixPath(file.name).parent
