"""A PostgreSQL server of the tests' own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name)


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server that listens in its own folder alone."""

    folder: str

    @property
    def url(self) -> str:
        return f"postgresql://kit@/postgres?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs; the server refuses to run as root."""
        command = [str(PROGRAMS[-1] / program), "-D", f"{self.folder}/data", *arguments]
        user = "nobody" if os.getuid() == 0 else None
        subprocess.run(command, check=True, cwd=self.folder, timeout=300, stdout=subprocess.DEVNULL, user=user)

    def start(self) -> None:
        options = f"-c listen_addresses='' -k {self.folder} -c fsync=off"
        self.run("pg_ctl", "-w", "-l", f"{self.folder}/log", "-o", options, "start")

    def kill(self) -> None:
        """End it at once, as a kill does: what was at work is lost, and it recovers at the next start."""
        self.run("pg_ctl", "-m", "immediate", "stop")


@contextmanager
def start_postgres() -> Iterator[PostgresServer]:
    """Start a server with an empty database; skip the test where PostgreSQL is not installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with TemporaryDirectory(prefix="kit-postgres-") as place:
        if os.getuid() == 0:
            shutil.chown(place, "nobody")
        server = PostgresServer(place)
        server.run("initdb", "--no-sync", "--auth=trust", "--username=kit", "--encoding=UTF8")
        server.start()
        try:
            yield server
        finally:
            server.kill()
