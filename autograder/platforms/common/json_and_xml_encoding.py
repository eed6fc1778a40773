"""Write text and data as platforms read them: nothing in them can be taken for something else."""

from __future__ import annotations

import json
import re
from typing import Any

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot say, not even as a number."""


def encode_json_line(value: Any) -> bytes:
    """Return data as JSON in ASCII on one line, with a line end."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def encode_json_file(value: Any) -> bytes:
    """Return data as a JSON file."""
    return json.dumps(value, allow_nan=False, indent=1).encode() + b"\n"


def replace_non_xml_characters(text: str) -> str:
    """Return a text with a replacement character for each character that XML cannot say."""
    return NOT_XML.sub("\ufffd", text)
