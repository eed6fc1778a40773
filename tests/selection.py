"""Which test files are begun first, and which tests ``make quick`` tries."""

from __future__ import annotations

from collections import Counter

import pytest

LONG = (
    "starter/test_whole_checks.py",
    "lti/test_mark_sender.py",
    "template/test_set_orders.py",
    "web/test_serving_several_courses.py",
    "template/test_notebook_and_pytorch.py",
    "web/test_several_courses.py",
    "web/test_in_a_browser.py",
    "web/test_import.py",
    "web/test_lti_launch.py",
    "web/test_anonymous_grading.py",
    "web/test_lti_attacks.py",
    "grading/test_both_ways.py",
    "cli/test_order_of_settings.py",
    "store/test_migrations.py",
    "web/test_hand_in.py",
    "web/test_student_pages.py",
    "web/test_refused_uploads.py",
    "cli/test_grade_command.py",
    "web/test_staff_pages.py",
    "web/test_lti_in_a_browser.py",
    "platforms/test_canvas_waits.py",
    "store/test_regrade.py",
    "gate/test_file_checks.py",
    "gate/test_misconception_file_checks.py",
    "web/test_regrades.py",
    "redteam/test_container.py",
    "web/test_server.py",
    "template/test_load_error_messages.py",
    "grading/test_prefetching.py",
    "web/test_mail.py",
    "cli/test_author_commands.py",
    "batch/test_process.py",
    "bridge/test_stalls.py",
    "web/test_lms_pages.py",
    "web/test_tool_registration.py",
    "web/test_deep_linking.py",
    "batch/test_process_executor.py",
    "batch/test_prefork.py",
    "platforms/test_moodle_times_in_batches.py",
    "platforms/test_moodle_times_columns.py",
    "grading/test_grading_given_code.py",
    "class_reports/test_staff_pages_in_browser.py",
    "store/test_lost_workers.py",
    "store/test_commands.py",
    "redteam/test_forge.py",
    "diagnosis/test_caches.py",
    "sandbox/test_promises.py",
    "template/test_notebooks.py",
    "redteam/test_opening.py",
    "bridge/test_limits.py",
    "cli/test_files_of_commands.py",
    "gate/test_sort_suite.py",
    "cli/test_platform_trips.py",
    "benchmarks/test_generated_class.py",
    "store/test_provisional.py",
    "web/test_sign_in.py",
    "web/test_permissions.py",
    "store/test_web_tables.py",
    "sandbox/test_packages.py",
    "diagnosis/test_kept_process.py",
    "gate/test_mutants.py",
    "diagnosis/test_diagnose.py",
    "gate/test_unlisted_concepts.py",
    "reports/test_page_in_browser.py",
    "gate/test_comparison.py",
    "test_examples.py",
    "cli/test_who_handed_in.py",
    "cli/test_class_commands.py",
    "bridge/test_endless_code.py",
    "platforms/test_hostile_names.py",
    "store/test_views.py",
    "benchmarks/test_class_bench.py",
    "starter/test_wheel.py",
    "grading/test_names_that_are_there.py",
    "web/test_kills.py",
    "web/test_lms_mark_pages.py",
    "platforms/test_moodle_dates.py",
    "starter/test_secrets_of_a_wheel.py",
    "cli/test_lti_command.py",
    "web/test_expected_marks.py",
    "cli/test_upload_command.py",
    "cli/test_export_command.py",
    "batch/test_wrong_submissions.py",
    "diagnosis/test_prefetched_experiments.py",
    "grading/test_stored.py",
    "redteam/test_fuzz_archives.py",
    "web/test_lms_deadlines.py",
    "reports/test_report.py",
    "benchmarks/test_benchmarks.py",
    "lti/test_access_tokens.py",
    "grading/test_same_report.py",
    "platforms/test_gradescope_results.py",
    "template/test_public_suite.py",
    "cli/test_cli.py",
    "platforms/test_moodle_round_trip.py",
    "starter/test_new.py",
    "cli/test_batch_command.py",
    "redteam/test_fuzz_messages.py",
    "redteam/test_fuzz_answers.py",
    "platforms/test_canvas_feedback.py",
    "batch/test_batch.py",
    "web/test_lti_audit.py",
    "store/test_results.py",
    "starter/test_init.py",
    "diagnosis/test_replayed_diagnosis.py",
    "cli/test_batch_places.py",
    "bridge/test_forgeries.py",
    "batch/test_memory.py",
    "sandbox/test_guard.py",
    "cli/test_decide_command.py",
    "cli/test_gradescope_run.py",
    "gate/test_claims.py",
    "store/test_audit.py",
    "redteam/test_reach.py",
    "diagnosis/test_search.py",
    "web/test_serve_command.py",
    "cli/test_exports_again.py",
    "bridge/test_time_budget.py",
    "batch/test_delay.py",
    "store/test_other_kits.py",
    "cluster/test_dask.py",
    "grading/test_suite.py",
    "web/test_export.py",
    "gate/test_vacuous.py",
    "store/test_people.py",
    "diagnosis/test_own_class.py",
    "redteam/test_afterwards.py",
    "redteam/test_hostile_notebooks.py",
    "web/test_inquiries.py",
    "web/test_people_commands.py",
    "sandbox/test_fork_server.py",
    "test_lessons.py",
    "grading/test_plugin_elsewhere.py",
    "cli/test_show_command.py",
    "platforms/test_moodle_modes.py",
    "web/test_class_reports.py",
    "platforms/test_prairielearn.py",
    "cli/test_gradescope_zip.py",
    "template/test_otter_master.py",
    "redteam/test_stall_in_namespaces.py",
    "grading/test_sentences.py",
    "class_reports/test_similar.py",
    "redteam/test_forge_controls.py",
    "grading/test_other_names.py",
    "store/test_mark_outbox.py",
    "batch/test_run_again.py",
    "diagnosis/test_probes.py",
    "store/test_kept_decisions.py",
    "platforms/test_gradescope_export.py",
    "docs/test_pages.py",
    "redteam/test_bombs.py",
    "store/test_lti_tables.py",
    "redteam/test_stall_controls.py",
    "reports/test_terminal.py",
    "store/test_students_pages.py",
    "redteam/test_leak.py",
    "web/test_limited_attempts.py",
    "web/test_publishing.py",
    "class_reports/test_overview.py",
    "gate/test_marks_page.py",
    "batch/test_odd_names.py",
    "platforms/test_thin_writers.py",
    "platforms/test_moodle_marked.py",
    "cluster/test_worker_requirements.py",
)
"""Files that take seconds, the longest first: what is begun last should be short, so that no processor waits."""

REAL = (
    "benchmarks/test_benchmarks.py::test_a_command_s_processes_are_counted_with_those_below_them",
    "bridge/test_limits.py::test_computing_without_an_end_uses_up_the_cpu_time",
    "class_reports/test_overview.py::test_the_figures_of_a_class_are_those_of_its_reports",
    "redteam/test_forge.py::",
    "redteam/test_reach.py::",
    "sandbox/test_fork_server.py::",
    "starter/test_init.py::test_a_new_course_is_that_of_the_kit_and_says_who_may_read_it",
    "template/test_notebooks.py::test_a_notebook_runs_from_top_to_bottom",
    "reports/test_page_in_browser.py::test_nothing_serious_is_wrong_for_readers_with_other_means",
    "store/test_migrations.py::test_a_store_of_every_earlier_version_is_worked_in_as_a_new_one",
    "web/test_student_pages.py::test_hidden_tests_are_in_nothing_that_a_student_gets",
    "web/test_sign_in.py::",
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
