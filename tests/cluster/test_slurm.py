"""Graded in the jobs of a Slurm: a real one, of a single machine, where Debian's is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.local_workers import open_local_workers
from tests.cluster.conftest import LIMITS
from tests.cluster.test_dask import AUTOGRADER, reports
from tests.toy import load_toy

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "sinfo")
MISSING = [name for name in PROGRAMS if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")]

pytest.importorskip("dask_jobqueue", reason="the extra slurm is not installed")
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(bool(MISSING), reason=f"Slurm is not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's daemons want root"),
]

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=here NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=teaching Nodes=here Default=YES MaxTime=INFINITE State=UP
"""
CLUSTER = """\
cluster:
  slurm: {jobs: 2, cores: 1, memory: 500MB, walltime: "00:05:00", queue: teaching}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The configuration of a Slurm that runs on this machine."""
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    configuration = folder / "slurm.conf"
    host = socket.gethostname().partition(".")[0]
    configuration.write_text(CONFIGURATION.format(host=host, folder=folder, ports=(free_port(), free_port())))
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    places = {name: folder / f"munge.{name}" for name in ("socket", "log", "seed", "pid")}
    munged = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={places['socket']}"]
    munged += [f"--{name}-file={places[name]}" for name in ("log", "seed", "pid")]
    commands: list[list[str | Path]] = [
        [*munged],
        ["slurmctld", "-D", "-f", configuration],
        ["slurmd", "-D", "-N", "here", "-f", configuration],
    ]
    daemons = []
    with (folder / "daemons.log").open("wb") as log:
        for command in commands:
            environment = {**os.environ, "PATH": path, "SLURM_CONF": str(configuration)}
            daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            while not places["socket"].exists() and daemons[-1].poll() is None:
                time.sleep(0.02)
    try:
        for _ in range(100):
            shown = subprocess.run(
                ["sinfo", "-h", "-o", "%t"],
                env={**os.environ, "SLURM_CONF": str(configuration)},
                capture_output=True,
                check=False,
            )
            if shown.stdout.strip() == b"idle":
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"Slurm does not come up: {(folder / 'daemons.log').read_text()[-2000:]}")
        yield configuration
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()


def test_jobs_of_a_slurm_give_the_same_reports_and_leave_nothing_behind(
    slurm: Path, sandbox: SandboxConfig, students: Path, tmp_path: Path
) -> None:
    toy = load_toy(tmp_path / "course", f"    limits: {LIMITS}\n{CLUSTER}")
    command: list[str | Path] = [AUTOGRADER, "batch", "toy", students, "--course", toy.course_folder]
    command += ["--out", tmp_path / "out", "--executor", "dask-slurm", "--tier", sandbox.tier]
    command += ["--allow-unsafe", "--no-explain"]
    environment = {**os.environ, "SLURM_CONF": str(slurm)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    with open_submission_entries(students) as entries:
        run_batch(
            BatchConfig(toy, sandbox, BatchLocation(tmp_path / "here"), partial(open_local_workers, worker_count=1)),
            entries,
        )
    assert reports(tmp_path / "out") == reports(tmp_path / "here")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        path.name for path in (tmp_path / "here").iterdir()
    }
    jobs = subprocess.run(["squeue", "-h", "-t", "PD,R"], env=environment, capture_output=True, check=True)
    assert jobs.stdout == b""


def test_what_slurm_refuses_is_told_in_a_line(slurm: Path, students: Path, tmp_path: Path) -> None:
    wrong = CLUSTER.replace("teaching", "nowhere")
    load_toy(tmp_path / "course", wrong)
    command: list[str | Path] = [AUTOGRADER, "batch", "toy", students, "--course", tmp_path / "course"]
    done = subprocess.run(
        [*command, "--out", tmp_path / "out", "--executor", "dask-slurm"],
        env={**os.environ, "SLURM_CONF": str(slurm)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert "cluster.slurm: Slurm rejects the job" in done.stderr
    assert "invalid partition" in done.stderr.lower()
    assert "Traceback" not in done.stderr
