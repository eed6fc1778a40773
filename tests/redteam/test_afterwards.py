"""A class of attackers, with a few who are honest: these get what is due, and nothing of the attackers stays."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch
from autograder.course import Assignment
from autograder.reports import ScoreReport, read_report_json
from autograder.reports.report_model import Timing
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.local_workers import open_local_workers
from tests.redteam.attack import Attack, all_attacks
from tests.redteam.courses import A_FEW, part_of
from tests.redteam.honest import RECURSIVE, WEAK, placed
from tests.redteam.processes import adopt_orphans, below, left_over

LIMITS = "{cpu_seconds: 0.15, wall_seconds: 0.45, import_seconds: 0.3, submission_seconds: 0.8, memory_mb: 256}"
HONEST = 4
pytestmark = pytest.mark.redteam
WORKERS = 2
EVERY = 5
"""A fifth of the attacks is a class; each alone is in the other files."""


@dataclass(frozen=True, slots=True)
class Afterwards:
    """What there was before, what there is now, and what was written."""

    attacks: dict[str, Attack]
    reports: dict[str, ScoreReport]
    alone: dict[str, ScoreReport]
    summary: BatchSummary
    new_files: set[str]
    new_processes: set[int]
    folder_changed: bool


def run_batch_and_read_reports(
    folder: Path, out: Path, part: Assignment, sandbox: SandboxConfig
) -> tuple[dict[str, ScoreReport], BatchSummary]:
    with open_submission_entries(folder) as entries:
        summary = run_batch(
            BatchConfig(part, sandbox, BatchLocation(out), partial(open_local_workers, worker_count=WORKERS)),
            entries,
        )
    reports = [read_report_json(path) for path in (out / "reports").iterdir()]
    return {report.submission.id: replace(report, timing=NO_TIME) for report in reports}, summary


NO_TIME = Timing(graded_at="", seconds={}, tests={}, processes=0)


def in_temporary_folders() -> set[str]:
    """What lies in the folder for temporary files and in the current one, but for what this test run makes."""
    return {
        os.path.join(folder, name)
        for folder in (tempfile.gettempdir(), os.getcwd())
        for name in os.listdir(folder)
        if not name.startswith(("pytest-", "pymp-"))
    }


@pytest.fixture(scope="module")
def afterwards(
    engine: Assignment,
    sandbox: SandboxConfig,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Afterwards]:
    root = tmp_path_factory.mktemp("class")
    chosen = [attack for attack in all_attacks() if sandbox.tier in attack.tiers][::EVERY]
    attacks = {f"{attack.goal}-{attack.slug}": attack for attack in chosen}
    part = part_of(engine, tmp_path_factory.mktemp("course"), LIMITS, A_FEW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
        patch.chdir(tmp_path_factory.mktemp("here"))
        patch.setattr(tempfile, "tempdir", None)
        students, honest = root / "students", root / "honest"
        for folder in (students, honest):
            folder.mkdir()
        hidden = str(part.hidden_suite_folder)
        for name, attack in attacks.items():
            text = placed(attack.program, hidden=hidden, parent=os.getpid(), neighbour=str(students / "honest-0.py"))
            (students / f"{name}.py").write_text(text, encoding="utf-8", errors="surrogatepass")
        for number in range(HONEST):
            # between the attacks by name, and so by order
            name = f"{('a', 'forge-n', 'leak-n', 'stall-n')[number]}-honest-{number}.py"
            for folder in (students, honest):
                (folder / name).write_text(RECURSIVE if number % 2 else WEAK)
        alone, _ = run_batch_and_read_reports(honest, root / "alone", part, sandbox)
        adopt_orphans()
        before, others = in_temporary_folders(), below(os.getpid())
        state = {path: path.stat().st_mtime_ns for path in students.iterdir()}
        reports, summary = run_batch_and_read_reports(students, root / "out", part, sandbox)
        yield Afterwards(
            attacks,
            reports,
            alone,
            summary,
            in_temporary_folders() - before,
            left_over(others),
            state != {path: path.stat().st_mtime_ns for path in students.iterdir()},
        )


def test_everyone_has_a_report(afterwards: Afterwards) -> None:
    assert set(afterwards.reports) == set(afterwards.attacks) | set(afterwards.alone)
    assert afterwards.summary.failures == []


def test_no_test_counts_as_the_graders_error(afterwards: Afterwards) -> None:
    assert afterwards.summary.grader_error_count == 0


@pytest.mark.parametrize("number", range(HONEST))
def test_who_is_honest_gets_what_is_due(afterwards: Afterwards, number: int) -> None:
    name = next(name for name in afterwards.alone if name.endswith(f"honest-{number}"))
    assert afterwards.reports[name] == afterwards.alone[name]


def test_no_attack_gets_more_than_the_engine_it_is_built_on(afterwards: Afterwards) -> None:
    weak = next(report for name, report in afterwards.alone.items() if name.endswith("honest-0"))
    better = {
        name: report.score + report.bonus.score
        for name, report in afterwards.reports.items()
        if name in afterwards.attacks and report.score + report.bonus.score > weak.score + weak.bonus.score
    }
    assert better == {}


def test_no_process_is_left(afterwards: Afterwards) -> None:
    assert afterwards.new_processes == set()


def test_no_file_is_left(afterwards: Afterwards) -> None:
    assert afterwards.new_files == set()
    assert not afterwards.folder_changed
