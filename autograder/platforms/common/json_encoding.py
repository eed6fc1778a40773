"""Encode data as JSON for platforms."""

from __future__ import annotations

import json
from typing import Any


def encode_json_line(value: Any) -> bytes:
    r"""Return data as JSON in ASCII on one line, with a line end.

    >>> encode_json_line({"name": "Zoë", "score": 0.5})
    b'{"name":"Zo\\u00eb","score":0.5}\n'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def encode_json_file(value: Any) -> bytes:
    """Return data as a JSON file."""
    return json.dumps(value, allow_nan=False, indent=1).encode() + b"\n"
