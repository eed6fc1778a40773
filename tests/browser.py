"""Open pages in the Chromium of this machine, as their readers do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.machine import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page, Route

NAMES = ("chromium", "chromium-browser", "google-chrome")
SERIOUS = ("serious", "critical")
READERS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}},
    "phone, dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
}
"""How readers open a page: what a context of the browser is told."""
each_reader = pytest.mark.parametrize(
    "mode",
    ["light", "phone, dark", *(pytest.param(mode, marks=pytest.mark.thorough) for mode in ("dark", "phone"))],
)
"""For what takes seconds on each page: two readers have every colour and every width between them."""

LONG = 1_000 * PATIENCE
"""Milliseconds after which a page is given up."""
NOTEBOOK = "document.getElementById('lite').contentWindow.jupyterapp.shell.currentWidget.context.model"
WRITE = f"""text => {{
  const cells = {NOTEBOOK}.cells;
  for (let i = 0; i < cells.length; i++) {{
    if (cells.get(i).id === "cell-04") cells.get(i).sharedModel.setSource(text);
  }}
}}"""
"""Writes into the cell that a student fills in."""
READ = f"() => JSON.stringify({NOTEBOOK}.toJSON().cells)"


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open a browser, or skip what needs one and say why."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = os.environ.get("KIT_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"there is no Chromium here: none of {', '.join(NAMES)} is installed")
    # One process for a page and its frames: Playwright at times loses a frame that goes to another site's process.
    arguments = ["--disable-site-isolation-trials"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium's own sandbox refuses to run as root
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=arguments)
        browser.on("context", lambda context: context.set_default_timeout(LONG))
        try:
            yield browser
        finally:
            browser.close()


def list_serious_violations(page: Page | Frame) -> list[str]:
    """Return what axe-core finds serious or critical in a page."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # has no types

    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def open_on_small_phone_with_large_letters(page: Page) -> None:
    """Show pages on 320 px with letters of twice the usual size, as some set it; reload what is open."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    page.set_viewport_size({"width": 320, "height": 640})
    page.reload()


def is_wider_than_its_window(page: Page) -> bool:
    """Return whether a page has to be scrolled sideways."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return wide


def press_tab_until(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so, as somebody without a mouse does."""
    for _ in range(60):
        page.keyboard.press("Tab")
        called = page.evaluate(
            "(document.activeElement.labels?.[0]?.innerText || document.activeElement.innerText || '').trim()"
        )
        if called.startswith(name):
            return
    raise AssertionError(f"Tab leads to nothing that is called {name}")


def open_offline(browser: Browser, address: str, asked_elsewhere: list[str]) -> Page:
    """Open a page that can reach its own address and no other."""

    def answer(route: Route) -> None:
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            asked_elsewhere.append(route.request.url)
            route.abort()

    context = browser.new_context()
    context.route("**", answer)
    return context.new_page()


def run_all(page: Page) -> str:
    """Run the notebook, and return its cells with what they print."""
    page.locator("#run:enabled").wait_for()
    page.click("#run")
    page.locator("#state", has_text="Ready").wait_for()  # the click itself has taken that word away
    return str(page.evaluate(READ))
