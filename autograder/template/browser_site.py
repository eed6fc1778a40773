"""Write a course as a static site: the notebook, its check and its tests run in the student's own browser.

JupyterLite is the notebook, and Pyodide is the Python. Both come from package registries when the site is written,
in versions that are fixed here; a page asks nothing but the place that it came from.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import mimetypes
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import Assignment
from autograder.faults import CallerFault, KitFault, translate_file_errors
from autograder.files import make_output_folder, temporary_folder
from autograder.kit_version import advise_to_install_extra
from autograder.template.student_files import HANDED_OUT_FILES, render_student_template_files

if TYPE_CHECKING:
    from jinja2 import Environment

PYODIDE_VERSION = "314.0.6"
PYODIDE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PYODIDE_SETTING = "JUPYTERLITE_PYODIDE_URL"
"""The environment variable, JupyterLite's own, that names Pyodide's package where npm cannot be asked."""
EXTENSION = "@jupyterlite/pyodide-kernel-extension"
KERNEL_WHEELS = ("ipykernel", "piplite", "pyodide_kernel")
FILES = Path(__file__).parent / "browser_files"
NOTEBOOK = "value.ipynb"
LITE = "lite"
"""The folder of JupyterLite in a site; those of assignments are beside it."""
PYODIDE = f"pyodide-{PYODIDE_VERSION}"
LONG_LIVED = tuple(f"{LITE}/{folder}/" for folder in ("build", "extensions", PYODIDE))
"""Folders of files that never change under their name, but for lists; a browser may keep them for good."""
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'"
)
"""The Content-Security-Policy of the site's own pages."""
LITE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'"
)
"""That of JupyterLite, which compiles the schemas of its settings, and Python; and whose editor sets styles."""
PLUGIN_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 5},
    "@jupyterlab/notebook-extension:panel": {
        # what interrupts a kernel elsewhere does nothing in a browser: the page's own button stops it
        "toolbar": [{"name": "interrupt", "disabled": True}]
    },
    "@jupyter-notebook/application-extension:top": {"visible": "no"},
}
DISABLED = (
    "@jupyterlite/application-extension:service-worker-manager",  # works over HTTPS alone, and nothing here needs it
    "@jupyterlab/application-extension:faviconbusy",  # asks for icons that only a server has
    "@jupyter-notebook/notebook-extension:tab-icon",
)
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
        _build_jupyterlite(scratch, site / LITE)
        wheels = _add_python(scratch, site / LITE)
        for assignment in assignments:
            _add_assignment(assignment, texts[assignment.name], site, wheels)
        _write_list(site / LITE / "files", site / LITE / "api" / "contents")
        page = load_page_environment().get_template("list.html.j2")
        _write(site / "index.html", page.render(assignments=assignments, root="", policy=PAGE_POLICY))
        for name in ("site.css", "work.js"):
            _write(site / name, (FILES / name).read_text(encoding="utf-8"))
        _compress(site / LITE)
        make_output_folder(output_folder.parent)
        if output_folder.exists():
            shutil.rmtree(output_folder)
        shutil.move(site, output_folder)


def _build_jupyterlite(scratch: Path, lite: Path) -> None:
    """Let JupyterLite write its applications, and take out what no page here asks for."""
    try:
        kernel = distribution("jupyterlite-pyodide-kernel")
        distribution("jupyterlite-core")
    except PackageNotFoundError as error:
        problem = "the packages for sites in the browser are not installed"
        raise CallerFault(problem, advice=advise_to_install_extra("browser")) from error
    places = (kernel.locate_file(file) for file in kernel.files or () if file.name == "install.json")
    extension = next(Path(str(place)).resolve().parent for place in places)
    source = scratch / "source"
    config = {"federated_extensions": [str(extension)], "ignore_sys_prefix": True, "no_sourcemaps": True}
    config |= {"apps": ["notebooks", "edit", "tree"], "no_unused_shared_packages": True, "output_dir": str(lite)}
    _write(source / "jupyter_lite_config.json", json.dumps({"LiteBuildConfig": config}))
    _write(source / "jupyter-lite.json", json.dumps(_make_config(_describe_course())))
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "JUPYTER_CONFIG_DIR": str(source)}
    command = [sys.executable, "-W", "ignore", "-m", "jupyterlite_core", "build", "--lite-dir", str(source)]
    _run(command, "JupyterLite cannot be built", "read what it says", environment, source)
    for pattern in ("rspack*", "service-worker.js", "package.json", "bootstrap.js", "doc"):
        for path in lite.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for page in lite.glob("*/index.html"):
        _write(page, _make_policy_strict(page.read_text(encoding="utf-8")))


def _describe_course() -> dict[str, Any]:
    return {
        "appName": "Autograder",
        "contentsAllJsonFile": "all.json",
        "disabledExtensions": [*DISABLED],
        "exposeAppInBrowser": True,  # work.js stops, saves and hands in what is open
        "settingsOverrides": PLUGIN_SETTINGS,
    }


def _make_config(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def _make_policy_strict(page: str) -> str:
    """Return a page of JupyterLite that says its policy, and whose one script comes from a file."""
    loader = re.search(r"'(\.\./config-utils\.js[^']*)'", page)
    if loader is None:
        raise KitFault("a page of JupyterLite loads no config-utils.js", advice="ask for the version that is locked")
    before, _, rest = page.partition("<script>")
    page = f'{before}<script type="module" src="{loader[1]}">{rest[rest.index("</script>") :]}'
    page = page.replace('<link rel="manifest" href="../manifest.webmanifest">', "")
    return page.replace("<head>", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{LITE_POLICY}">', 1)


def _add_python(scratch: Path, lite: Path) -> dict[str, dict[str, Any]]:
    """Add Pyodide and the wheels that it loads; return what its lock file says of these, by name."""
    folder, downloads = lite / PYODIDE, scratch / "wheels"
    folder.mkdir()
    with tarfile.open(_fetch_pyodide(scratch)) as archive:
        for name in (*PYODIDE_FILES, "pyodide-lock.json"):
            member = archive.extractfile(f"package/{name}")
            (folder / name).write_bytes(member.read() if member else b"")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--platform=any", "--python-version=3.14", "--require-hashes"]
    command += [f"--dest={downloads}", f"--requirement={FILES / 'wheels.txt'}"]
    _run(command, "the wheels for the browser cannot be downloaded", "let pip reach its package index", None, scratch)
    ours = [path for name in KERNEL_WHEELS for path in (lite / "extensions" / EXTENSION).rglob(f"{name}-*.whl")]
    found = {}
    for wheel in sorted([*downloads.glob("*.whl"), *ours], key=lambda path: path.name):
        name = wheel.name.partition("-")[0].replace("_", "-").lower()
        found[name] = _describe_wheel(name, wheel.name, wheel.read_bytes())
        shutil.copyfile(wheel, folder / wheel.name)
    # The kernel asks for jedi, 5 MB that complete names; IPython does so without it, from what a notebook defines.
    found["jedi"] = found["ipykernel"] | {"name": "jedi"}
    return found


def _fetch_pyodide(scratch: Path) -> Path:
    """Return Pyodide's package as the npm registry has it: fetched, or where ``PYODIDE_SETTING`` says it is."""
    package = Path(os.environ.get(PYODIDE_SETTING) or scratch / f"{PYODIDE}.tgz")
    if PYODIDE_SETTING not in os.environ:
        npm = shutil.which("npm")
        advice = f"install npm, or set {PYODIDE_SETTING} to a copy of {package.name}"
        if npm is None:
            raise CallerFault("there is no npm here, which fetches Pyodide", advice=advice)
        _run(
            [npm, "pack", "--silent", f"pyodide@{PYODIDE_VERSION}"], "npm cannot fetch Pyodide", advice, None, scratch
        )
    with translate_file_errors(package):
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
    if digest != PYODIDE_SHA256:
        raise CallerFault(f"this is not the package pyodide {PYODIDE_VERSION}", str(package), "fetch it again")
    return package


def _describe_wheel(name: str, file_name: str, content: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    fixed = {
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
        "imports": [],
        "depends": [],
    }
    return {"name": name, "version": file_name.split("-")[1], "file_name": file_name, "sha256": digest} | fixed


def _add_assignment(
    assignment: Assignment, texts: Mapping[str, str], site: Path, wheels: Mapping[str, dict[str, Any]]
) -> None:
    """Add an assignment's files for the editor, the same for its Python, and its pages."""
    name, lite = assignment.name, site / LITE
    if name == LITE:
        raise CallerFault(f"the assignment's name is that of the folder '{LITE}'", advice="give it another name")
    for path, text in texts.items():
        if path not in HANDED_OUT_FILES.values():
            _write(lite / "files" / name / path, text)
    wheel_name, content = _make_wheel(name, texts)
    (lite / PYODIDE / wheel_name).write_bytes(content)
    packages = dict(wheels) | {"assignment": _describe_wheel("assignment", wheel_name, content)}
    lock = json.loads((lite / PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8")) | {"packages": packages}
    lock_text = json.dumps(lock, sort_keys=True)
    lock_name = f"lock-{hashlib.sha256(lock_text.encode()).hexdigest()[:12]}.json"
    _write(lite / PYODIDE / lock_name, lock_text)
    shutil.copytree(lite / "notebooks", lite / name, ignore=shutil.ignore_patterns("build"))
    kernel = {
        "pyodideUrl": f"../{PYODIDE}/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": sorted(packages),
            "lockFileURL": f"./{PYODIDE}/{lock_name}",
            "env": {"HOME": "/home/pyodide", "PYTHONPATH": f"/lib/python3.14/site-packages/{_get_folder(name)}"},
        },
    }
    app = json.loads((lite / "notebooks" / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    app |= {"appUrl": f"/{name}", "litePluginSettings": {f"{EXTENSION}:kernel": kernel}}
    _write(lite / name / "jupyter-lite.json", json.dumps(_make_config(app), sort_keys=True))
    _write(site / name / "index.html", render_work_page(assignment.title or name, name))
    handout = load_page_environment().get_template("handout.html.j2")
    text = render_markdown(texts["handout.md"])
    title = assignment.title or name
    _write(site / name / "handout.html", handout.render(title=title, text=text, root="../", policy=PAGE_POLICY))


def _get_folder(assignment_name: str) -> str:
    return "assignment_" + re.sub(r"\W", "_", assignment_name)


def _make_wheel(assignment_name: str, texts: Mapping[str, str]) -> tuple[str, bytes]:
    """Return a wheel with an assignment's folder, as a desk has it; its name changes with its content."""
    folder = _get_folder(assignment_name)
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
    return f"{folder}-0.{digest}-py3-none-any.whl", packed.getvalue()


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
    """Return a text in Markdown as HTML; nothing in it is taken as HTML."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


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
        loader=FileSystemLoader(FILES),
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
        _write(api / below.relative_to(folder) / "all.json", json.dumps(describe(below) | content))


def _compress(folder: Path) -> None:
    """Add a file.gz to each large file that is not compressed yet, for servers that send such."""
    for path in sorted(folder.rglob("*")):
        if (
            path.suffix in {".js", ".mjs", ".json", ".css", ".svg", ".wasm"}
            and path.stat().st_size > LEAST_COMPRESSED
        ):
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


def _run(
    command: Sequence[str], problem: str, advice: str, environment: Mapping[str, str] | None, place: Path
) -> None:
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-300:]
        raise CallerFault(f"{problem}: {said}", advice=advice)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
