"""Write the jobs with which a student's ``git push`` hands in, for GitHub Actions and for GitLab CI."""

from __future__ import annotations

import json
import shlex
from textwrap import indent

from autograder.course import Assignment

GITHUB, GITLAB = ".github/workflows/hand-in.yml", ".gitlab-ci.yml"
JOB_FILES = (GITHUB, GITLAB)
"""Their paths in the template, which is the root of a student's repository."""
BY_CURL = """\
curl --fail-with-body --silent --show-error -H "Authorization: Bearer $AUTOGRADER_TOKEN" --data-binary "@$FILE" \\
  "$AUTOGRADER_URL/api/assignments/{name}/hand-ins?file=$FILE"
"""
ABOUT = """\
# Hands in {file} at each push that changes it, and shows {shows}.
# Once: make a token on the page of your account in the course, and keep it as {secret}{address}.
"""
GITHUB_JOB = """\
name: hand in
on:
  push:
    paths: [value.py, value.ipynb]
permissions:
  contents: read
concurrency: hand-in
jobs:
  hand-in:
    runs-on: ubuntu-latest
    env:
      FILE: {file}
      AUTOGRADER_URL: {url}
      AUTOGRADER_TOKEN: ${{{{ secrets.AUTOGRADER_TOKEN }}}}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: |
{commands}"""
GITLAB_JOB = """\
hand in:
  image: python:3.12
  rules:
    - if: $CI_COMMIT_BRANCH
      changes: [value.py, value.ipynb]
  resource_group: hand-in
  variables:
    FILE: {file}
{url}  script:
    - |
{commands}"""


def render_hand_in_jobs(assignment: Assignment) -> dict[str, str]:
    """Return the text of both files, by their paths.

    The job runs ``autograder submit`` where the course says what to install, and asks the server by curl elsewhere.
    """
    server = assignment.server
    name = shlex.quote(assignment.name)
    submit = f'pip install --quiet {shlex.quote(server.kit)}\nautograder submit {name} "$FILE"\n'
    commands = submit if server.kit else BY_CURL.format(name=assignment.name)
    shows = "the result" if server.kit else "its receipt; the result is on the page"
    file = "value.py  # or value.ipynb" if assignment.notebook_script_path.exists() else "value.py"
    url = json.dumps(server.address)

    def about(secret: str, variable: str) -> str:
        address = "" if server.address else f",\n# and the course's address as {variable}"
        return ABOUT.format(file="value.py (FILE below)", shows=shows, secret=secret, address=address)

    github = GITHUB_JOB.format(
        file=file, url=url if server.address else "${{ vars.AUTOGRADER_URL }}", commands=indent(commands, " " * 10)
    )
    gitlab = GITLAB_JOB.format(
        file=file,
        url=f"    AUTOGRADER_URL: {url}\n" if server.address else "",
        commands=indent(commands, " " * 6),
    )
    return {
        GITHUB: about(
            "the repository's\n# secret AUTOGRADER_TOKEN (Settings, Secrets and variables, Actions)",
            "the variable AUTOGRADER_URL there",
        ) + github,
        GITLAB: about(
            "the masked\n# variable AUTOGRADER_TOKEN (Settings, CI/CD, Variables)", "AUTOGRADER_URL there"
        ) + gitlab,
    }  # fmt: skip
