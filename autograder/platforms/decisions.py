"""Find what plug-ins of 0.2.0 imported from here: see ``common.manual_mark_protection``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

__getattr__ = make_former_name_lookup(
    __name__, {"settled": "autograder.platforms.common.manual_mark_protection.protect_manual_entries"}
)
