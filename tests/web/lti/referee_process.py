"""Start the platform side of Open edX, in its own environment and process; skip what needs it where it is missing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.web.store.lti.platforms import LtiPlatform

ROOT = Path(__file__).parents[3]
PYTHON = Path(os.environ.get("KIT_LTI_REFEREE") or ROOT / ".venv-lti" / "bin" / "python")
PROGRAM = Path(__file__).parent / "referee" / "openedx_platform.py"
COURSE = "course-v1:MG+101+2026"
"""What the referee calls its course."""


@dataclass(frozen=True, slots=True)
class Referee:
    """A platform that somebody else wrote."""

    url: str

    def start_url(self, user: int, role: str = "student", assignment: str = "toy", **more: str) -> str:
        """Return the link that a member of the course follows."""
        fields = {"user": str(user), "role": role, "assignment": assignment, **more}
        return f"{self.url}/start?" + "&".join(f"{name}={value}" for name, value in fields.items())

    def show(self, path: str = "show") -> dict[str, Any]:
        """Return what the platform holds."""
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=300) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    @property
    def platform(self) -> LtiPlatform:
        """What a tool is told when it is set up."""
        told = self.show()
        urls = (told["login_url"], told["token_url"], told["keys_url"])
        deployments = (told["deployment"],)
        return LtiPlatform(
            "edx", told["issuer"], told["client_id"], *urls, deployments, "openedx", allow_private=True
        )


@contextmanager
def start_referee(tool_url: str, folder: Path) -> Iterator[Referee]:
    """Start it for a tool at an address, with its database in a folder."""
    if not PYTHON.exists():
        pytest.skip("Open edX's platform side is not installed here: `make .venv-lti/ready`")
    port = find_free_port()
    command = [str(PYTHON), str(PROGRAM), str(port), tool_url, str(folder / "referee.sqlite")]
    with (
        (folder / "referee.log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env={**os.environ, "PYTHONPATH": ""}) as server,
    ):
        try:
            assert server.stdout
            assert b"ready" in server.stdout.readline(), (folder / "referee.log").read_text()[-3000:]
            yield Referee(f"http://127.0.0.1:{port}")
        finally:
            server.terminate()
            server.wait(300)


def find_free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
