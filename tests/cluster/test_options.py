"""Where to grade, as the command line and grading.yml say it; a mistake is told in one line."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autograder.cli.batch import make_worker_opener
from autograder.course import Course, load_course
from autograder.course.model import SlurmSettings
from autograder.faults import CallerFault, CourseFault
from autograder.kit_version import advise_to_install_extra
from autograder.workers.local_workers import open_local_workers
from tests.toy import write_toy

SLURM = """\
cluster:
  slurm:
    jobs: 4
    cores: 8
    memory: 16GB
    walltime: "02:00:00"
    queue: teaching
    job_extra_directives: [--qos=short]
"""


@pytest.fixture
def small(tmp_path: Path) -> Course:
    return load_course(write_toy(tmp_path / "course"))


def option_fault(wish: tuple[Any, ...], course: Course, workers: int | None = None) -> str:
    with pytest.raises(CallerFault) as caught:
        make_worker_opener(course, workers, Path("out"), *wish)
    return str(caught.value)


def loaded(tmp_path: Path, text: str) -> Course:
    return load_course(write_toy(tmp_path / "course", text))


def test_without_an_option_a_batch_is_graded_on_this_machine(small: Course) -> None:
    opener = make_worker_opener(small, 2, Path("out"))
    assert isinstance(opener, partial)
    assert opener.func is open_local_workers
    assert len(opener.keywords["worker_starters"]) == 2


@pytest.mark.parametrize(
    ("wish", "workers", "says"),
    [
        (
            ("dask",),
            None,
            "--executor dask: missing option --scheduler (add --scheduler tcp://HOST:PORT)",
        ),
        (("dask", "tcp://head:1"), 4, "--workers: a Dask cluster brings its own workers"),
        (("local", "tcp://head:1"), None, "--scheduler requires --executor dask"),
        (("dask-slurm", "tcp://head:1"), None, "add --executor dask"),
        (("local", None, Path("there")), None, "--worker-course requires workers on a cluster"),
        (("dask-slurm",), None, "missing section cluster.slurm"),
    ],
)
def test_options_that_do_not_go_together_are_told(
    small: Course, wish: tuple[Any, ...], workers: int | None, says: str
) -> None:
    assert says in option_fault(wish, small, workers)


@pytest.mark.parametrize(
    ("wish", "module", "extra"),
    [
        (("dask", "tcp://head:1"), "distributed", "dask"),
        (("dask-slurm",), "dask_jobqueue", "slurm"),
    ],
)
def test_without_the_packages_it_needs_the_extra_is_named(
    small: Course, monkeypatch: pytest.MonkeyPatch, wish: tuple[Any, ...], module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    asked = SlurmSettings(jobs=1, cores=1, memory="1GB", walltime="00:10:00")
    line = option_fault(wish, replace(small, slurm_settings=asked))
    assert f"{module} is not installed ({advise_to_install_extra(extra)})" in line


def test_a_course_says_what_to_ask_slurm_for(tmp_path: Path) -> None:
    slurm = loaded(tmp_path, SLURM).slurm_settings
    assert slurm == SlurmSettings(
        jobs=4,
        cores=8,
        memory="16GB",
        walltime="02:00:00",
        queue="teaching",
        job_extra_directives=("--qos=short",),
    )


def test_where_it_is_graded_is_no_part_of_an_assignments_version(tmp_path: Path) -> None:
    assert loaded(tmp_path, SLURM).assignments[0].version == loaded(tmp_path, "").assignments[0].version


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("jobs: 4", "jobs: 0"), "cluster.slurm.jobs"),
        (("jobs: 4", "job: 4"), "cluster.slurm.job: unknown key 'job'"),
        (("cores: 8", "cores: many"), "cluster.slurm.cores: 'cores' must be a whole number, not 'many'"),
        (('walltime: "02:00:00"', "walltime: 2:00:00"), "cluster.slurm.walltime: 'walltime' must be a text"),
        (("slurm:", "pbs:"), "cluster.pbs: unknown key 'pbs' (choose from slurm)"),
    ],
)
def test_a_mistake_in_it_is_told_with_its_line_and_key(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    with pytest.raises(CourseFault) as caught:
        loaded(tmp_path, SLURM.replace(*change))
    assert "grading.yml:" in caught.value.where
    assert says in str(caught.value)
