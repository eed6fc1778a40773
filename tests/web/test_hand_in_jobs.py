"""A `git push` hands in by the jobs of the template: they are well-formed, and their commands reach a real server."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograder.course import Assignment, load_course
from autograder.course.model import ServerSettings
from autograder.template.hand_in_jobs import GITHUB, GITLAB, render_hand_in_jobs
from tests.cli.commands import AUTOGRADER
from tests.toy import RIGHT
from tests.web.conftest import make_site
from tests.web.real_server import served
from tests.web.test_submit import make_token

KIT = "git+https://git.uni.example/kit.git"


def toy(root: Path, address: str = "https://grader.uni.example", kit: str = KIT) -> Assignment:
    assignment = load_course(root / "course").assignments[0]
    return replace(assignment, server=ServerSettings(address=address, kit=kit))


def read_jobs(assignment: Assignment) -> dict[str, tuple[dict[str, str], list[str]]]:
    """The variables and the commands of each file's job."""
    texts = render_hand_in_jobs(assignment)
    github, gitlab = yaml.safe_load(texts[GITHUB]), yaml.safe_load(texts[GITLAB])
    job = github["jobs"]["hand-in"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    return {
        GITHUB: (job["env"], commands),
        GITLAB: (gitlab["hand in"]["variables"], gitlab["hand in"]["script"]),
    }


def test_a_job_for_github_has_the_form_of_a_workflow(root: Path) -> None:
    workflow = yaml.safe_load(render_hand_in_jobs(toy(root))[GITHUB])
    assert {*workflow} == {"name", True, "permissions", "concurrency", "jobs"}  # YAML reads `on` as true
    assert workflow[True] == {"push": {"paths": ["value.py", "value.ipynb"]}}
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert {*job} == {"runs-on", "env", "steps"}
    assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    assert job["env"]["AUTOGRADER_TOKEN"] == "${{ secrets.AUTOGRADER_TOKEN }}"
    assert all(isinstance(value, str) for value in job["env"].values())


def test_a_job_for_gitlab_has_the_form_of_a_pipeline(root: Path) -> None:
    (job,) = yaml.safe_load(render_hand_in_jobs(toy(root))[GITLAB]).values()
    assert {*job} == {"image", "rules", "resource_group", "variables", "script"}
    assert job["rules"] == [{"if": "$CI_COMMIT_BRANCH", "changes": ["value.py", "value.ipynb"]}]
    assert job["variables"] == {"FILE": "value.py", "AUTOGRADER_URL": "https://grader.uni.example"}
    assert all(isinstance(command, str) for command in job["script"])


def test_without_an_address_the_repository_says_it(root: Path) -> None:
    jobs = read_jobs(toy(root, address="", kit=""))
    assert jobs[GITHUB][0]["AUTOGRADER_URL"] == "${{ vars.AUTOGRADER_URL }}"
    assert "AUTOGRADER_URL" not in jobs[GITLAB][0]


@pytest.mark.parametrize("kit", [KIT, ""], ids=["submit", "curl"])
def test_the_commands_of_a_job_hand_in(root: Path, free_port: int, tmp_path: Path, kit: str) -> None:
    site = make_site(root, port=free_port)
    token = make_token(site, "bob")
    pip = tmp_path / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/installed\n')
    pip.chmod(0o755)
    checkout = tmp_path / "repository"
    checkout.mkdir()
    said: dict[str, Any] = {}
    with served(site):
        for place, (variables, commands) in read_jobs(toy(root, site.settings.course_url, kit)).items():
            (checkout / "value.py").write_text(f"{RIGHT}# by {place}")
            path = f"{pip.parent}:{Path(AUTOGRADER).parent}:{os.environ['PATH']}"
            environment = {**os.environ, **variables, "AUTOGRADER_TOKEN": token, "PATH": path}
            said[place] = [
                subprocess.run(
                    ["bash", "-e", "-c", command],
                    cwd=checkout, env=environment, capture_output=True, text=True, timeout=120, check=True,
                ).stdout
                for command in commands
            ]  # fmt: skip
    handed_in = [one for one in site.hand_ins() if one.submission in ("bob-2", "bob-3")]
    assert len(handed_in) == 2
    assert all((one.sha256 in texts[0]) for one, texts in zip(handed_in, said.values(), strict=True))
    if kit:
        assert (tmp_path / "installed").read_text() == f"install --quiet {KIT}\n" * 2
        assert all("10 / 10" in texts[0] for texts in said.values())
