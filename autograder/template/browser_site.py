"""Write a course as a static site: the notebook, its check and its tests run in the student's own browser.

A page asks nothing but the place that it came from.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import mimetypes
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import Assignment
from autograder.faults import CallerFault, translate_file_errors
from autograder.files import make_output_folder, temporary_folder
from autograder.pictures import draw_picture_as_svg, parse_picture_if_any, read_picture_style_sheet
from autograder.template.jupyterlite import (
    BROWSER_FILES,
    EXTENSION,
    LITE_POLICY,
    AssignmentWheel,
    add_python,
    build_jupyterlite,
    make_config,
    write_text,
)
from autograder.template.student_files import HANDED_OUT_FILES, render_student_template_files

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

NOTEBOOK = "value.ipynb"
LITE = "lite"
"""The folder of JupyterLite in a site; those of assignments are beside it."""
LONG_LIVED = tuple(f"{LITE}/{folder}" for folder in ("build/", "extensions/", "pyodide-"))
"""Folders of files that never change under their name, but for lists; a browser may keep them for good."""
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'"
)
"""The Content-Security-Policy of the site's own pages."""
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
LEAST_COMPRESSED = 1000


def write_browser_site(assignments: Sequence[Assignment], output_folder: Path) -> None:
    """Write the site of some assignments, each of which has a notebook, to a folder that is new or an earlier site.

    Raises:
        CallerFault: a package is missing, the folder is in use for something else, or a registry cannot be reached.
        CourseFault: a part of an assignment is missing or unusable.
    """
    if output_folder.exists() and any(output_folder.iterdir()) and not (output_folder / LITE).is_dir():
        raise CallerFault("this folder holds something else than such a site", str(output_folder), "name a new one")
    texts = {one.name: render_student_template_files(one) for one in assignments}
    with temporary_folder("browser") as scratch, translate_file_errors(output_folder, action="write to"):
        site = scratch / "site"
        build_jupyterlite(scratch, site / LITE)
        kernels = add_python(scratch, site / LITE, {name: _make_wheel(name, files) for name, files in texts.items()})
        for assignment in assignments:
            _add_assignment(assignment, texts[assignment.name], site, kernels[assignment.name])
        _write_list(site / LITE / "files", site / LITE / "api" / "contents")
        page = load_page_environment().get_template("list.html.j2")
        write_text(site / "index.html", page.render(assignments=assignments, root="", policy=PAGE_POLICY))
        write_text(site / "work.js", (BROWSER_FILES / "work.js").read_text(encoding="utf-8"))
        style = (BROWSER_FILES / "site.css").read_text(encoding="utf-8")
        write_text(site / "site.css", style + read_picture_style_sheet())
        _compress(site / LITE)
        make_output_folder(output_folder.parent)
        if output_folder.exists():
            shutil.rmtree(output_folder)
        shutil.move(site, output_folder)


def _add_assignment(assignment: Assignment, texts: Mapping[str, str], site: Path, kernel: Mapping[str, Any]) -> None:
    """Add an assignment's files for the editor, an application with its Python, and its pages."""
    name, title, lite = assignment.name, assignment.title or assignment.name, site / LITE
    for path, text in texts.items():
        if path not in HANDED_OUT_FILES.values():
            write_text(lite / "files" / name / path, text)
    shutil.copytree(lite / "notebooks", lite / name, ignore=shutil.ignore_patterns("build"))
    app = json.loads((lite / "notebooks" / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    app |= {"appUrl": f"/{name}", "litePluginSettings": {f"{EXTENSION}:kernel": kernel}}
    write_text(lite / name / "jupyter-lite.json", json.dumps(make_config(app), sort_keys=True))
    write_text(site / name / "index.html", render_work_page(title, name))
    write_text(site / name / "value.py", texts["value.py"])
    handout = load_page_environment().get_template("handout.html.j2")
    text = render_markdown(texts["handout.md"])
    write_text(site / name / "handout.html", handout.render(title=title, text=text, root="../", policy=PAGE_POLICY))


def _make_wheel(assignment_name: str, texts: Mapping[str, str]) -> AssignmentWheel:
    """Return a wheel with an assignment's folder, as a desk has it; its name changes with its content."""
    if assignment_name == LITE:
        raise CallerFault(f"the assignment's name is that of the folder '{LITE}'", advice="give it another name")
    folder = "assignment_" + re.sub(r"\W", "_", assignment_name)
    members = {
        f"{folder}/{path}": text for path, text in sorted(texts.items()) if not path.endswith((".md", ".ipynb"))
    }
    digest = int(hashlib.sha256(json.dumps(members).encode()).hexdigest()[:12], 16)
    info = f"{folder}-0.{digest}.dist-info"
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {folder}\nVersion: 0.{digest}\n"
    members[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in members.items():
            archive.writestr(zipfile.ZipInfo(path, ZIP_TIME), text.encode(), zipfile.ZIP_DEFLATED)
    return AssignmentWheel(folder, f"{folder}-0.{digest}-py3-none-any.whl", packed.getvalue())


def render_work_page(title: str, name: str, root: str = "../", hand_in_url: str = "", csrf_token: str = "") -> str:
    """Return the page on which a student works.

    Args:
        title: the assignment's title.
        name: its name.
        root: the address of the site's first folder.
        hand_in_url: where the page sends what is open; it has no *Hand in* when empty.
        csrf_token: what has to come with it.
    """
    template = load_page_environment().get_template("work.html.j2")
    policy = _choose_page_policy(can_hand_in=bool(hand_in_url))
    values = {"hand_in_url": hand_in_url, "csrf_token": csrf_token, "policy": policy}
    return template.render(title=title, name=name, notebook=f"{name}/{NOTEBOOK}", root=root, lite=LITE, **values)


def render_markdown(text: str) -> str:
    """Return a text in Markdown as HTML; nothing in it is taken as HTML.

    A block of code that says ``graph`` becomes a figure.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for kind in ("fence", "code_block"):
        parser.add_render_rule(kind, _render_code_block)
    return str(parser.render(text))


def _render_code_block(_: RendererHTML, tokens: Sequence[Token], place: int, *__: object) -> str:
    code = tokens[place].content
    picture = parse_picture_if_any(code) if tokens[place].info.strip() == "graph" else None
    if picture is None:
        return f'<pre tabindex="0"><code>{escape(code)}</code></pre>\n'  # a key scrolls what is too wide for a phone
    return f"<figure>{draw_picture_as_svg(picture, f'figure-{place}')}</figure>\n"


def choose_site_file_headers(path: str, can_hand_in: bool = False) -> dict[str, str]:
    """Return the headers with which a server sends a file of a site: its type, its policy, how long it may be kept.

    Args:
        path: its path in the site.
        can_hand_in: whether it is a page with *Hand in*.
    """
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    kind = {".mjs": "text/javascript", ".py": "text/plain", ".md": "text/plain"}.get(Path(path).suffix, kind)
    is_kept = path.startswith(LONG_LIVED) and "/all" not in path
    policy = LITE_POLICY if path.startswith(f"{LITE}/") else _choose_page_policy(can_hand_in)
    return {
        "Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
        "Content-Security-Policy": f"{policy}; frame-ancestors 'self'",
        "Cache-Control": "private, max-age=31536000, immutable" if is_kept else "private, no-cache",
    }


def _choose_page_policy(can_hand_in: bool) -> str:
    return PAGE_POLICY + ("; form-action 'self'" if can_hand_in else "; form-action 'none'")


@cache
def load_page_environment() -> Environment:
    """Return the templates of the site's pages."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # most commands write no page

    return Environment(
        loader=FileSystemLoader(BROWSER_FILES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _write_list(folder: Path, api: Path) -> None:
    """Write what JupyterLite is told of a folder of files, and of those below it."""
    time = "2023-11-14T22:13:20Z"

    def describe(path: Path) -> dict[str, Any]:
        kind = "directory" if path.is_dir() else "notebook" if path.suffix == ".ipynb" else "file"
        place = "" if path == folder else path.relative_to(folder).as_posix()
        fixed = {"content": None, "format": None, "mimetype": None, "created": time, "last_modified": time}
        return {"name": path.name, "path": place, "type": kind, "size": None, "writable": True} | fixed

    for below in [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]:
        content = {"content": [describe(path) for path in sorted(below.iterdir())], "format": "json"}
        write_text(api / below.relative_to(folder) / "all.json", json.dumps(describe(below) | content))


def _compress(folder: Path) -> None:
    """Add a file.gz to each large file that is not compressed yet, for servers that send such."""
    for path in sorted(folder.rglob("*")):
        if (
            path.suffix in {".js", ".mjs", ".json", ".css", ".svg", ".wasm"}
            and path.stat().st_size > LEAST_COMPRESSED
        ):
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
