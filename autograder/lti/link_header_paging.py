"""Follow the pages of a list that an LMS gives in parts: its Link header names the next one."""

from __future__ import annotations

import re

MOST_PAGES = 1000
NEXT = re.compile(r"<([^>]*)>[^,<]*;\s*rel=\"?next\"?", re.IGNORECASE)
