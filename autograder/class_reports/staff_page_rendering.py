"""Render pages for the staff from templates that escape all text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from autograder.reports.jinja_environment import make_page_environment

if TYPE_CHECKING:
    from jinja2 import Environment


TEMPLATES = Path(__file__).parent
STYLE = TEMPLATES / "staff_parts.css"


def render_staff_page(template_name: str, **values: Any) -> bytes:
    """Return a stand-alone page as UTF-8; characters that cannot be encoded become visible escapes."""
    page = _make_environment().get_template(template_name).render(layout="staff_page.html.j2", **values)
    return page.encode("utf-8", "backslashreplace")


@cache
def _make_environment() -> Environment:
    environment = make_page_environment(TEMPLATES)
    environment.globals.update(style=Markup(STYLE.read_text(encoding="utf-8")))
    return environment
