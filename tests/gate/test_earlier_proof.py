"""What ``autograder check`` remembers: any change of what decides a proof makes it another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autograder.author_checks.report_card import (
    cache_passed_check,
    find_passed_check,
    try_compute_check_cache_key,
)
from autograder.course import Assignment, load_course
from autograder.sandbox import SandboxConfig
from tests.toy import write_toy


def toy(folder: Path) -> Assignment:
    return load_course(write_toy(folder)).assignments[0]


def test_a_proof_is_found_until_a_file_changes(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course = toy(tmp_path)
    key = try_compute_check_cache_key(course, sandbox, "whole")
    assert key is not None
    assert find_passed_check(key) is None
    cache_passed_check(key, 3)
    found = find_passed_check(key)
    assert found is not None
    assert found.claim_count == 3
    course.solution_file.write_text(course.solution_file.read_text() + "# changed\n")
    assert try_compute_check_cache_key(course, sandbox, "whole") != key


def test_another_extent_tier_or_setting_is_another_proof(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course = toy(tmp_path)
    keys = {
        try_compute_check_cache_key(course, sandbox, "whole"),
        try_compute_check_cache_key(course, sandbox, "quick"),
        try_compute_check_cache_key(replace(course, packages=("numpy",)), sandbox, "whole"),
    }
    assert len(keys) == 3
