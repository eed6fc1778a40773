"""Make the Jinja environment of pages: all text is escaped, and an undefined name is an error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.reports.report_wording import split_code_spans

if TYPE_CHECKING:
    from jinja2 import Environment


def make_page_environment(template_folder: Path) -> Environment:
    """Return an environment for the templates in a folder; ``spans`` splits text at code."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # most commands write no page

    environment = Environment(
        loader=FileSystemLoader(template_folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(spans=split_code_spans)
    return environment
