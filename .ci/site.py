"""Prepare the repository's pages for MkDocs, which reads ``docs/`` alone.

Pages that lie elsewhere, such as README.md, are added; links between pages are changed to where the pages are in the
site; links to other files of the repository become plain text. The decisions get a list, and their place in the
navigation.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
ADDED = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks/README.md",
    "benchmarks/flat.svg": "benchmarks/flat.svg",
    "tests/redteam/README.md": "tests/redteam/README.md",
}
"""Files outside of ``docs/``, and where they are in the site."""
DECISIONS = "decisions/"
LIST = f"{DECISIONS}index.md"
LINK = re.compile(r"(!?\[((?:[^\[\]]|\[[^\]]*\])*)\])\(([^)\s]+)\)")
TITLE = re.compile(r"^# (.+)$", re.M)


def on_config(config: Any) -> Any:
    """Put every decision into the navigation."""
    config["nav"] = _expanded(config["nav"])
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that lie elsewhere, and the list of the decisions."""
    for source, place in ADDED.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    lines = [f"{_title(path)} ([{path.stem[:4]}]({path.name}))" for path in _decisions()]
    files.append(File.generated(config, LIST, content="\n\n".join(["# Decisions", *lines])))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Change a page's links to where things are in the site."""
    place = page.file.src_uri
    source = next((one for one, there in ADDED.items() if there == place), f"docs/{place}")

    def changed(link: re.Match[str]) -> str:
        path, mark, anchor = link[3].partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not path or "://" in path or not (ROOT / wanted).exists():
            return link[0]
        there = _place(wanted)
        if there is None:
            return link[2]
        return f"{link[1]}({posixpath.relpath(there, posixpath.dirname(place) or '.')}{mark}{anchor})"

    return LINK.sub(changed, markdown)


def _place(path: str) -> str | None:
    """Return where a file or folder of the repository is in the site; None if it is not in it."""
    if path == "docs/decisions":
        return LIST
    for file in (path, f"{path}/README.md"):
        if file in ADDED:
            return ADDED[file]
        if file.startswith("docs/") and (ROOT / file).is_file():
            return file.removeprefix("docs/")
    return None


def _expanded(nav: Any) -> Any:
    """Return the navigation with the list of the decisions in place of their folder."""
    if isinstance(nav, list):
        return [_expanded(one) for one in nav]
    if isinstance(nav, dict):
        return {title: _expanded(one) for title, one in nav.items()}
    return [LIST, *(f"{DECISIONS}{path.name}" for path in _decisions())] if nav == DECISIONS else nav


def _decisions() -> Iterator[Path]:
    return iter(sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md")))


def _title(path: Path) -> str:
    found = TITLE.search(path.read_text(encoding="utf-8"))
    return found[1] if found else path.stem
