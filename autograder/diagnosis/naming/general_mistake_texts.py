"""Name findings on a part by general mistakes; such a name is true however the part is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course import Assignment
from autograder.course.misconceptions import Sentence
from autograder.course.yaml_documents import read_yaml_document
from autograder.course.yaml_entries import make_validation_fault, read_entries_and_faults
from autograder.diagnosis.diagnosis_model import NamedMistake
from autograder.faults import raise_course_faults_if_any

ALSO = "also"
"""The quoted value with further operations that something was seen of."""
OWN = Path(__file__).parents[1] / "general.yml"


class GeneralMistakeTemplate(Struct, frozen=True, forbid_unknown_fields=True):
    """The texts about one kind of finding, with placeholders such as ``{op}`` for details of what was seen."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Sentence
    explanation: Sentence
    hints: Annotated[tuple[Sentence, ...], Meta(min_length=3, max_length=3)]

    def make_named_mistake(self, quoted_values: Mapping[str, str]) -> NamedMistake:
        """Return the named mistake, with the placeholders filled in; those without a value become empty."""
        said = defaultdict(str, quoted_values)
        also = f" Something is wrong with {said[ALSO]} as well, perhaps for another reason." if said[ALSO] else ""
        return NamedMistake(
            id=self.id,
            title=_filled(self.title, said),
            explanation=_filled(self.explanation, said) + also,
            hints=tuple(_filled(hint, said) for hint in self.hints),
            kind="general",
        )


class _MistakeTemplatesFile(Struct, frozen=True, forbid_unknown_fields=True):
    names: tuple[GeneralMistakeTemplate, ...] = ()


def load_general_mistake_templates(assignment: Assignment) -> dict[str, GeneralMistakeTemplate]:
    """Return the kit's templates by id, with those of ``general.yml`` beside the reference solution.

    A template there replaces the kit's template of the same id.

    Raises:
        CourseFault: the file is malformed.
    """
    path = assignment.solution_file.parent / "general.yml"
    return _read(OWN) | (_read(path) if path.is_file() else {})


def _read(path: Path) -> dict[str, GeneralMistakeTemplate]:
    document = read_yaml_document(path)
    try:
        names = msgspec.convert(document.data, _MistakeTemplatesFile).names
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "names", GeneralMistakeTemplate)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error
    return {one.id: one for one in names}


def _filled(text: str, quotes: Mapping[str, str]) -> str:
    said = text.format_map(quotes)
    return said[:1].upper() + said[1:]
