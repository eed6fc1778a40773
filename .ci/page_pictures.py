"""Draw docs/student-page.png and docs/replay.png: parts of a student's page, as Chromium shows it.

usage, in a checkout with Chromium: .venv/bin/python .ci/page_pictures.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
COMMAND = ("grade", "autograd-engine", "examples/submissions/no_visited.py", "--page")
WIDTH = 860
MARGIN = 14


def main() -> None:
    """Grade the example, and take two pictures of its page: in light, and the replay in dark."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        command = [Path(sys.executable).with_name("autograder"), *COMMAND, file]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 1800})
        page.goto(file.as_uri())
        bottom = _box(page, ".example")
        height = bottom["y"] + bottom["height"] + MARGIN
        page.screenshot(
            path=ROOT / "docs" / "student-page.png", clip={"x": 0, "y": 0, "width": WIDTH, "height": height}
        )
        page.emulate_media(color_scheme="dark")
        page.get_by_role("slider").fill("4")
        replay = _box(page, "#replay")
        clip = {**replay, "x": replay["x"] - MARGIN, "width": replay["width"] + 2 * MARGIN}
        page.screenshot(path=ROOT / "docs" / "replay.png", clip={**clip, "height": replay["height"] + MARGIN})
        browser.close()


def _box(page: Page, selector: str) -> dict[str, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None, f"the page has no {selector}"
    return dict(box)


if __name__ == "__main__":
    main()
