"""Load a typed course from grading.yml."""

from __future__ import annotations

import hashlib
import json
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.deadline_rules import (
    DUE_KEYS,
    DeadlineRules,
    find_setting_key,
    load_deadline_rules,
    load_time_zone,
    read_time_setting,
)
from autograder.course.model import (
    WALL_PER_CPU,
    AcceptedGradientConventions,
    Assignment,
    Concept,
    Course,
    FeedbackSettings,
    InquiryTime,
    IsolationSettings,
    Limits,
    OutputFileAccess,
    ServerSettings,
    SlurmSettings,
    StudentMailSettings,
    SubmissionSettings,
)
from autograder.course.yaml_documents import (
    KeyPath,
    PartReader,
    YamlDocument,
    get_mapping,
    get_text_setting_or_default,
    parse_section,
    read_yaml_document,
    reject_unknown_settings,
)
from autograder.faults import CallerFault, CourseFault, raise_course_faults_if_any, translate_file_errors
from autograder.files import list_files_without_tool_caches

FRESH_LOOK_FILE = "fresh_look.py"
"""What looks at submissions with numbers that no test uses, beside the folder of the hidden suite; see ``Grader``."""


def _hash_assignment(settings: dict[str, Any], root: Path, name: str) -> str:
    """Return a hash over everything of an assignment that can change a verdict.

    Besides the settings, it covers four things: the hidden suite; the look at fresh numbers; the solution, which
    decides what counts as the grader's fault; and the template's files to hand in, which decide what counts as
    untouched.
    """
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    hidden = root / "assignments" / name / "hidden"
    template = root / "student_template" / name
    fresh_look = hidden.parent / FRESH_LOOK_FILE
    solution = root / "solutions" / name / "value.py"
    other_files = (fresh_look, solution, template / "value.py", template / "value.ipynb")
    for path in (*list_files_without_tool_caches(hidden), *(path for path in other_files if path.is_file())):
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes()
        digest.update(f"\0{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


ANONYMOUS = "anonymous_grading"
SUBMISSION = "submission"
ASSIGNMENT_KEYS = (
    *("title", "defines", "concepts", "bonus", "conventions", "hints", "limits", "feedback"),
    *(SUBMISSION, ANONYMOUS, "inquiries", *DUE_KEYS),
)


def _load_assignment(
    document: YamlDocument,
    name: str,
    course_limits: Limits | None,
    isolation: IsolationSettings,
    course_feedback: FeedbackSettings,
    parts: PartReader,
) -> Assignment:
    """Read and check the settings of one assignment; those that it leaves out are the course's.

    Args:
        course_limits: the course's limits; None if they cannot be used, and so neither can the assignment's.
        isolation: how strongly the course isolates submissions.
        parts: collects the mistakes of the assignment's parts.

    Raises:
        CourseFault: the assignment is no mapping; mistakes within it are in ``parts``.
    """
    key = ("assignments", name)
    data = get_mapping(document, key)
    root = document.path.resolve().parent
    hidden_suite = root / "assignments" / name / "hidden"
    parts.read(None, _require_name_and_suite, key, hidden_suite)
    parts.read(None, reject_unknown_settings, data, ASSIGNMENT_KEYS, key)
    concepts = parts.read((), _load_concepts, (*key, "concepts"))
    bonus = parts.read((), _load_concepts, (*key, "bonus"), bonus=True)
    parts.read(None, _require_concepts, key)
    limits = Limits()
    if course_limits:
        limits = parts.read(limits, _load_limits, (*key, "limits"), msgspec.to_builtins(course_limits))
    course_values = msgspec.to_builtins(course_feedback)
    feedback = parts.read(course_feedback, parse_section, (*key, "feedback"), FeedbackSettings, course_values)
    conventions = parts.read(
        AcceptedGradientConventions(), parse_section, (*key, "conventions"), AcceptedGradientConventions, {}
    )
    defines = parts.read([], _load_defined_names, key)
    own_hints = parts.read((), _load_own_hints, (*key, "hints"))
    graded_files = parts.read((), _load_graded_files, key)
    report_settings = msgspec.to_builtins(feedback)
    del report_settings["results"]  # this setting decides when a report is shown, not what it contains
    del report_settings["repair_candidates"]  # this one decides how much is added to a report, and no mark
    settings: dict[str, Any] = {
        "concepts": [(concept.name, concept.points, concept.bonus) for concept in concepts + bonus],
        "conventions": msgspec.to_builtins(conventions),
        "defines": defines,
        "feedback": report_settings,
        "limits": msgspec.to_builtins(limits),
    }
    optional = {"packages": sorted(isolation.packages), "hints": own_hints, "graded files": graded_files}
    settings |= {name: value for name, value in optional.items() if value}
    return Assignment(
        name=name,
        title=parts.read(name, get_text_setting_or_default, (*key, "title"), name),
        course_folder=root,
        defines=tuple(defines),
        concepts=concepts + bonus,
        conventions=conventions,
        limits=limits,
        feedback=feedback,
        weakest_tier=isolation.weakest_tier,
        packages=isolation.packages,
        version="" if parts.faults else _hash_assignment(settings, root, name),
        deadline_rules=parts.read(DeadlineRules(), load_deadline_rules, key),
        graded_files=graded_files,
        own_hints=own_hints,
        server=parts.read(ServerSettings(), parse_section, ("server",), ServerSettings, {}),
        anonymous_grading=parts.read(False, _is_anonymous, key),
        inquiries=parts.read("open", _load_inquiries, key),
        settings_in_place=tuple(sorted(".".join(one[2:]) for one in document.changed_keys if one[:2] == key)),
    )


def _require_name_and_suite(document: YamlDocument, key: KeyPath, hidden_suite: Path) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", key[-1]):
        raise document.make_fault_at(
            f"the assignment's name {key[-1]!r} is malformed", key, "use lower-case letters, digits and hyphens"
        )
    if not hidden_suite.is_dir():
        raise document.make_fault_at(
            f"the hidden suite is missing: {hidden_suite} is not a folder",
            key,
            "make it, or correct the assignment's name",
        )


def _require_concepts(document: YamlDocument, key: KeyPath) -> None:
    """Raise ``CourseFault`` if an assignment has no concept, or a bonus that is one of its concepts."""
    concepts = get_mapping(document, (*key, "concepts"))
    if not concepts:
        raise document.make_fault_at("an assignment needs at least one concept with points", (*key, "concepts"))
    for name in get_mapping(document, (*key, "bonus")).keys() & concepts.keys():
        place = (*key, "bonus", name)
        raise document.make_fault_at(f"the bonus {name!r} is a concept already", place, "give it another name")


def _load_defined_names(document: YamlDocument, key: KeyPath) -> list[str]:
    defines = get_mapping(document, key).get("defines")
    names = [one for one in defines if isinstance(one, str)] if isinstance(defines, list) else []
    if not names or names != defines or not all(one.isidentifier() and not keyword.iskeyword(one) for one in names):
        raise document.make_fault_at(
            "'defines' must list the names that a submission defines",
            (*key, "defines"),
            "write a list, for example [Value]",
        )
    return names


def _load_own_hints(document: YamlDocument, key: KeyPath) -> tuple[tuple[str, str], ...]:
    hints = get_mapping(document, key)
    for part, hint in hints.items():
        if not part.strip() or not isinstance(hint, str) or not hint.strip():
            raise document.make_fault_at(
                f"the hint for {part!r} must be a text, after a part of a message of the interpreter",
                (*key, part),
                'write, for example, "object is not iterable": Is it a list?',
            )
    return tuple((part, " ".join(hint.split())) for part, hint in hints.items())


def _is_anonymous(document: YamlDocument, key: KeyPath) -> bool:
    """Return whether an assignment is graded anonymously; without a setting of its own, the course's applies."""
    for level in (key, ()):
        setting = get_mapping(document, level).get(ANONYMOUS)
        if setting is not None and not isinstance(setting, bool):
            raise document.make_fault_at(f"{ANONYMOUS!r} must be true or false, not {setting!r}", (*level, ANONYMOUS))
        if setting is not None:
            return setting
    return False


def _load_inquiries(document: YamlDocument, key: KeyPath) -> InquiryTime:
    """Return until when students may ask about results; without a setting of its own, the course's applies."""
    setting_key = find_setting_key(document, key, "inquiries")
    match get_mapping(document, setting_key[:-1]).get("inquiries") if setting_key else None:
        case None | "open":
            return "open"
        case "closed":
            return "closed"
        case str(word) if word.isalpha():
            advice = "choose open or closed, or write the last moment, such as 2025-12-19 23:59"
            raise document.make_fault_at(f"'inquiries' cannot be {word!r}", setting_key or (), advice)
    return read_time_setting(document, setting_key or (), load_time_zone(document, key))


def _load_graded_files(document: YamlDocument, key: KeyPath) -> tuple[str, ...]:
    """Return which file of a submission is graded where several could be, the first choice first.

    Raises:
        CourseFault: what is listed is not the name or path of a Python file or a notebook.
    """
    defaults: dict[str, Any] = {}
    for level in dict.fromkeys(((), key)):
        section = (*level, SUBMISSION)
        files = parse_section(document, section, SubmissionSettings, defaults).file
        for name in files:
            if not name.endswith((".py", ".ipynb")) or name.startswith("/") or "\\" in name:
                raise document.make_fault_at(
                    f"the file {name!r} can be no Python file or notebook of a submission",
                    (*section, "file"),
                    "write a list such as [value.py, value.ipynb], with forward slashes for folders",
                )
        defaults = {"file": files}
    return files


def _load_concepts(document: YamlDocument, key: KeyPath, *, bonus: bool = False) -> tuple[Concept, ...]:
    """Read the concepts of an assignment, or its bonus, with their points.

    Raises:
        CourseFault: the points of one are not a positive multiple of 0.01.
    """
    concepts = []
    for name, points in get_mapping(document, key).items():
        problem = ""
        if isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points < 1e6:
            problem = "a number above 0"
        elif round(points * 100) != points * 100:
            problem = "a multiple of 0.01"
        if problem:
            raise document.make_fault_at(
                f"the points for {str(name)!r} must be {problem}, not {points!r}", (*key, str(name))
            )
        concepts.append(Concept(str(name), float(points), bonus))
    return tuple(concepts)


def _load_limits(document: YamlDocument, key: KeyPath, defaults: dict[str, Any]) -> Limits:
    """Read limits; those that the section leaves out come from ``defaults``.

    Raises:
        CourseFault: a limit is out of range, or ``wall_seconds`` is too close to ``cpu_seconds``.
    """
    limits = parse_section(document, key, Limits, defaults)
    if limits.wall_seconds * (1 + 1e-9) < WALL_PER_CPU * limits.cpu_seconds:
        section = get_mapping(document, key)
        name = "wall_seconds" if "wall_seconds" in section else "cpu_seconds"
        raise document.make_fault_at(
            f"wall_seconds ({limits.wall_seconds:g}) must be at least {WALL_PER_CPU} times cpu_seconds "
            f"({limits.cpu_seconds:g})",
            (*key, name),
            "raise wall_seconds, so that a busy machine costs no marks",
        )
    return limits


COURSE_FILE_NAME = "grading.yml"
TOP_KEYS = (
    *("course", "limits", "isolation", "feedback", "files", "cluster", "assignments"),
    *(SUBMISSION, ANONYMOUS, "inquiries", "mail", "server", *DUE_KEYS),
)


def require_nearest_course_file(start_folder: Path) -> Path:
    """Return the path of the ``grading.yml`` in this folder, or in the nearest folder above it.

    Raises:
        CallerFault: there is no such file.
    """
    for folder in (start_folder, *start_folder.parents):
        if (folder / COURSE_FILE_NAME).is_file():
            return folder / COURSE_FILE_NAME
    raise CallerFault(
        f"no {COURSE_FILE_NAME} in {start_folder} or in any folder above it",
        advice="make a course with: autograder init my-course; or name yours with --course FOLDER",
    )


def load_course(
    course_file_or_folder: Path, settings_in_place: Mapping[str, Mapping[str, Any]] | None = None
) -> Course:
    """Read and check a ``grading.yml``.

    Args:
        course_file_or_folder: the file, or the folder that holds it.
        settings_in_place: settings of assignments that count in place of the file's; see
            ``YamlDocument.with_assignment_settings``.

    Raises:
        CourseFault: a setting is missing, unknown or of the wrong kind; the message names the line and the key.
            Several mistakes are raised together as ``CourseFaults``.
    """
    path = course_file_or_folder / COURSE_FILE_NAME if course_file_or_folder.is_dir() else course_file_or_folder
    document = read_yaml_document(path)
    if settings_in_place:
        document = document.with_assignment_settings(settings_in_place)
    parts = PartReader(document)
    parts.read(None, reject_unknown_settings, document.data, TOP_KEYS, ())
    limits = parts.read(None, _load_limits, ("limits",), {})
    isolation = parts.read(IsolationSettings(), _load_isolation)
    feedback = parts.read(FeedbackSettings(), parse_section, ("feedback",), FeedbackSettings, {})
    files = parts.read(OutputFileAccess(), parse_section, ("files",), OutputFileAccess, {})
    mail = parts.read(StudentMailSettings(), parse_section, ("mail",), StudentMailSettings, {})
    slurm = parts.read(None, _load_slurm_settings)
    title = parts.read("", get_text_setting_or_default, ("course",), "")
    names = parts.read(None, get_mapping, ("assignments",))
    if names == {}:
        parts.faults.append(document.make_fault_at("a course needs at least one assignment", ("assignments",)))
    assignments = [
        parts.read(None, _load_assignment, name, limits, isolation, feedback, parts) for name in names or ()
    ]
    raise_course_faults_if_any(parts.faults)
    return Course(
        title=title,
        folder=path.resolve().parent,
        assignments=tuple(assignment for assignment in assignments if assignment),
        slurm_settings=slurm,
        staff_file_settings=files,
        mail=mail,
    )


def _load_slurm_settings(document: YamlDocument) -> SlurmSettings | None:
    cluster = get_mapping(document, ("cluster",))
    reject_unknown_settings(document, cluster, ("slurm",), ("cluster",))
    return parse_section(document, ("cluster", "slurm"), SlurmSettings, {}) if cluster.get("slurm") else None


def _load_isolation(document: YamlDocument) -> IsolationSettings:
    if get_mapping(document, ("isolation",)).get("weakest_tier") == "process":
        raise document.make_fault_at(
            "tier process stops accidents only, and no course may accept it",
            ("isolation", "weakest_tier"),
            "name namespaces or restricted; for submissions that you trust, there is `--allow-unsafe`",
        )
    return parse_section(document, ("isolation",), IsolationSettings, {})
