"""Compile the code that runs inside the student's process: standard library only, and as little as possible.

Its parts are compiled here and sent over. No file of the kit lies where the student's process could read it, and
nothing that comes back is trusted.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.inside import marshal_modules

PARTS = (
    "message_channel",
    "repeatable_random",
    "determinism",
    "object_handles",
    "value_codec",
    "missing_package_placeholders",
    "newer_python",
    "submission_import_finder",
    "timed_execution",
    "definition_inspector",
    "changed_code",
    "fault_tolerant_source_runner",
    "attribute_name_translation",
    "grader_signals",
    "container_iteration_limiter",
    "gradient_propagation",
    "local_callbacks",
    "attribute_overrides",
    "request_sequence_runner",
    "submission_loading",
    "request_handlers",
    "request_server",
)
"""The modules, each importing only those before it."""


@functools.cache
def compile_modules() -> bytes:
    """Return all parts as they are sent; see ``marshal_modules``."""
    return marshal_modules(__name__, Path(__file__).parent, PARTS)
