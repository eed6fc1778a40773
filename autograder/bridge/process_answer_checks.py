"""Check that untrusted answers are data of the expected kind."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from autograder.bridge.process_messages import MalformedMessage
from autograder.bridge.request_sequence_results import are_leading_results_well_formed
from autograder.bridge.student_exceptions import TEXT_LENGTH, ReportedException, get_builtin_exception_name_or_default

ANSWER_TYPE_BY_REQUEST: dict[str, type] = {
    **dict.fromkeys(("items", "positions", "nodes", "make", "relays", "shares", "getattrs", "run", "scripts"), list),
    **dict.fromkeys(("bool", "isinstance"), bool),
    **dict.fromkeys(("repr", "type name", "called"), str),
    "len": int,
}
"""The type of the answer, for requests that have only one. Whatever the student's objects are, Python or the kit's
own code in the process gives no other type."""
COUNT_ARGUMENT_OF = {"nodes": 0, "make": 1, "relays": 0, "shares": 0, "getattrs": 0, "run": 1}
"""Requests that are answered with one item for each item of an argument, and the index of that argument."""


def has_expected_type_and_length(request_name: str, arguments: tuple[Any, ...], answer: Any) -> bool:
    """Return whether an answer has the type and the number of items that the request requires."""
    kind = ANSWER_TYPE_BY_REQUEST.get(request_name)
    if kind is not None and type(answer) is not kind:
        return False
    if request_name == "scripts":
        return are_leading_results_well_formed(answer, arguments[1])
    counted = COUNT_ARGUMENT_OF.get(request_name)
    return counted is None or len(answer) == len(arguments[counted])


def parse_reported_exception(exception_data: Any) -> ReportedException:
    """Return the exception that an answer reports, with every field checked and texts truncated.

    Raises:
        MalformedMessage: the data is not a well-formed exception.
    """
    if type(exception_data) is not dict:
        raise MalformedMessage("the exception is malformed")
    values: dict[str, Any] = {}
    for field in fields(ReportedException):
        value = exception_data.get(field.name)
        if field.name == "line":
            if type(value) is not int:
                raise MalformedMessage("the exception has no line")
            values["line"] = value
        else:
            if type(value) is not str:
                raise MalformedMessage(f"the exception has no {field.name}")
            values[field.name] = value[:TEXT_LENGTH]
    values["builtin"] = get_builtin_exception_name_or_default(values["builtin"])
    return ReportedException(**values)
