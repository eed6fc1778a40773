"""Render pages for the staff from templates that escape all text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.reports.page_environment import make_page_environment

if TYPE_CHECKING:
    from jinja2 import Environment


def render_staff_page(template: str, **values: Any) -> bytes:
    """Return a page as UTF-8; what is not text becomes a visible escape."""
    page = _environment().get_template(template).render(**values)
    return page.encode("utf-8", "backslashreplace")


@cache
def _environment() -> Environment:
    return make_page_environment(Path(__file__).parent)
