"""Answer requests until the channel is closed.

A message is ``[id, "ask", [[name, argument, ...], ...]]``: requests, to be carried out in this order, up to the first
that does not succeed. It is answered by ``[id, "answers", [...]]`` with one of these for each that was carried out:

    ["ok", value]                          its result
    ["ok", value, calls]                   its result, and the recording callbacks that were called meanwhile
    ["raised", exception, calls, place]    the exception it raised, the same, and where it was raised
    ["void"]                               it refers to something that does not exist

``[id, "forget", [reverses_set_order, reloads_code, room, change]]`` begins a test, and is not answered. The
first part gives sets the opposite order. The second one runs the submission's code again before the test. ``room`` is
a reduced limit of the address space in bytes, or 0 for the hard limit. It saves time if an earlier test filled the
memory; only the hard limit protects. ``change`` is empty, or ``[unit, start, end, text, seconds]``: from now on the
unit has another text between two of its characters, and the test gives up after so many CPU seconds, if not 0.

While a request is carried out, this side may send ``[number, "call", function, [arguments]]`` to call a function of
the trusted process. Further requests may arrive before the answer ``[number, "return", value]``.
"""

import resource
import sys
from typing import Any

from autograder.bridge.inside import grader_signals, submission_loading, value_codec
from autograder.bridge.inside.attribute_overrides import undo_method_overrides
from autograder.bridge.inside.fault_tolerant_source_runner import get_truncated_exception_message
from autograder.bridge.inside.message_channel import (
    called_callback_numbers,
    pop_called_callback_numbers,
    queue_message,
    receive_message_or_exit,
)
from autograder.bridge.inside.missing_package_placeholders import MissingPackageUsed
from autograder.bridge.inside.object_handles import HandleGone
from autograder.bridge.inside.request_handlers import REQUESTS
from autograder.bridge.inside.value_codec import (
    UnwindEndedTest,
    decode_request_arguments,
    decode_value,
    encode_named_submission_value,
    encode_value,
    reset_for_test,
)


def _encode_exception_and_location(error: BaseException) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what an exception is, and where it was raised; see ``ReportedException`` on the other side."""
    kind = type(error)
    places = _list_places(error.__traceback__, submission_loading.list_source_file_names())
    unit, line, function = ("", 0, "") if not places else _find_recurring_place(places) or places[-1]
    builtin = next((base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"), "Exception")
    package = str(error).partition(" ")[0][:100] if kind is MissingPackageUsed else ""
    description = {
        "kind": kind.__name__[:100],
        "builtin": builtin,
        "message": get_truncated_exception_message(error),
        "package": package,
    }
    return description, {"unit": unit, "line": line, "function": function[:100]}


def _list_places(trace: Any, names: set[str]) -> list[tuple[str, int, str]]:
    """Return the files, lines and functions of the submission that an exception came through."""
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in names:
            places.append((code.co_filename, trace.tb_lineno, code.co_qualname))
        trace = trace.tb_next
    return places


def _find_recurring_place(places: list[tuple[str, int, str]]) -> tuple[str, int, str] | None:
    """Return the first place that recurs in a deep recursion: where exactly the recursion ends is chance."""
    if len(places) < DEEP:
        return None
    times: dict[tuple[str, int, str], int] = {}
    for place in places:
        times[place] = times.get(place, 0) + 1
    return next((place for place, count in times.items() if count > len(places) * OFTEN), None)


def _handle_message_and_send_answer(message: Any) -> None:
    """Carry out the requests of a message, and answer it; a message that begins a test gets no answer."""
    global _memory_reserve
    number, kind, content = message
    if kind == "forget":
        reverses_set_order, reloads_code, room, change = content
        _limit_address_space(0)
        *changed_text, seconds = change or [0.0]
        if changed_text:
            submission_loading.change_unit(*changed_text)
        grader_signals.limit_test(seconds)
        if reloads_code:
            submission_loading.reload_submission()
        reset_for_test(reverses_set_order)
        undo_method_overrides()
        if _memory_reserve is None:
            _memory_reserve = bytearray(RESERVE)
        _limit_address_space(room)
        return
    answers: list[Any] = []
    try:
        for name, *arguments in content:
            answers.append(_answer_to(name, arguments))
            if answers[-1][0] != "ok":
                break
    except UnwindEndedTest:
        answers = [VOID]
    queue_message([number, "answers", answers])


def _limit_address_space(room: int) -> None:
    """Lower the soft limit of the address space, or lift it up to the hard one again."""
    global _address_space_limit
    if room == _address_space_limit:
        return
    try:
        hard_limit = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (room or hard_limit, hard_limit))
    except (OSError, ValueError):
        return
    _address_space_limit = room


def _answer_to(name: str, arguments: list[Any]) -> Any:
    # runs thousands of times for a submission, so it avoids function calls where a check is enough
    try:
        if name in NAMING:
            value = encode_named_submission_value(REQUESTS[name](*map(decode_value, arguments)))
        else:
            decode_request_arguments(arguments)
            value = REQUESTS[name](*arguments)
            if value is not None:
                value = encode_value(value)
    except HandleGone:
        return VOID
    except UnwindEndedTest:
        raise
    except MemoryError as error:
        return _report_out_of_memory(error)
    except BaseException as error:
        description, place = _encode_exception_and_location(error)
        return ["raised", description, pop_called_callback_numbers(), place]
    return ["ok", value, pop_called_callback_numbers()] if called_callback_numbers else ["ok", value]


VOID = ["void"]
DEEP, OFTEN = 100, 0.1  # depth of a deep recursion, and the share of its frames above which a place recurs
NAMING = frozenset({"load", "get"})  # requests with results that outlive a test, whichever test asks first
RESERVE = 4 << 20
_memory_reserve: Any = bytearray(RESERVE)
_address_space_limit = 0
NO_MEMORY = {"kind": "MemoryError", "builtin": "MemoryError", "message": "", "package": ""}


def _report_out_of_memory(error: MemoryError) -> Any:
    """Report the error with memory reserved for it, since the student's code may still hold all other memory."""
    global _memory_reserve
    _memory_reserve = None
    try:
        _, place = _encode_exception_and_location(error)
    except MemoryError:
        place = {"unit": "", "line": 0, "function": ""}
    return ["raised", NO_MEMORY, pop_called_callback_numbers(), place]


def serve_requests() -> None:
    """Answer requests until the channel is closed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "autograder"]:
        del sys.modules[name]  # the student's imports find the student's files alone
    while True:
        _handle_message_and_send_answer(receive_message_or_exit())


value_codec.answer = _handle_message_and_send_answer
