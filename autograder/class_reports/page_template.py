"""Render pages for the staff from templates that escape all text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.reports.report_text import split_code_spans

if TYPE_CHECKING:
    from jinja2 import Environment


def render_staff_page(template: str, **values: Any) -> bytes:
    """Return a page as UTF-8; what is not text becomes a visible escape."""
    page = _environment().get_template(template).render(**values)
    return page.encode("utf-8", "backslashreplace")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # most commands write no page

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(spans=split_code_spans)
    return environment
