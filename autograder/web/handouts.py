"""Show an assignment's handout as a page, and send its template: all of it in one zip, or its program alone."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from flask import abort, render_template, send_file
from flask.typing import ResponseReturnValue
from markdown_it import MarkdownIt
from markupsafe import Markup

from autograder.web.request import Pages, Permission, current

pages = Pages("handout_pages", __name__)
HANDOUT, PROGRAM = "handout.md", "value.py"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, the earliest that a zip can hold: equal templates are equal bytes."""


@pages.on_get("/assignments/<assignment_name>/handout", Permission.SEE_COURSE)
def show_handout(assignment_name: str) -> ResponseReturnValue:
    """Show what the assignment asks for."""
    assignment = current.assignment(assignment_name)
    path = assignment.template_folder / HANDOUT
    if not path.is_file():
        abort(404)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    text = Markup(markdown.render(path.read_text(encoding="utf-8")))  # nothing in it is taken as HTML
    return render_template("handout.html.j2", assignment=assignment, text=text)


@pages.on_get("/assignments/<assignment_name>/files/<file_name>", Permission.SEE_COURSE)
def send_template_file(assignment_name: str, file_name: str) -> ResponseReturnValue:
    """Send the template as ``NAME.zip``, with one folder in it, or its program as ``value.py``."""
    folder = current.assignment(assignment_name).template_folder
    if file_name == f"{assignment_name}.zip" and folder.is_dir():
        return send_file(_pack(folder, assignment_name), as_attachment=True, download_name=file_name)
    if file_name != PROGRAM or not (folder / PROGRAM).is_file():
        abort(404)
    return send_file(folder / PROGRAM, as_attachment=True)


def _pack(folder: Path, name: str) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            inner = path.relative_to(folder)
            if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in inner.parts):
                archive.writestr(zipfile.ZipInfo(f"{name}/{inner.as_posix()}", ZIP_TIME), path.read_bytes())
    packed.seek(0)
    return packed
