"""Draw docs/report.svg: what ``autograder grade`` prints of one of the examples, up to the smallest wrong program.

usage, in a checkout: .venv/bin/python .ci/picture.py
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
COMMAND = ("grade", "autograd-engine", "examples/submissions/overwrites.py")
NOT_DRAWN = "\n\n\x1b[1moperators\x1b[0m\n"
"""Begins what is left out: single tests, a concept at a time."""
WIDTH = 112
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>What autograder grade prints</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width }}
{styles}
</style>
<defs>{lines}</defs>
<rect fill="#1b1e26" width="{width}" height="{height}" rx="8"/>
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> None:
    """Grade the example, and draw what is printed."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    done = subprocess.run(
        [Path(sys.executable).with_name("autograder"), *COMMAND],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = done.stdout[: done.stdout.index(NOT_DRAWN)]
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ autograder {' '.join(COMMAND)}\n", style="bold"), Text.from_ansi(shown), sep="\n")
    drawn = console.export_svg(title="", theme=MONOKAI, code_format=FORMAT, unique_id="report")
    text = "\n".join(line.rstrip() for line in drawn.replace("Arial", "sans-serif").splitlines())
    (ROOT / "docs" / "report.svg").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
