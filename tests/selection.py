"""Which test files are begun first, and which tests ``make quick`` tries."""

from __future__ import annotations

from collections import Counter

import pytest

LONG = (
    "redteam/test_afterwards.py",
    "store/test_regrade.py",
    "redteam/test_forge.py",
    "platforms/test_moodle_times.py",
    "template/test_set_orders.py",
    "cli/test_cli.py",
    "redteam/test_fuzz_protocol.py",
    "sandbox/test_users.py",
    "grading/test_both_ways.py",
    "redteam/test_stall_in_namespaces.py",
    "batch/test_batch.py",
    "redteam/test_leak.py",
    "redteam/test_forge_controls.py",
    "grading/test_prefetching.py",
    "benchmarks/test_class_bench.py",
    "gate/test_sort_suite.py",
    "batch/test_run_again.py",
    "cli/test_files_of_commands.py",
    "bridge/test_endless_code.py",
    "cluster/test_dask.py",
    "grading/test_stored.py",
    "grading/test_same_report.py",
    "grading/test_other_names.py",
    "template/test_notebooks.py",
    "cli/test_grade_command.py",
    "diagnosis/test_search.py",
    "redteam/test_opening.py",
    "bridge/test_stalls.py",
    "store/test_views.py",
    "store/test_other_kits.py",
    "sandbox/test_packages.py",
    "test_examples.py",
    "bridge/test_limits.py",
    "cli/test_author_commands.py",
    "redteam/test_fuzz_archives.py",
    "benchmarks/test_benchmarks.py",
    "redteam/test_container.py",
    "template/test_public_suite.py",
    "gate/test_vacuous.py",
    "platforms/test_canvas_upload.py",
    "cli/test_gradescope_run.py",
    "reports/test_report.py",
    "template/test_plain_words.py",
    "store/test_provisional.py",
    "gate/test_mutants.py",
    "gate/test_comparison.py",
    "redteam/test_stall_controls.py",
    "diagnosis/test_caches.py",
    "redteam/test_fuzz_notebooks.py",
    "docs/test_pages.py",
    "sandbox/test_library.py",
    "batch/test_memory.py",
    "diagnosis/test_diagnose.py",
    "cli/test_who_handed_in.py",
    "cli/test_foreign_platforms.py",
    "cli/test_upload_command.py",
    "benchmarks/test_made_class.py",
    "batch/test_delay.py",
    "batch/test_process.py",
    "cli/test_export_command.py",
    "cli/test_batch_command.py",
    "cli/test_exports_again.py",
    "cli/test_canvas_round_trip.py",
    "cli/test_careless_use.py",
    "cli/test_attacks_on_a_class.py",
    "store/test_commands.py",
    "platforms/test_moodle_round_trip.py",
    "platforms/test_gradescope_export.py",
    "platforms/test_gradescope_results.py",
    "platforms/test_hostile_names.py",
    "platforms/test_prairielearn.py",
    "grading/test_sentences.py",
    "batch/test_wrong_submissions.py",
    "bridge/test_time_budget.py",
    "content/test_engine_suite.py",
    "redteam/test_bombs.py",
)
"""Files that take seconds, the longest first: what is begun last should be short, so that no processor waits."""

REAL = (
    "bridge/test_limits.py::test_computing_without_an_end_uses_up_the_cpu_time",
    "redteam/test_forge.py::",
    "template/test_notebooks.py::test_a_notebook_runs_from_top_to_bottom",
)
"""One of each kind of real thing among those files: ``make quick`` tries these too."""


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Items by file: those that take long first, then those with many tests; as they were within a file."""
    files = [file_of(item.nodeid) for item in items]
    place = {name: number for number, name in enumerate(LONG)}
    many = Counter(files)
    return sorted(
        items,
        key=lambda item: (
            place.get(file_of(item.nodeid), len(LONG)),
            -many[file_of(item.nodeid)],
            file_of(item.nodeid),
        ),
    )


def is_quick(node: str, seen: set[str]) -> bool:
    """Whether ``make quick`` tries a test: the first case of each, and PostgreSQL's, but of files that take long.

    Args:
        node: the id of the test.
        seen: tests of which there was a case already; this one is added.
    """
    test = node.removeprefix("tests/").partition("[")[0]
    if file_of(node) in LONG and not test.startswith(REAL):
        return False
    kind = f"{test}[postgresql]" if "postgresql" in node else test
    first = kind not in seen
    seen.add(kind)
    return first


def file_of(node: str) -> str:
    """The name of a test's file, below ``tests``."""
    return node.partition("::")[0].removeprefix("tests/")
