"""Define the settings of a grading.yml as frozen, typed objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from autograder.course.deadline_rules import DeadlineRules
from autograder.files import Readers

Count = Annotated[int, Meta(gt=0, le=100_000)]
Text = Annotated[str, Meta(min_length=1)]


class SlurmSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The resources that each job asks Slurm for; all names except ``jobs`` are those of dask-jobqueue."""

    jobs: Count
    """How many jobs to ask for; grading begins when the first one runs."""
    cores: Count
    """Cores of one job, which is also how many submissions a job grades at once."""
    memory: Text
    """Memory of one job, such as 8GB."""
    walltime: Text
    """The time after which Slurm ends a job, such as 02:00:00. While work is left, another job is asked for."""
    queue: Text | None = None
    account: Text | None = None
    interface: Text | None = None
    """The network interface over which the machines reach each other, such as ib0."""
    local_directory: Text | None = None
    """The folder on its own machine that a job may write to."""
    log_directory: Text | None = None
    """The folder for the output of jobs. When None, the output is discarded at the end."""
    job_extra_directives: tuple[Text, ...] = ()
    """Further directives for the head of the job script, such as --qos=teaching."""
    job_script_prologue: tuple[Text, ...] = ()
    """Shell commands that run before a job's worker starts, such as module load python."""


Seconds = Annotated[float, Meta(gt=0, le=86_400)]
PositiveCount = Annotated[int, Meta(gt=0, le=1_000_000)]
GradientAtZero = Annotated[float, Meta(ge=0, le=1)]
PackageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")]
Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
ResultVisibility = Literal["visible", "after_due_date", "after_published"]
RepairLevel = Literal["hidden", "method", "line", "kind", "change"]
REPAIR_LEVELS: tuple[RepairLevel, ...] = get_args(RepairLevel)
"""How far students see what has to change in their program; each level shows what those before it show."""
WALL_PER_CPU = 3
"""The smallest allowed ratio of ``wall_seconds`` to ``cpu_seconds``: on a busy machine, processes wait for a CPU."""
InquiryTime = Literal["open", "closed"] | datetime
TierName = Literal["namespaces", "restricted", "process"]
SecondBackward = Literal["interior kept", "leaves accumulate"]


class Limits(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The resources that a submission may use. The names of sizes contain their unit.

    Times are in seconds of the reference machine; see ``sandbox.machine_speed``. What meets a limit on the time of
    tests or of loading is tried again with more.
    """

    cpu_seconds: Seconds = 0.4
    """CPU time of one test."""
    wall_seconds: Seconds = 4.0
    """Time that one test may spend asleep at most, however often it is tried; at first it is a fifth of a second."""
    import_seconds: Seconds = 1.0
    """CPU time of the code that runs when the submission is loaded, before any test."""
    submission_seconds: Seconds = 2.5
    """CPU time and time asleep of all tests of one submission together."""
    memory_mb: PositiveCount = 512
    """Address space of the student's process."""
    output_kb: PositiveCount = 1024
    """How much one student process may print."""
    messages: Annotated[int, Meta(gt=0, le=1_000_000_000)] = 200_000
    """Messages that one student process may exchange with the tests."""
    source_kb: PositiveCount = 1024
    """Size of one Python file."""
    submission_mb: PositiveCount = 20
    """Size of all files of one student's submission, including notebooks with their pictures."""


class FeedbackSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When students see hidden tests, the diagnosis and their results, and how much these say."""

    hidden_tests: Visibility = "visible"
    """When a hidden test's sentence, outcome and hint are shown (the words are Gradescope's)."""
    observed_values: bool = True
    """Whether a failed test shows the wrong number that it got. The right number is never shown."""
    diagnosis: Visibility = "visible"
    """When the mistake behind failed tests, its hints and a searched counterexample are shown."""
    repair: RepairLevel = "line"
    """How far the smallest change that makes the program right is shown, where the diagnosis is."""
    repair_candidates: Annotated[int, Meta(ge=0, le=100_000)] = 2_000
    """How many changes are tried for each mistake, once there are marks; 0 where nobody looks for any."""
    results: ResultVisibility = "visible"
    """When students can see results on the web, points included. Files for students contain the results at once,
    because the staff decides when to hand them out."""


class SubmissionSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a submission of several files is read."""

    file: tuple[str, ...] = ()
    """The file that is graded where several could be: names or paths, ``*`` for any part of one, the first choice
    first."""


class IsolationSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How strongly submissions must be isolated."""

    weakest_tier: Literal["namespaces", "restricted"] = "restricted"
    """The weakest tier that this course accepts; a machine that offers less is refused."""
    packages: tuple[PackageName, ...] = ()
    """Packages that submissions may import besides the standard library, by their names for pip."""


class OutputFileAccess(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Access to the files that the kit writes for the staff: results, reports, gradebooks, pages, uploads."""

    readable_by: Readers = "owner"
    """The users of the machine who can read the files: their owner, the owner's group too, or everybody."""


class StudentMailSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The mails that ``autograder serve`` sends to students if it has a mail server."""

    receipt: bool = True
    result: bool = True
    """A mail once the student may see the result; the mail itself does not contain the result."""
    answer: bool = True


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where students hand in from a shell, or from a repository's job; this affects no result."""

    address: Annotated[str, Meta(pattern=r"^(?:https?://\S+)?$")] = ""
    """The address of the course on the web; then the template holds jobs for GitHub and GitLab."""
    kit: str = ""
    """What ``pip install`` takes there to install the kit; empty where jobs use curl."""


class AcceptedGradientConventions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answers that this course accepts to questions about gradients that have more than one right answer."""

    second_backward: Annotated[tuple[SecondBackward, ...], Meta(min_length=1)] = (
        "interior kept",
        "leaves accumulate",
    )
    relu_at_zero: tuple[GradientAtZero, GradientAtZero] = (0.0, 1.0)

    def __post_init__(self) -> None:
        low, high = self.relu_at_zero
        if not low <= high:
            raise ValueError("relu_at_zero must go from the lowest to the highest accepted slope")


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that marks are given for."""

    name: str
    points: float
    bonus: bool = False

    @property
    def test_id_prefix(self) -> str:
        """Return the name as written in a test's id: ``zero_grad and double backward`` -> ``zero-grad-and-...``."""
        return self.name.replace(" ", "-").replace("_", "-")


@dataclass(frozen=True, slots=True)
class Assignment:
    """One assignment of the course, with the paths of its files."""

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
    """A hash of everything that can change a verdict: 16 hexadecimal digits."""
    deadline_rules: DeadlineRules = field(default_factory=DeadlineRules)
    """When it is due. This changes no verdict, so it is not part of ``version``."""
    graded_files: tuple[str, ...] = ()
    """See ``SubmissionSettings.file``."""
    own_hints: tuple[tuple[str, str], ...] = ()
    """What to try after messages of the interpreter in this assignment: parts of messages, each with its hint."""
    server: ServerSettings = field(default_factory=ServerSettings)
    """Where the template's jobs hand in."""
    anonymous_grading: bool = False
    """Whether the staff sees pseudonyms on the web until an instructor shows the names."""
    inquiries: InquiryTime = "open"
    """Whether students may ask about their results on the web, or until when."""
    settings_in_place: tuple[str, ...] = ()
    """Settings that were set on the web and count in place of ``grading.yml``'s, such as ``feedback.results``."""

    def takes_inquiries_at(self, moment: datetime) -> bool:
        """Return whether students may ask about their results then."""
        return moment <= self.inquiries if isinstance(self.inquiries, datetime) else self.inquiries == "open"

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
        """Return the path of the script that the students' notebook is made from; not every assignment has one."""
        return self.folder / "notebook.py"

    @property
    def solution_file(self) -> Path:
        """Return the file of the reference solution."""
        return self.course_folder / "solutions" / self.name / "value.py"

    @property
    def template_folder(self) -> Path:
        """Return the folder of the template that students get."""
        return self.course_folder / "student_template" / self.name

    @property
    def max_score(self) -> float:
        """Return the maximum score in points, without the bonus."""
        return sum(concept.points for concept in self.concepts if not concept.bonus)


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that one ``grading.yml`` describes."""

    title: str
    folder: Path
    assignments: tuple[Assignment, ...]
    slurm_settings: SlurmSettings | None = None
    """How to ask a Slurm cluster for machines; this affects no verdict."""
    staff_file_settings: OutputFileAccess = field(default_factory=OutputFileAccess)
    """The users who can read the files that are written; this affects no result."""
    mail: StudentMailSettings = field(default_factory=StudentMailSettings)
    """The mails that students get; this affects no result."""

    def find_assignment(self, assignment_name: str) -> Assignment | None:
        """Return the assignment of a name; None if there is none."""
        return next((assignment for assignment in self.assignments if assignment.name == assignment_name), None)
