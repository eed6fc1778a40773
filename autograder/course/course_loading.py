"""Load a typed course from ``grading.yml``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from autograder.course.assignment_loading import (
    ANONYMOUS,
    SUBMISSION,
    is_anonymous,
    load_assignment,
    load_concepts,
    load_graded_files,
    load_limits,
)
from autograder.course.deadline_rules_loader import DUE_KEYS, load_deadline_rules
from autograder.course.model import (
    AcceptedGradientConventions,
    Course,
    FeedbackSettings,
    IsolationSettings,
    Limits,
    OutputFileAccess,
    StudentMailSettings,
)
from autograder.course.slurm_settings import SlurmSettings
from autograder.course.yaml_documents import YamlDocument, read_yaml_document
from autograder.course.yaml_section_parsing import (
    get_mapping,
    get_text_setting_or_default,
    parse_section,
    reject_unknown_settings,
)
from autograder.faults import CallerFault, CourseFault, raise_course_faults_if_any

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
    try:
        return _load_document(document, path)
    except CourseFault as first_fault:
        fault_by_text = {
            str(fault): fault for fault in (first_fault, *_find_other_faults(document, path.resolve().parent))
        }
        raise_course_faults_if_any([*fault_by_text.values()])
        raise


def _load_document(document: YamlDocument, path: Path) -> Course:
    reject_unknown_settings(document, document.data, TOP_KEYS, ())
    limits = load_limits(document, ("limits",), {})
    isolation = _load_isolation(document)
    feedback = parse_section(document, ("feedback",), FeedbackSettings, {})
    names = get_mapping(document, ("assignments",))
    if not names:
        raise document.make_fault_at("a course needs at least one assignment", ("assignments",))
    assignments = tuple(
        load_assignment(document, name, path.resolve().parent, limits, isolation, feedback) for name in names
    )
    reject_unknown_settings(document, get_mapping(document, ("cluster",)), ("slurm",), ("cluster",))
    slurm = (
        parse_section(document, ("cluster", "slurm"), SlurmSettings, {})
        if get_mapping(document, ("cluster", "slurm"))
        else None
    )
    title = get_text_setting_or_default(document, ("course",), "")
    files = parse_section(document, ("files",), OutputFileAccess, {})
    return Course(
        title=title,
        folder=path.resolve().parent,
        assignments=assignments,
        slurm_settings=slurm,
        staff_file_settings=files,
        mail=parse_section(document, ("mail",), StudentMailSettings, {}),
    )


def _find_other_faults(document: YamlDocument, root: Path) -> Iterator[CourseFault]:
    """Yield a fault for each part of a course's file that cannot be used; each part is read by itself."""
    limits: Limits | None = None  # an assignment's limits are read only if the course's, their defaults, are usable
    with suppress(CourseFault):
        limits = load_limits(document, ("limits",), {})
    loaders: list[Callable[[], object]] = [
        lambda: reject_unknown_settings(document, document.data, TOP_KEYS, ()),
        lambda: load_limits(document, ("limits",), {}),
        lambda: _load_isolation(document),
        lambda: parse_section(document, ("feedback",), FeedbackSettings, {}),
        lambda: parse_section(document, ("files",), OutputFileAccess, {}),
        lambda: parse_section(document, ("mail",), StudentMailSettings, {}),
        lambda: load_graded_files(document, ()),
    ]
    with suppress(CourseFault):
        for name in get_mapping(document, ("assignments",)):
            key = ("assignments", str(name))
            loaders += [
                partial(load_concepts, document, (*key, "concepts"), bonus=False),
                partial(load_concepts, document, (*key, "bonus"), bonus=True),
                partial(parse_section, document, (*key, "feedback"), FeedbackSettings, {}),
                partial(parse_section, document, (*key, "conventions"), AcceptedGradientConventions, {}),
                partial(load_deadline_rules, document, key),
                partial(is_anonymous, document, key),
                partial(load_graded_files, document, key),
            ]
            if limits is not None:
                settings = limits, IsolationSettings(), FeedbackSettings()
                loaders += [
                    partial(load_limits, document, (*key, "limits"), msgspec.to_builtins(limits)),
                    partial(load_assignment, document, str(name), root, *settings),
                ]
    for load in loaders:
        try:
            load()
        except CourseFault as fault:
            yield fault


def _load_isolation(document: YamlDocument) -> IsolationSettings:
    if get_mapping(document, ("isolation",)).get("weakest_tier") == "process":
        raise document.make_fault_at(
            "tier process stops accidents only, and no course may accept it",
            ("isolation", "weakest_tier"),
            "name namespaces or restricted; for submissions that you trust, there is `--allow-unsafe`",
        )
    return parse_section(document, ("isolation",), IsolationSettings, {})
