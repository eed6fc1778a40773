"""Equal bytes give equal reports, whatever the load, the hash seed, the file's name and what ran before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from tests.conftest import ROOT
from tests.grading.programs import programs

Reports = Mapping[str, dict[str, Any]]


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Beside so many processes that never rest."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def batch_reports(
    sources: Mapping[str, str],
    out: Path,
    seed: int,
    prefix: str = "",
    workers: int = 2,
    started_by: Sequence[str] = (),
) -> Reports:
    """The reports of a batch by the programs' names, without what may differ: times and who handed in."""
    handed_in = out / "handed-in"
    handed_in.mkdir(parents=True)
    for name, source in sources.items():
        (handed_in / f"{prefix}{name}.py").write_text(source, encoding="utf-8")
    command = [
        *started_by,
        sys.executable,
        "-m",
        "autograder",
        "batch",
        "autograd-engine",
        str(handed_in),
        "--no-explain",
        "--out",
        str(out / "out"),
    ]
    subprocess.run(
        [*command, "--allow-unsafe", "--course", str(ROOT), "--workers", str(workers)],
        check=True, capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )  # fmt: skip
    return {name: _plain(out / "out" / "reports" / f"{prefix}{name}.json", prefix + name) for name in sources}


def _plain(path: Path, name: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8").replace(name, "NAME"))
    for part in ("timing", "submission"):
        del report[part]
    return report


@pytest.mark.thorough
def test_forty_programs_have_equal_reports_every_time(engine: Assignment, tmp_path: Path) -> None:
    chosen = programs(engine, wrong=27)
    first = batch_reports(chosen, tmp_path / "first", seed=1)
    for run in range(2):
        assert batch_reports(chosen, tmp_path / f"quiet{run}", seed=10 + run, prefix=f"q{run}_") == first
        with busy(8):
            again = batch_reports(
                dict(reversed(chosen.items())), tmp_path / f"busy{run}", seed=20 + run, prefix=f"b{run}_"
            )
        assert again == first
    for name in [*chosen][::8]:
        alone = batch_reports({name: chosen[name]}, tmp_path / f"alone-{name}", seed=30)
        assert alone[name] == first[name]


LOADS: Mapping[str, tuple[int, Sequence[str]]] = {
    "beside 8 that never rest": (8, ()),
    "beside 20 that never rest": (20, ()),
    "held to a third": (0, (sys.executable, "-m", "tests.grading.held")),
    "behind all others": (2, ("nice", "-n", "19")),
}
IMPORTS = "import asyncio, contextlib, contextvars, dataclasses, decimal, os\n"


@pytest.fixture(scope="module")
def on_a_quiet_machine(
    engine: Assignment, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, str], Reports]:
    """Programs, and their reports where nothing else runs."""
    chosen = programs(engine, wrong=8) | {
        path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "examples" / "submissions").glob("*.py")
    }
    solution = engine.solution_file.read_text(encoding="utf-8")
    chosen["imports"] = IMPORTS + solution + "\nasyncio.run(asyncio.sleep(0))\n"
    return chosen, batch_reports(chosen, tmp_path_factory.mktemp("quiet") / "first", seed=1)


@pytest.mark.thorough
@pytest.mark.parametrize(("others", "started_by"), LOADS.values(), ids=LOADS)
def test_a_machine_without_time_gives_the_same_reports(
    on_a_quiet_machine: tuple[dict[str, str], Reports], tmp_path: Path, others: int, started_by: Sequence[str]
) -> None:
    chosen, quiet = on_a_quiet_machine
    with busy(others):
        assert batch_reports(chosen, tmp_path / "out", seed=2, started_by=started_by) == quiet
