"""Define what a ``grading.yml`` says, once it has been read: frozen and typed.

``deadline_and_attempt_rules`` defines deadlines, lateness and attempts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from autograder.course.deadline_and_attempt_rules import DeadlineAndAttemptRules
from autograder.course.slurm_settings import SlurmSettings
from autograder.output_file_permissions import Readers

Seconds = Annotated[float, Meta(gt=0, le=86_400)]
PositiveCount = Annotated[int, Meta(gt=0, le=1_000_000)]
GradientAtZero = Annotated[float, Meta(ge=0, le=1)]
PackageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")]
Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
ResultVisibility = Literal["visible", "after_due_date", "after_published"]
WALL_PER_CPU = 3
"""On a busy machine a computation waits for its turn; how long a test waits at least, in its CPU times."""
TierName = Literal["namespaces", "restricted", "process"]
SecondBackward = Literal["interior kept", "leaves accumulate"]


class Limits(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a submission may use. Times are seconds; sizes say their unit in their name."""

    cpu_seconds: Seconds = 0.4
    """CPU time of one test."""
    wall_seconds: Seconds = 4.0
    """Time on the wall of one test on a machine that lets it run; a busy one is given 15 times as much. A test that
    sleeps is stopped long before."""
    import_seconds: Seconds = 1.0
    """CPU time of the code that runs when the submission is loaded, before any test."""
    submission_seconds: Seconds = 2.5
    """CPU time and sleep of all tests of one submission together, the grader's work on them included."""
    memory_mb: PositiveCount = 512
    """Address space of the student's process."""
    output_kb: PositiveCount = 1024
    """What one student process may print."""
    messages: Annotated[int, Meta(gt=0, le=1_000_000_000)] = 200_000
    """Messages that one student process may exchange with the tests."""
    source_kb: PositiveCount = 1024
    """Size of one Python file."""
    submission_mb: PositiveCount = 20
    """Size of everything one student handed in, notebooks with their pictures included."""


class FeedbackSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When students see hidden tests, the diagnosis and their results, and whether they see observed values."""

    hidden_tests: Visibility = "visible"
    """When a hidden test's sentence, outcome and hint are shown (the words are Gradescope's)."""
    observed_values: bool = True
    """Whether a failed test says the wrong number that it got (never the right one)."""
    diagnosis: Visibility = "visible"
    """When the mistake behind failed tests, its hints and a searched counterexample are shown."""
    results: ResultVisibility = "visible"
    """When students find their results on the web at all, points included. Files for students hold them at once: it
    is the staff that hands those out."""


class IsolationSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How strongly submissions must be shut in."""

    weakest_tier: Literal["namespaces", "restricted"] = "restricted"
    """The weakest tier that this course accepts; a machine that offers less is refused."""
    packages: tuple[PackageName, ...] = ()
    """What submissions may import besides the standard library, as pip knows it."""


class OutputFileAccess(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the kit writes for the staff: results, reports, gradebooks, pages, uploads."""

    readable_by: Readers = "owner"
    """Who on the same machine reads it: whoever wrote it, that user's group too, or everybody."""


class StudentMailSwitches(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which mails ``autograder serve`` sends to students, where it has a mail server."""

    receipt: bool = True
    result: bool = True
    """Once students may see it; the mail itself says nothing of it."""
    answer: bool = True


class AcceptedGradientConventions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answers that this course accepts where a question about gradients has more than one right answer."""

    second_backward: Annotated[tuple[SecondBackward, ...], Meta(min_length=1)] = (
        "interior kept",
        "leaves accumulate",
    )
    relu_at_zero: tuple[GradientAtZero, GradientAtZero] = (0.0, 1.0)

    def __post_init__(self) -> None:
        low, high = self.relu_at_zero
        if not low <= high:
            raise ValueError("relu_at_zero goes from the lowest to the highest accepted slope")


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that marks are given for."""

    name: str
    points: float
    bonus: bool = False

    @property
    def name_in_test_ids(self) -> str:
        """Return the name as it stands in a test's id: ``zero_grad and double backward`` -> ``zero-grad-and-...``."""
        return self.name.replace(" ", "-").replace("_", "-")


@dataclass(frozen=True, slots=True)
class Assignment:
    """One exercise of the course, with where its parts lie."""

    name: str
    title: str
    course_folder: Path
    defines: tuple[str, ...]
    concepts: tuple[Concept, ...]
    conventions: AcceptedGradientConventions
    limits: Limits
    feedback: FeedbackSettings
    weakest_tier: TierName
    packages: tuple[str, ...]
    version: str
    """Changes whenever something that can change a verdict does: 16 hexadecimal digits."""
    deadline_rules: DeadlineAndAttemptRules = field(default_factory=DeadlineAndAttemptRules)
    """When it is due; changes no verdict, and so no version."""
    anonymous_grading: bool = False
    """Whether the staff sees pseudonyms on the web until an instructor shows the names."""

    @property
    def folder(self) -> Path:
        """Return the folder of the handout, the public suite and the hidden suite."""
        return self.course_folder / "assignments" / self.name

    @property
    def hidden_suite_folder(self) -> Path:
        """Return the folder of the hidden suite."""
        return self.folder / "hidden"

    @property
    def public_suite_folder(self) -> Path:
        """Return the folder of the public suite."""
        return self.folder / "public"

    @property
    def notebook_script_path(self) -> Path:
        """Return the source of the students' notebook; not every assignment has one."""
        return self.folder / "notebook.py"

    @property
    def solution_file(self) -> Path:
        """Return the file of the reference solution."""
        return self.course_folder / "solutions" / self.name / "value.py"

    @property
    def template_folder(self) -> Path:
        """Return the folder that students get."""
        return self.course_folder / "student_template" / self.name

    @property
    def max_score(self) -> float:
        """Return the points without the bonus."""
        return sum(concept.points for concept in self.concepts if not concept.bonus)


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that one ``grading.yml`` describes."""

    title: str
    folder: Path
    assignments: tuple[Assignment, ...]
    slurm_settings: SlurmSettings | None = None
    """How to ask a Slurm for machines; no part of any verdict."""
    staff_file_settings: OutputFileAccess = field(default_factory=OutputFileAccess)
    """Who reads what is written; no part of any verdict."""
    mail: StudentMailSwitches = field(default_factory=StudentMailSwitches)
    """Which mails students get; no part of any verdict."""
