"""Offer the interface of ``StudentProxy`` within this process, for authors who want to use a debugger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograder.bridge.inside.request_handlers import REQUESTS, make_chain
from autograder.bridge.inside.request_sequence_runner import run_request_sequences_until_timeout
from autograder.bridge.inside.submission_loading import run_and_evaluate
from autograder.bridge.student_proxy import StudentProxy


class LocalStudentProxy(StudentProxy):
    """A submission whose names were imported into this process; for code that is trusted."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(_LocalRequestSender(names))


class _LocalRequestSender:
    """Carries out requests on the objects themselves; nothing is encoded, and an attribute has the name asked for."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._handlers: dict[str, Callable[..., Any]] = {
            **REQUESTS,
            "get": names.__getitem__,
            "run": lambda text, expressions: run_and_evaluate(text, expressions, {**names}),
            "list": list,
            "set": set,
            "chain": make_chain,
            "kept": lambda function, arguments: function(*arguments),
            "setattrs": _set_attributes,
            "scripts": self._run_sequences,
        }

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """See ``RequestSender``."""
        return self._handlers[request_name](*arguments)

    def record_remembered_lookup(self, finding_name: str, finding_repr: str) -> None:
        """Do nothing: no requests are sent ahead here."""

    def _run_sequences(self, packed_sequences: Sequence[str], _: object, before_step: Any) -> Any:
        return run_request_sequences_until_timeout(
            packed_sequences, self._handlers, lambda: None, before_step, _keep_value_and_tell_if_object
        )


def _set_attributes(values: Sequence[Any], names: Sequence[str], contents: Sequence[Any]) -> None:
    for value, name, content in zip(values, names, contents, strict=True):
        setattr(value, name, content)


def _keep_value_and_tell_if_object(value: Any) -> tuple[Any, bool]:
    return value, type(value).__module__ != "builtins"
