"""Give out an assignment: its handout as a page, its template as files, and a page to work on in the browser."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from flask import Response, abort, render_template, request, send_file, send_from_directory, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from werkzeug.security import safe_join

from autograder.files import list_files_without_tool_caches
from autograder.template import choose_site_file_headers, render_markdown, render_work_page
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
    text = Markup(render_markdown(path.read_text(encoding="utf-8")))  # nothing in it is taken as HTML
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


@pages.on_get("/assignments/<assignment_name>/work", Permission.HAND_IN)
def show_work_page(assignment_name: str) -> ResponseReturnValue:
    """Show the notebook, with a button that hands in what is open."""
    assignment = current.assignment(assignment_name)
    if not has_work_page(assignment_name):
        abort(404)
    page = render_work_page(
        assignment.title or assignment.name,
        assignment.name,
        root=url_for("handout_pages.send_site_file", filename=""),
        hand_in_url=url_for("student_assignment_pages.receive_hand_in", assignment_name=assignment_name),
        csrf_token=generate_csrf(),
    )
    return Response(page, headers=choose_site_file_headers("index.html", can_hand_in=True))


def has_work_page(assignment_name: str) -> bool:
    """Return whether students can work on an assignment in the browser."""
    site = current.settings.browser_site
    return site is not None and (site / assignment_name / "index.html").is_file()


@pages.on_get("/browser/<path:filename>", Permission.SEE_COURSE)
def send_site_file(filename: str) -> ResponseReturnValue:
    """Send a file of the site for the browser, compressed where it lies there so."""
    site = current.settings.browser_site or abort(404)
    has_smaller = (
        request.accept_encodings["gzip"] > 0 and Path(safe_join(str(site), f"{filename}.gz") or "").is_file()
    )
    answer = send_from_directory(site.resolve(), f"{filename}.gz" if has_smaller else filename)
    answer.headers.update(choose_site_file_headers(filename))
    answer.headers["Vary"] = "Accept-Encoding"
    if has_smaller:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _pack(folder: Path, name: str) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in list_files_without_tool_caches(folder):
            inner = path.relative_to(folder)
            archive.writestr(zipfile.ZipInfo(f"{name}/{inner.as_posix()}", ZIP_TIME), path.read_bytes())
    packed.seek(0)
    return packed
