"""Make notebooks and their cells as nbformat does."""

from __future__ import annotations

from typing import Any

import nbformat


def cell(source: str, *tags: Any, **metadata: Any) -> Any:
    return nbformat.v4.new_code_cell(source, metadata={**({"tags": [*tags]} if tags else {}), **metadata})


def notebook(*cells: Any) -> Any:
    return nbformat.v4.new_notebook(cells=[one if isinstance(one, dict) else cell(one) for one in cells])
