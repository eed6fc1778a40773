"""Write text and data as platforms read them: nothing in them can be taken for something else."""

from __future__ import annotations

import json
import re
from typing import Any

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot say, not even as a number."""


def encode_json_line(value: Any) -> bytes:
    r"""Return data as JSON in ASCII on one line, with a line end.

    >>> encode_json_line({"name": "Zoë", "score": 0.5})
    b'{"name":"Zo\\u00eb","score":0.5}\n'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def encode_json_file(value: Any) -> bytes:
    """Return data as a JSON file."""
    return json.dumps(value, allow_nan=False, indent=1).encode() + b"\n"


def replace_non_xml_characters(text: str) -> str:
    r"""Return a text with a replacement character for each character that XML cannot say.

    >>> replace_non_xml_characters("a\x00b\x1b[31m") == "a\ufffdb\ufffd[31m"
    True
    """
    return NOT_XML.sub("\ufffd", text)
