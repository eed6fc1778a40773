"""A batch takes no more memory for a large class than for a small one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.batch.classes import MB, notebook


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.thorough
def test_memory_does_not_grow_with_the_batch(root: Path, tmp_path: Path) -> None:
    size = 4 * MB
    original = tmp_path / "original.ipynb"
    original.write_text(notebook("x = 1", output="x" * size), encoding="utf-8")
    script = """if True:
        import resource, sys
        from pathlib import Path
        from functools import partial
        from autograder.batch import BatchConfig, BatchLocation, run_batch
        from autograder.workers.local_workers import open_local_workers
        from autograder.course import load_course
        from autograder.sandbox import choose_strongest_sandbox
        from autograder.submissions import open_submission_entries

        root, source, out = map(Path, sys.argv[1:])
        assignment = load_course(root).assignments[0]
        with open_submission_entries(source) as entries:
            workers = partial(open_local_workers, worker_count=1)
            sandbox = choose_strongest_sandbox("process")
            request = BatchConfig(assignment, sandbox, BatchLocation(out), workers)
            summary = run_batch(request, entries)
        assert summary.status_counts == {"nothing-defined": len(entries)}
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        print(status["VmHWM"].split()[0], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

    def peaks(count: int) -> list[int]:
        """Kilobytes of the parent and of its largest worker."""
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            os.link(original, folder / f"{number}.ipynb")
        command = [sys.executable, "-c", script, str(root), str(folder), str(tmp_path / f"out{count}")]
        return [int(word) for word in subprocess.check_output(command, timeout=300).split()]

    few, many = peaks(6), peaks(30)
    kept = [(after - before) * 1024 for before, after in zip(few, many, strict=True)]
    assert max(kept) < 24 * size / 2
