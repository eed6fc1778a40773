"""List the files that somebody wrote into a folder, without what tools leave there."""

from __future__ import annotations

from pathlib import Path

TOOL_CACHE_FOLDERS = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints"})


def list_files_without_tool_caches(folder: Path) -> list[Path]:
    """Return all files below a folder, sorted by path, but for what Python, pytest, mypy, Ruff and Jupyter leave."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if not TOOL_CACHE_FOLDERS.intersection(path.relative_to(folder).parts) and path.is_file()
    ]
