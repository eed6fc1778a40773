"""Load a submission: find and leave out statements that hang or end its process, and run the others."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from autograder.bridge.loading_clock import OVERTIME_SECONDS
from autograder.bridge.rpc_client import ProcessRpcClient
from autograder.bridge.student_errors import StudentError, StudentStopped
from autograder.bridge.submission_program import LoadAnswer, LoadProblem, LoadResult, SubmissionProgram

MOST_NOTES = 1000
LAST_ATTEMPT_SHARE = 0.25
"""What is left of the time for loading once a process had to be killed."""


def request_program_load(
    client: ProcessRpcClient, program: SubmissionProgram, seconds: float, *, announces_each_statement: bool
) -> LoadAnswer:
    """Send a program into a process that holds none, and have it run.

    Args:
        client: to the process.
        program: the code.
        seconds: CPU time that all statements may take together.
        announces_each_statement: whether the process is to say which statement it comes to, before it runs it.

    Raises:
        StudentStopped: the process ended, broke a limit, or did not say what was loaded.
    """
    config = {
        "units": [list(unit) for unit in program.units],
        "modules": program.modules,
        "defines": list(program.defines),
        "also_named": list(program.also_named),
        "skip": [list(place) for place in sorted(program.skipped_statements)],
        "seconds": seconds,
        "overtime": OVERTIME_SECONDS,
        "careful": announces_each_statement,
        "look": program.makes_instances,
        "looked_for": list(program.possible_attributes),
    }
    try:
        text = client.send_request("load", config)
        return msgspec.json.decode(text if isinstance(text, str) else "", type=LoadAnswer)
    except StudentError:
        raise StudentStopped("protocol", "its process did not say what was loaded") from None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise StudentStopped("protocol", "its process sent something that is no answer") from None


class LoadRetries:
    """One program, loaded again and again until all that is left of it runs to its end.

    Attributes:
        program: without what is known to hang or to end the process.
        careful: whether the next process is to say which statement it comes to.
        seconds: CPU time that all statements may take together.
    """

    def __init__(self, program: SubmissionProgram, seconds: float) -> None:
        self.program, self.seconds = program, seconds
        self.careful = False
        self._most = seconds
        self._notes: list[LoadProblem] = []

    def prepare_retry_after_stop(self, stopped: StudentStopped, statement: tuple[int, int, int] | None) -> None:
        """Leave out what ended the process; where that is not known, go carefully next time.

        Args:
            stopped: how it ended.
            statement: (unit, statement, line) that it said it had come to.
        """
        self.careful, self.seconds = True, self._most * LAST_ATTEMPT_SHARE
        if statement is None:
            return
        if statement[0] < 0:
            self.program = replace(self.program, makes_instances=False)  # its constructor ended it; tests will say so
        else:
            self._leave_out({statement[:2]})
            self._notes.append(LoadProblem("stopped", *statement, stopped.cause, stopped.message))

    def make_result_or_prepare_retry(self, answer: LoadAnswer) -> LoadResult | None:
        """Return what the submission defines; None when it must be loaded once more, without what did not end."""
        late = set(answer.late[:MOST_NOTES])
        if late - self.program.skipped_statements:
            self._notes += [note for note in answer.notes[:MOST_NOTES] if note.kind == "timed out"]
            self._leave_out(late)
            self.careful = False
            return None
        if answer.hangs:
            self.program = replace(self.program, makes_instances=False)
        return LoadResult(
            answer.defined,
            {name: frozenset(found) for name, found in answer.features.items()},
            tuple(answer.missing[:MOST_NOTES]),
            tuple(sorted({*self._notes, *answer.notes[:MOST_NOTES]}, key=lambda note: (note.unit, note.statement))),
        )

    def make_load_result_without_definitions(self) -> LoadResult:
        """Return what is known of a program that never ran to its end."""
        return LoadResult(problems=tuple(self._notes))

    def _leave_out(self, places: set[tuple[int, int]]) -> None:
        self.program = replace(self.program, skipped_statements=self.program.skipped_statements | places)
