"""Which test files are begun first, and which tests ``make quick`` tries."""

from __future__ import annotations

from collections import Counter

import pytest

LONG = (
    "lti/test_mark_sender.py",
    "web/test_lti_attacks.py",
    "cli/test_author_commands.py",
    "store/test_regrade.py",
    "web/test_people_commands.py",
    "web/test_permissions.py",
    "web/test_lms_pages.py",
    "web/test_lti_launch.py",
    "redteam/test_container.py",
    "cli/test_order_of_settings.py",
    "web/test_server.py",
    "web/test_regrades.py",
    "redteam/test_forge.py",
    "web/test_inquiries.py",
    "template/test_public_suite.py",
    "starter/test_new.py",
    "bridge/test_limits.py",
    "redteam/test_fuzz_protocol.py",
    "reports/test_report.py",
    "store/test_migrations.py",
    "batch/test_process.py",
    "cli/test_grade_command.py",
    "class_reports/test_staff_pages_in_browser.py",
    "redteam/test_opening.py",
    "template/test_notebooks.py",
    "platforms/test_canvas_upload.py",
    "template/test_set_orders.py",
    "web/test_import.py",
    "grading/test_both_ways.py",
    "web/test_anonymous_grading.py",
    "sandbox/test_packages.py",
    "web/test_mail.py",
    "platforms/test_moodle_times.py",
    "bridge/test_stalls.py",
    "web/test_hand_in.py",
    "platforms/test_hostile_names.py",
    "diagnosis/test_search.py",
    "redteam/test_fuzz_archives.py",
    "grading/test_suite.py",
    "grading/test_same_report.py",
    "diagnosis/test_diagnose.py",
    "reports/test_page_in_browser.py",
    "cli/test_files_of_commands.py",
    "cli/test_gradescope_run.py",
    "benchmarks/test_benchmarks.py",
    "cluster/test_dask.py",
    "bridge/test_endless_code.py",
    "gate/test_vacuous.py",
    "redteam/test_afterwards.py",
    "redteam/test_stall_in_namespaces.py",
    "redteam/test_stall_controls.py",
    "cli/test_cli.py",
    "diagnosis/test_caches.py",
    "store/test_provisional.py",
    "grading/test_grading_given_code.py",
    "template/test_plain_words.py",
    "gate/test_file_checks.py",
    "starter/test_init.py",
    "redteam/test_forge_controls.py",
    "sandbox/test_guard.py",
    "cli/test_who_handed_in.py",
    "test_examples.py",
    "store/test_views.py",
    "web/test_mark_sync.py",
    "gate/test_comparison.py",
    "batch/test_wrong_submissions.py",
    "grading/test_prefetching.py",
    "gate/test_unlisted_concepts.py",
    "store/test_commands.py",
    "batch/test_memory.py",
    "web/test_lms_mark_pages.py",
    "cli/test_upload_command.py",
    "store/test_people.py",
    "gate/test_sort_suite.py",
    "benchmarks/test_class_bench.py",
    "cli/test_lti_command.py",
    "starter/test_wheel.py",
    "web/test_staff_pages.py",
    "benchmarks/test_made_class.py",
    "store/test_web_tables.py",
    "gate/test_mutants.py",
    "web/test_export.py",
    "platforms/test_moodle_dates.py",
    "store/test_other_kits.py",
    "cli/test_batch_command.py",
    "cli/test_decide_command.py",
    "cli/test_batch_places.py",
    "grading/test_stored.py",
    "cli/test_export_command.py",
    "batch/test_batch.py",
    "reports/test_terminal.py",
    "platforms/test_moodle_round_trip.py",
    "class_reports/test_overview.py",
    "batch/test_run_again.py",
    "redteam/test_leak.py",
    "cli/test_exports_again.py",
    "store/test_results.py",
    "store/test_lti_tables.py",
    "grading/test_other_names.py",
    "batch/test_delay.py",
    "bridge/test_time_budget.py",
    "grading/test_sentences.py",
    "store/test_mark_outbox.py",
    "store/test_kept_decisions.py",
    "redteam/test_bombs.py",
    "class_reports/test_similar.py",
    "store/test_students_pages.py",
    "batch/test_odd_names.py",
    "web/test_publishing.py",
    "diagnosis/test_own_class.py",
    "gate/test_marks_page.py",
    "web/test_in_a_browser.py",
    "web/test_several_courses.py",
    "web/test_lti_in_a_browser.py",
    "diagnosis/test_kept_process.py",
    "store/test_lost_workers.py",
    "web/test_lms_deadlines.py",
    "grading/test_plugin_elsewhere.py",
    "web/test_kills.py",
    "web/test_lti_audit.py",
    "starter/test_secrets_of_a_wheel.py",
    "cli/test_class_commands.py",
    "docs/test_pages.py",
    "cli/test_platform_trips.py",
    "gate/test_claims.py",
    "platforms/test_moodle_modes.py",
    "sandbox/test_promises.py",
    "platforms/test_gradescope_export.py",
    "web/test_class_reports.py",
    "platforms/test_prairielearn.py",
    "platforms/test_moodle_marked.py",
    "platforms/test_gradescope_results.py",
    "web/test_limited_attempts.py",
    "bridge/test_forgeries.py",
    "diagnosis/test_replayed_diagnosis.py",
    "diagnosis/test_probes.py",
    "platforms/test_thin_writers.py",
    "cluster/test_standard.py",
)
"""Files that take seconds, the longest first: what is begun last should be short, so that no processor waits."""

REAL = (
    "benchmarks/test_benchmarks.py::test_a_command_s_processes_are_counted_with_those_below_them",
    "bridge/test_limits.py::test_computing_without_an_end_uses_up_the_cpu_time",
    "class_reports/test_overview.py::test_the_figures_of_a_class_are_those_of_its_reports",
    "redteam/test_forge.py::",
    "starter/test_init.py::test_a_new_course_is_that_of_the_kit_and_says_who_may_read_it",
    "template/test_notebooks.py::test_a_notebook_runs_from_top_to_bottom",
    "reports/test_page_in_browser.py::test_nothing_serious_is_wrong_for_readers_with_other_means",
    "store/test_migrations.py::test_a_store_of_every_earlier_version_is_worked_in_as_a_new_one",
    "web/test_hand_in.py::test_hidden_tests_are_in_nothing_that_a_student_gets",
)
"""One of each kind of real thing among those files, and of each room: ``make quick`` tries these too."""


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


def is_left_out(file: str) -> bool:
    """Whether ``make quick`` tries nothing of a file, given by its path below ``tests``: it need not be imported."""
    return file in LONG and not any(test.startswith(f"{file}::") for test in REAL)


def file_of(node: str) -> str:
    """The name of a test's file, below ``tests``."""
    return node.partition("::")[0].removeprefix("tests/")
