"""``autograder doctor``: say what this machine offers, and what it lacks."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import click
import msgspec
from rich.table import Table
from rich.text import Text

from autograder import __version__
from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.course import Limits
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import CallerFault
from autograder.sandbox import SandboxConfig, TierProbeResult, probe_tiers
from autograder.sandbox.tier_guarantees import describe_possible_leaks

PACKAGES = ("pytest", "pytest-json-report", "nbformat", "msgspec", "PyYAML", "click", "rich", "otter-grader")


@click.command()
@course_option
def command(course: CourseOption) -> None:
    """Say which isolation tier this machine offers and why, with versions and limits."""
    limits, packages, source = _read_limits_and_packages(course)
    offers = probe_tiers(packages)
    print_line("isolation", style="bold")
    print_line(_make_tier_table(offers))
    best_tier = next((offer.tier for offer in offers if offer.sandbox), None)
    warning = ": it stops accidents, not attacks, and needs --allow-unsafe" if best_tier == "process" else ""
    print_line(f"  grading here uses {best_tier}{warning}" if best_tier else "  nothing can be graded here")
    print_line("\nversions", style="bold")
    print_line(_make_version_table())
    print_line("\nlimits of one submission", style="bold")
    for name, value in msgspec.to_builtins(limits).items():
        print_line(f"  {name:20} {value:g}")
    print_line(f"  from {source}")


def _make_tier_table(offers: list[TierProbeResult]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2))
    for offer in offers:
        sign = Text("✓", style="green") if offer.sandbox else Text("✗", style="red")
        reason = "" if offer.sandbox else f"{offer.unavailable_reason}: {offer.advice}"
        table.add_row(sign, Text(offer.tier), Text(reason or _describe_processes(offer.sandbox)))
        for sentence in describe_possible_leaks(offer.sandbox).values() if offer.sandbox else ():
            table.add_row("", "", Text(f"not isolated: {sentence}"))
    return table


def _describe_processes(sandbox: SandboxConfig | None) -> str:
    """Describe the user of a student's process, and whether starting processes is cheap."""
    if sandbox is None:
        return ""
    sentences = ["each submission runs under a user id of its own"] if sandbox.uses_own_uid else []
    if sandbox.uses_fork_server:
        sentences.append("each process is a fork of an interpreter in the sandbox")
    elif sandbox.tier == "namespaces":
        sentences.append(
            "each process starts an interpreter of its own, which is slower, since none can fork into namespaces here"
        )
    return "; ".join(sentences)


def _make_version_table() -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_row("autograder", __version__)
    table.add_row("Python", f"{platform.python_version()} ({sys.executable})")
    table.add_row("system", f"{platform.platform()}, {os.cpu_count()} processors")
    for package in PACKAGES:
        try:
            package_version = version(package)
        except PackageNotFoundError:
            package_version = "not installed" + (
                " (only needed for its own formats)" if package == "otter-grader" else ""
            )
        table.add_row(package, package_version)
    table.add_row("bubblewrap", _find_bubblewrap_version())
    return table


def _find_bubblewrap_version() -> str:
    try:
        return subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "not installed"


def _read_limits_and_packages(course: CourseOption) -> tuple[Limits, tuple[str, ...], str]:
    """Return the limits, the importable packages and their source: from the course, or else the kit's defaults."""
    try:
        loaded_course = course.load()
    except CallerFault:
        if course.course_path is not None:
            raise
        return Limits(), (), "the kit's defaults, since there is no course here"
    assignment = loaded_course.assignments[0]
    return assignment.limits, assignment.packages, str(loaded_course.folder / COURSE_FILE_NAME)
