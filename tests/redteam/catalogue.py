"""The catalogue of known attacks on graders: each number, what it is, and where it is covered.

``python -m tests.redteam.catalogue`` writes the table of the README anew.
"""

from __future__ import annotations

from pathlib import Path

from tests.redteam.attack import all_attacks

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"

TITLES = {
    1: "ends the process when it is imported",
    2: "ends the process inside a tested function",
    3: "raises SystemExit",
    4: "changes the exit code at exit",
    5: "an object that equals everything",
    6: "a number or text of its own class that equals everything",
    7: "nan, infinity, minus zero, True for 1",
    8: "special methods that lie: hash, order, length, iteration",
    9: "walks up the frames to the expected value",
    10: "searches memory and modules for the solution",
    11: "changes constants of the test module",
    12: "replaces the code of the check",
    13: "patches how pytest runs a test",
    14: "patches how pytest reports a test",
    15: "raises a skip or an expected failure",
    16: "patches what comparisons are made with",
    17: "hands in conftest.py, pytest.ini, sitecustomize.py, a test file",
    18: "shadows modules of the standard library or of the grader",
    19: "rewrites the results at exit",
    20: "rewrites the results from a process that stays",
    21: "prints what a passing run prints",
    22: "writes answers to the channel",
    23: "answers the next question in advance",
    24: "odd JSON: keys twice, huge numbers, deep nesting, half characters",
    25: "has something unpickled",
    26: "knows the visible cases by heart",
    27: "finds out that it is graded, and behaves",
    28: "finds the reference in what was left behind",
    29: "learns what is expected from messages, and hands in again",
    30: "makes tolerances infinite",
    31: "has time-outs and crashes counted as passed",
    32: "injects test ids, weights and maxima by names",
    33: "hides code behind an encoding",
    34: "reads the tests by path, pattern or walk",
    35: "reads the parent's environment, command line, memory, descriptors",
    36: "reads the environment of the sandbox's first process",
    37: "traces or reads the memory of other processes",
    38: "searches its own memory for what the grader left",
    39: "uses descriptors that were inherited",
    40: "prints or raises what tests hand over, for the feedback to show",
    41: "tells bits by status, time or score of each test",
    42: "tells by tracebacks, warnings, names of files, threads, classes",
    43: "sends it over the network",
    44: "asks whether guessed paths exist",
    45: "finds dumps, caches and temporary files",
    46: "reads tokens, metadata services, the socket of Docker",
    47: "hands in links that the grader follows",
    48: "watches the driver by trace, profile and audit hooks",
    49: "an endless loop",
    50: "sleeps",
    51: "a loop that catches everything",
    52: "a loop in C",
    53: "a memory bomb",
    54: "memory that no limit on addresses counts",
    55: "a fork bomb",
    56: "a thread bomb",
    57: "a descriptor bomb",
    58: "a file and inode bomb",
    59: "prints without an end",
    60: "a huge error message",
    61: "a huge answer",
    62: "a recursion beyond the stack",
    63: "stops itself",
    64: "ignores signals",
    65: "threads and pipes that keep the parent waiting",
    66: "kills, limits or slows down the grader",
    67: "zombies",
    68: "a zip bomb, a hundred thousand members, a huge notebook",
    69: "a bomb for parsers",
    70: "texts that are slow to compare",
    71: "system calls that open the kernel",
    72: "system calls by the numbers of another architecture",
    73: "programs with a setuid bit",
    74: "types into the terminal",
    75: "writable mounts, /proc/sys, cgroups",
    76: "leaves a chroot as root",
    77: "has something of it run outside the sandbox",
    78: "a zip whose paths leave the folder",
    79: "links in an archive",
    80: "devices, pipes, and names that collide or are reserved",
    81: "formulas in the gradebook",
    82: "HTML and Markdown in the feedback",
    83: "escape sequences for the terminal",
    84: "text that changes direction, letters that look alike",
    85: "line ends in names",
    86: "another student's name in the file",
    87: "speaks to a language model that grades",
    88: "files that an editor or make runs for whoever opens them",
    89: "leaves something for the next submission",
    90: "reads the other submissions",
    91: "tells another submission something through what both share",
}

ELSEWHERE = {
    17: ["tests/redteam/test_forge.py::test_other_files_of_a_submission_change_nothing"],
    18: ["tests/redteam/test_forge.py::test_other_files_of_a_submission_change_nothing"],
    28: ["tests/redteam/test_forge.py::test_importing_the_solution_gains_nothing"],
    33: [
        "tests/submissions/test_python_files.py::test_text_that_is_not_in_the_declared_encoding_is_refused_with_its_line"
    ],
    37: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
    38: ["tests/redteam/test_reach_of_memory.py::test_nothing_of_the_graders_memory_is_in_the_process"],
    39: ["tests/redteam/test_surroundings.py::test_nothing_is_open_but_the_standard_streams_and_the_channel"],
    43: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
    44: [
        "tests/redteam/test_surroundings.py::test_that_a_file_exists_is_told_only_where_a_process_has_no_root_folder_of_its_own"
    ],
    45: [
        "tests/redteam/test_surroundings.py::test_a_file_that_was_written_is_gone_in_the_next_process",
        "tests/redteam/test_afterwards.py::test_no_file_is_left",
    ],
    47: [
        "tests/redteam/test_forge.py::test_a_link_to_the_solution_is_not_followed",
        "tests/submissions/test_links_and_devices.py::test_a_link_is_refused_and_not_followed",
    ],
    54: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
    56: ["tests/redteam/test_surroundings.py::test_threads_are_few"],
    58: ["tests/redteam/test_surroundings.py::test_a_folder_for_temporary_files_is_small"],
    62: ["tests/bridge/test_crashes.py::test_a_recursion_beyond_the_stack_is_called_a_signal"],
    66: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
    68: [
        "tests/redteam/test_bombs.py::test_a_bomb_is_refused_and_no_more_than_the_limit_is_written",
        "tests/redteam/test_bombs.py::test_members_that_share_their_bytes_are_refused",
        "tests/redteam/test_bombs.py::test_a_hundred_thousand_members_are_refused_before_an_object_is_made_of_each",
        "tests/redteam/test_hostile_notebooks.py::test_a_bomb_is_read_or_refused_in_little_time_and_memory",
        "tests/submissions/test_sizes.py::test_fifty_megabytes_are_refused_with_their_size_and_their_hash",
    ],
    71: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
    72: ["tests/redteam/test_reach.py::test_a_system_call_by_the_number_of_another_architecture_ends_the_process"],
    73: ["tests/redteam/test_surroundings.py::test_nothing_the_process_may_run_has_a_setuid_bit"],
    74: ["tests/redteam/test_reach.py::test_typing_into_the_graders_terminal_is_denied"],
    75: [
        "tests/redteam/test_surroundings.py::test_the_root_folder_shows_nothing_of_the_machine",
        "tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside",
    ],
    76: ["tests/redteam/test_surroundings.py::test_the_process_is_no_ones_user_and_has_no_capabilities"],
    77: ["tests/submissions/test_python_files.py::test_nothing_is_run"],
    78: ["tests/redteam/test_archives.py::test_a_path_that_leaves_the_folder_is_refused"],
    79: [
        "tests/redteam/test_archives.py::test_a_member_that_is_no_file_is_refused",
        "tests/redteam/test_archives.py::test_nothing_is_written_through_a_link_to_a_folder",
    ],
    80: [
        "tests/redteam/test_archives.py::test_a_name_that_windows_keeps_for_a_device_is_refused",
        "tests/redteam/test_archives.py::test_two_names_that_some_system_takes_for_one_are_refused",
        "tests/submissions/test_links_and_devices.py::test_a_device_is_refused",
        "tests/submissions/test_links_and_devices.py::test_a_pipe_is_refused_and_not_waited_for",
        "tests/batch/test_odd_names.py::test_names_that_differ_in_capitals_alone_get_reports_that_differ_in_more",
        "tests/batch/test_odd_names.py::test_a_file_name_is_one_that_every_file_system_takes",
    ],
    81: ["tests/redteam/test_formulas.py::test_no_text_is_a_formula_in_the_gradebook"],
    83: ["tests/redteam/test_report_texts.py::test_a_report_on_a_terminal_can_be_seen"],
    84: [
        "tests/redteam/test_report_texts.py::test_every_text_of_a_report_can_be_seen",
        "tests/batch/test_odd_names.py::test_names_that_only_look_the_same_get_different_files",
    ],
    85: ["tests/redteam/test_displayed_texts.py::test_a_record_of_a_log_cannot_be_forged"],
    86: ["tests/redteam/test_identity.py::test_a_claim_to_be_somebody_else_changes_no_row_and_no_file"],
    88: ["tests/redteam/test_opening.py::test_a_batch_runs_no_file_of_a_student_outside_the_sandbox"],
    89: [
        "tests/redteam/test_surroundings.py::test_a_file_that_was_written_is_gone_in_the_next_process",
        "tests/redteam/test_afterwards.py::test_who_is_honest_gets_what_is_due",
    ],
    90: ["tests/redteam/test_identity.py::test_nobody_is_graded_for_what_a_link_leads_to"],
    91: ["tests/redteam/test_reach.py::test_what_works_outside_is_denied_inside"],
}
"""Tests that cover a number, beside the attack files that name it."""

REASONS = {
    29: "a message shows what was observed, never what is expected; the search for a mistake uses numbers of its own",
    41: "a few bits a run are told by design: students see which tests fail, and every course limits how often",
    82: "reports are JSON and plain text; whoever makes HTML of them escapes it",
    87: "no language model reads a submission",
}
"""Why a number does not apply."""


def covered_by(number: int) -> list[str]:
    """Attack files and tests for a number."""
    files = [f"`{attack.goal}/{attack.slug}`" for attack in all_attacks() if number in attack.catalogue]
    return files + [f"`{name.removeprefix('tests/')}`" for name in ELSEWHERE.get(number, [])]


def table() -> str:
    """The table of the README."""
    rows = [f"| {n} | {title} | {', '.join(covered_by(n)) or REASONS.get(n, '')} |" for n, title in TITLES.items()]
    return "\n".join(["| number | attack | covered by, or why it does not apply |", "| ---: | --- | --- |", *rows])


def main() -> None:
    """Write the table into the README."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
