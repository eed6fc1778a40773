"""The example submissions get what ``examples/expected.json`` says, in one batch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import msgspec
import pytest

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch
from autograder.course import Assignment, load_course
from autograder.reports import ScoreReport, read_report_json
from autograder.sandbox import choose_strongest_sandbox
from autograder.submissions import open_submission_entries

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SUBMISSIONS = EXAMPLES / "submissions"
SCHEMA = ROOT / "docs" / "score-report.schema.json"


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    status: str
    score: float
    bonus: float
    lost: list[str]


EXPECTED = msgspec.json.decode((EXAMPLES / "expected.json").read_bytes(), type=dict[str, Expected])

each_example = pytest.mark.parametrize("name", EXPECTED)


@dataclass(frozen=True, slots=True)
class GradedExamples:
    """The examples, graded."""

    folder: Path
    names: list[str]
    summary: BatchSummary

    def report(self, name: str) -> ScoreReport:
        return read_report_json(self.report_file(name))

    def report_file(self, name: str) -> Path:
        return self.folder / "reports" / f"{name}.json"


def autograd_engine() -> Assignment:
    return next(one for one in load_course(ROOT).assignments if one.name == "autograd-engine")


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> GradedExamples:
    folder = tmp_path_factory.mktemp("examples")
    with open_submission_entries(SUBMISSIONS) as entries:
        summary = run_batch(
            BatchConfig(autograd_engine(), choose_strongest_sandbox("process"), BatchLocation(folder)),
            entries,
        )
        return GradedExamples(folder, [entry.name for entry in entries], summary)


def test_something_is_expected_of_every_example_and_of_nothing_else(batch: GradedExamples) -> None:
    assert set(batch.names) == set(EXPECTED)


def test_every_example_has_a_report(batch: GradedExamples) -> None:
    assert batch.summary.failures == []


def test_no_hidden_test_ends_in_a_grader_error(batch: GradedExamples) -> None:
    assert batch.summary.grader_error_count == 0


@each_example
def test_an_example_gets_its_status(batch: GradedExamples, name: str) -> None:
    assert batch.report(name).status.outcome == EXPECTED[name].status


@each_example
def test_an_example_gets_its_score(batch: GradedExamples, name: str) -> None:
    assert batch.report(name).score == pytest.approx(EXPECTED[name].score, abs=0.001)


@each_example
def test_an_example_gets_its_bonus(batch: GradedExamples, name: str) -> None:
    assert batch.report(name).bonus.score == pytest.approx(EXPECTED[name].bonus, abs=0.001)


@each_example
def test_an_example_loses_marks_in_the_expected_concepts_alone(batch: GradedExamples, name: str) -> None:
    concepts = batch.report(name).concepts
    lost = [one.name for one in concepts if not one.bonus and one.score < one.max_score]
    assert lost == EXPECTED[name].lost


@each_example
def test_a_report_keeps_to_the_published_schema(batch: GradedExamples, name: str) -> None:
    report = msgspec.json.decode(batch.report_file(name).read_bytes())
    jsonschema.Draft202012Validator(msgspec.json.decode(SCHEMA.read_bytes())).validate(report)


def test_the_untouched_example_is_the_template_as_it_is_handed_out() -> None:
    template = autograd_engine().template_folder / "value.py"
    assert (SUBMISSIONS / "untouched.py").read_bytes() == template.read_bytes()


def test_the_readme_has_a_row_for_every_example() -> None:
    rows = re.findall(r"^\| `([^`]+?)/?` \|", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(path.name for path in SUBMISSIONS.iterdir() if not path.name.startswith((".", "_")))
