"""Load a typed course from ``grading.yml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from autograder.course.assignment_loading import ANONYMOUS, SUBMISSION, load_assignment, load_limits
from autograder.course.deadline_rules_loader import DUE_KEYS
from autograder.course.model import (
    Course,
    FeedbackSettings,
    IsolationSettings,
    OutputFileAccess,
    StudentMailSettings,
)
from autograder.course.slurm_settings import SlurmSettings
from autograder.course.yaml_documents import YamlDocument, read_yaml_document
from autograder.course.yaml_section_parsing import (
    PartReader,
    get_mapping,
    get_text_setting_or_default,
    parse_section,
    reject_unknown_settings,
)
from autograder.faults import CallerFault, raise_course_faults_if_any

COURSE_FILE_NAME = "grading.yml"
TOP_KEYS = (
    "course",
    "limits",
    "isolation",
    "feedback",
    "files",
    "cluster",
    "assignments",
    SUBMISSION,
    ANONYMOUS,
    "mail",
    *DUE_KEYS,
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


def load_course(course_file_or_folder: Path) -> Course:
    """Read and check a ``grading.yml``.

    Args:
        course_file_or_folder: the file, or the folder that holds it.

    Raises:
        CourseFault: a setting is missing, unknown or of the wrong kind; the message names the line and the key.
            Several mistakes are raised together as ``CourseFaults``.
    """
    path = course_file_or_folder / COURSE_FILE_NAME if course_file_or_folder.is_dir() else course_file_or_folder
    document = read_yaml_document(path)
    parts = PartReader(document)
    parts.read(None, reject_unknown_settings, document.data, TOP_KEYS, ())
    limits = parts.read(None, load_limits, ("limits",), {})
    isolation = parts.read(IsolationSettings(), _load_isolation)
    feedback = parts.read(FeedbackSettings(), parse_section, ("feedback",), FeedbackSettings, {})
    files = parts.read(OutputFileAccess(), parse_section, ("files",), OutputFileAccess, {})
    mail = parts.read(StudentMailSettings(), parse_section, ("mail",), StudentMailSettings, {})
    slurm = parts.read(None, _load_slurm_settings)
    title = parts.read("", get_text_setting_or_default, ("course",), "")
    names = parts.read({}, _get_assignment_names)
    assignments = [parts.read(None, load_assignment, name, limits, isolation, feedback, parts) for name in names]
    raise_course_faults_if_any(parts.faults)
    return Course(
        title=title,
        folder=path.resolve().parent,
        assignments=tuple(assignment for assignment in assignments if assignment),
        slurm_settings=slurm,
        staff_file_settings=files,
        mail=mail,
    )


def _get_assignment_names(document: YamlDocument) -> dict[str, Any]:
    names = get_mapping(document, ("assignments",))
    if not names:
        raise document.make_fault_at("a course needs at least one assignment", ("assignments",))
    return names


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
