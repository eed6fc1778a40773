"""Autolab: the last line is the score, the one before a stage for each concept, and no student's line is either."""

from __future__ import annotations

import json

from autograder.platforms.single_report_writers import encode_autolab_files
from tests.platforms.forged import given
from tests.reports.sample import a_report


def test_the_last_line_is_the_score_of_one_problem() -> None:
    lines = encode_autolab_files(a_report(), given())["stdout"].decode().rstrip("\n").split("\n")
    assert json.loads(lines[-1]) == {"scores": {"autograded": 6.0}, "scoreboard": [6.0]}


def test_the_problem_is_called_as_it_is_there_and_has_its_points() -> None:
    last = (
        encode_autolab_files(a_report(), given({"problem": "Autograd"}, max_points=60.0))["stdout"]
        .decode()
        .splitlines()[-1]
    )
    assert json.loads(last)["scores"] == {"Autograd": 18.0}


def test_the_line_before_has_a_stage_for_each_concept() -> None:
    stages = json.loads(encode_autolab_files(a_report(), given())["stdout"].decode().splitlines()[-2])
    assert stages["_presentation"] == "semantic"
    assert stages["stages"] == ["accumulation", "tanh", "robustness"]
    assert stages["accumulation"]["accumulation.first"] == {"passed": True}
    second = stages["accumulation"]["accumulation.second"]
    assert second["passed"] is False
    assert second["hint"] == (
        "It holds that second, as in `a + a`.\nfailed: a.grad is 1.0 zebra\n"
        "try: Fix this first: Gradients are assigned with `=`. How often is a paid?"
    )
