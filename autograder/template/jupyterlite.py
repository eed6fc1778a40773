"""Build JupyterLite and its Python, Pyodide, into a folder: the applications, the runtime, and the wheels it loads.

Both come from package registries when a site is written, in versions that are fixed here.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from autograder.faults import CallerFault, KitFault, translate_file_errors
from autograder.kit_version import advise_to_install_extra

PYODIDE_VERSION = "314.0.6"
PYODIDE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"
PYODIDE_LOCK = "pyodide-lock.json"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", PYODIDE_LOCK)
PYODIDE_SETTING = "JUPYTERLITE_PYODIDE_URL"
"""The environment variable, JupyterLite's own, that names Pyodide's package where npm cannot be asked."""
EXTENSION = "@jupyterlite/pyodide-kernel-extension"
KERNEL_WHEELS = ("ipykernel", "piplite", "pyodide_kernel")
KERNEL_PACKAGES = ("comm", "ipykernel", "ipython", "jedi", "micropip", "piplite", "pyodide-kernel")
"""Packages that the kernel would install if Pyodide's lock did not name them. IPython has a wheel, and the others lie
in Python's archive, but for jedi: 5 MB that complete names, which IPython does without, from a notebook."""
BROWSER_FILES = Path(__file__).parent / "browser_files"
PACKAGE = {"install_dir": "site", "package_type": "package", "unvendored_tests": False, "imports": [], "depends": []}
"""What Pyodide's lock says of each package here: all are loaded at once, so none names what it needs."""
LITE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'"
)
"""The Content-Security-Policy of JupyterLite's pages. ``'wasm-unsafe-eval'`` would do for Python; but JupyterLab's
settings (Ajv, in ``lite/build/``) make functions of their schemas and do not start without ``'unsafe-eval'``. Its
editor sets styles."""
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


def build_jupyterlite(scratch: Path, lite: Path) -> None:
    """Let JupyterLite write its applications, and take out what no page here asks for.

    Raises:
        CallerFault: its packages are missing, or do not do it.
    """
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
    write_text(source / "jupyter_lite_config.json", json.dumps({"LiteBuildConfig": config}))
    write_text(source / "jupyter-lite.json", json.dumps(make_config(_describe_course())))
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "JUPYTER_CONFIG_DIR": str(source)}
    command = [sys.executable, "-W", "ignore", "-m", "jupyterlite_core", "build", "--lite-dir", str(source)]
    _run(command, "JupyterLite cannot be built", "read what it says", source, environment)
    for pattern in ("rspack*", "service-worker.js", "package.json", "bootstrap.js", "doc"):
        for path in lite.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for page in lite.glob("*/index.html"):
        write_text(page, _make_policy_strict(page.read_text(encoding="utf-8")))


def _describe_course() -> dict[str, Any]:
    return {
        "appName": "Autograder",
        "contentsAllJsonFile": "all.json",
        "disabledExtensions": [*DISABLED],
        "exposeAppInBrowser": True,  # work.js stops, saves and hands in what is open
        "settingsOverrides": PLUGIN_SETTINGS,
    }


def make_config(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``jupyter-lite.json``."""
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


@dataclass(frozen=True, slots=True)
class AssignmentWheel:
    """A wheel with one folder, that of an assignment."""

    folder: str
    file_name: str
    content: bytes

    @property
    def path(self) -> str:
        """Return where the folder is once the wheel is installed."""
        return f"/lib/python3.14/site-packages/{self.folder}"


def add_python(scratch: Path, lite: Path, assignment_wheels: Mapping[str, AssignmentWheel]) -> dict[str, Any]:
    """Add Pyodide, what it loads, and the wheels of assignments; return the kernel's settings by assignment.

    Raises:
        CallerFault: npm, node or a registry cannot be reached, or what comes from it is something else.
    """
    folder = scratch / "pyodide"
    folder.mkdir()
    with tarfile.open(_fetch_pyodide(scratch)) as archive:
        for name in PYODIDE_FILES:
            member = archive.extractfile(f"package/{name}")
            (folder / name).write_bytes(member.read() if member else b"")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--platform=any", "--python-version=3.14", "--require-hashes"]
    command += [f"--dest={folder}", f"--requirement={BROWSER_FILES / 'wheels.txt'}"]
    _run(command, "the wheels for the browser cannot be downloaded", "let pip reach its package index", place=scratch)
    for name in KERNEL_WHEELS:
        for path in (lite / "extensions" / EXTENSION).rglob(f"{name}-*.whl"):
            shutil.copyfile(path, folder / path.name)
    shared = sorted(path.name for path in folder.glob("*.whl"))
    for wheel in assignment_wheels.values():
        (folder / wheel.file_name).write_bytes(wheel.content)
    _compile_modules(folder, shared, next(iter(assignment_wheels.values())))
    left = [name for name in shared if (folder / name).exists()]
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in (*PYODIDE_FILES, *left)))
    name = f"pyodide-{digest.hexdigest()[:12]}"
    shutil.move(folder, lite / name)
    return {one: _describe_kernel(lite / name, left, wheel) for one, wheel in assignment_wheels.items()}


def _fetch_pyodide(scratch: Path) -> Path:
    """Return Pyodide's package as the npm registry has it: fetched, or where ``PYODIDE_SETTING`` says it is."""
    package = Path(os.environ.get(PYODIDE_SETTING) or scratch / f"pyodide-{PYODIDE_VERSION}.tgz")
    if PYODIDE_SETTING not in os.environ:
        advice = f"install npm, or set {PYODIDE_SETTING} to a copy of {package.name}"
        _run(["npm", "pack", "--silent", f"pyodide@{PYODIDE_VERSION}"], "npm cannot fetch Pyodide", advice, scratch)
    with translate_file_errors(package):
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
    if digest != PYODIDE_SHA256:
        raise CallerFault(f"this is not the package pyodide {PYODIDE_VERSION}", str(package), "fetch it again")
    return package


def _compile_modules(folder: Path, wheels: Sequence[str], check: AssignmentWheel) -> None:
    """Let Pyodide itself compile the modules that a kernel imports, and an assignment's check: most of the start.

    What is left of the wheels is what cannot be imported from an archive.
    """
    lock = _write_lock(folder, [*wheels, check.file_name])
    command = ["node", str(BROWSER_FILES / "compile.mjs"), str(folder), lock, check.path]
    _run(
        command,
        "Pyodide cannot compile its modules",
        "install node, which comes with npm, of version 20 or later",
        folder,
    )
    (folder / lock).unlink()


def _describe_kernel(folder: Path, wheels: Sequence[str], own: AssignmentWheel) -> dict[str, Any]:
    lock = _write_lock(folder, [*wheels, own.file_name], KERNEL_PACKAGES)
    return {
        "pyodideUrl": f"../{folder.name}/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": [*json.loads((folder / lock).read_text(encoding="utf-8"))["packages"]],
            "lockFileURL": f"./{folder.name}/{lock}",
            "env": {"HOME": "/home/pyodide", "PYTHONPATH": own.path},
        },
    }


def _write_lock(folder: Path, wheels: Sequence[str], known: Sequence[str] = ()) -> str:
    """Write what Pyodide wants to know of its packages; return the file's name, which changes with its content.

    Args:
        folder: where the wheels are.
        wheels: their names.
        known: names of packages that Python has without a wheel; the last wheel stands for each.
    """
    packages = {}
    for file in wheels:
        name, version, *_ = file.split("-")
        name = name.replace("_", "-").lower()
        digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        packages[name] = {"name": name, "version": version, "file_name": file, "sha256": digest} | PACKAGE
    last_wheel = packages[next(reversed(packages))]
    packages = {name: last_wheel | {"name": name} for name in known} | packages
    whole = json.loads((folder / PYODIDE_LOCK).read_text(encoding="utf-8"))
    text = json.dumps(whole | {"packages": packages}, sort_keys=True)
    lock = f"lock-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    write_text(folder / lock, text)
    return lock


def _run(
    command: Sequence[str], problem: str, advice: str, place: Path, environment: Mapping[str, str] | None = None
) -> None:
    if shutil.which(command[0]) is None:
        raise CallerFault(f"{problem}: there is no {command[0]} here", advice=advice)
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[-300:]
        raise CallerFault(f"{problem}: {said}", advice=advice)


def write_text(path: Path, text: str) -> None:
    """Write a file of a site, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
