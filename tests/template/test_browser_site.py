"""The site on which students work in their browser: what is in it, what is not, and that it needs no network."""

from __future__ import annotations

import functools
import http.server
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.course import Assignment, Course
from autograder.template import choose_site_file_headers, render_markdown
from tests.browser import (
    NOTEBOOK,
    READ,
    READERS,
    WRITE,
    each_reader,
    is_wider_than_its_window,
    list_serious_violations,
    open_offline,
    run_all,
)
from tests.cli.commands import run, succeeded
from tests.conftest import ROOT
from tests.machine import until
from tests.template.running import run_pytest, unpack_template

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FIRST_LOAD = 15 * 2**20


MISTAKES = {
    "topological-sort": ("topo.append(node)", "topo.insert(0, node)"),
    "autograd-engine": ("self.grad += out.grad", "self.grad = out.grad"),
    "neural-network": ("return total.tanh() if self.nonlin else total", "return total.tanh()"),
    "tokenizer": ("place += 2", "place += 1"),
}
"""An edit of each assignment's solution that makes it wrong."""


class Server(http.server.SimpleHTTPRequestHandler):
    """Sends a site as a plain web server does that sends compressed files where they lie there."""

    protocol_version = "HTTP/1.1"
    sent: dict[str, int] = {}  # noqa: RUF012 - one server at a time

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        smaller = Path(f"{path}.gz")
        if not path.is_file():
            self.send_error(404)
            return
        content = (smaller if smaller.exists() else path).read_bytes()
        self.send_response(200)
        place = path.relative_to(self.directory).as_posix()
        for name, value in choose_site_file_headers(place).items():
            self.send_header(name, value)
        if smaller.exists():
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.sent[place] = len(content)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def address(browser_site: Path) -> Iterator[str]:
    Server.sent.clear()
    handler = functools.partial(Server, directory=str(browser_site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def read_all(site: Path) -> dict[str, bytes]:
    """Every file of a site, and of the wheels in it."""
    found = {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    for name in [name for name in found if name.endswith((".whl", ".zip"))]:
        with zipfile.ZipFile(site / name) as wheel:
            found.update({f"{name}/{one}": wheel.read(one) for one in wheel.namelist()})
    return found


def test_neither_hidden_tests_nor_solutions_are_in_a_site(browser_site: Path, course: Course) -> None:
    found = read_all(browser_site)
    given = "".join(path.read_text() for path in course.folder.glob("student_template/**/*.py"))
    for one in course.assignments:
        answers = re.findall(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", one.solution_file.read_text(), re.DOTALL)
        hidden = [path.read_text() for path in (one.folder / "hidden").rglob("*.py")]
        sentences = [text for file in hidden for text in re.findall(r'^    """(.{30,}?)"""', file, re.M)]
        texts = [text.strip() for text in (*answers, *sentences)]
        secrets = [text for text in texts if len(text) > 30 and text not in given]
        assert len(secrets) > 5, one.name
        for name, content in found.items():
            assert not any(secret.encode() in content for secret in secrets), name


def test_what_one_assignment_shares_with_the_course_is_the_same_each_time(
    sorting: Assignment, browser_site: Path, tmp_path: Path
) -> None:
    done = run("template", "--browser", tmp_path / "site", "--assignment", sorting.name, "--course", ROOT)
    assert "autograder serve --browser" in succeeded(done)
    one, whole = read_all(tmp_path / "site"), read_all(browser_site)
    assert not any("tokenizer" in name.split("/") for name in one)
    assert {name for name in one if whole[name] != one[name]} == {"index.html", "lite/api/contents/all.json"}


def test_an_engine_is_written_checked_mended_and_kept_in_the_browser_alone(
    browser: Browser, address: str, sorting: Assignment
) -> None:
    elsewhere: list[str] = []
    page = open_offline(browser, address, elsewhere)
    page.goto(f"{address}/topological-sort/index.html")
    assert "build_topo is not written yet (7 tests)" in run_all(page)
    assert sum(Server.sent.values()) < FIRST_LOAD
    right = sorting.solution_file.read_text(encoding="utf-8")
    page.evaluate(WRITE, right.replace("topo.append(node)", "topo.insert(0, node)"))
    wrong = run_all(page)
    assert "m uses n, so n must come first" in wrong
    assert "The graph of the first test that is wrong" in wrong
    page.evaluate(WRITE, right)
    assert "All of it holds" in run_all(page)
    until(lambda: not page.evaluate(f"{NOTEBOOK}.dirty"), "the notebook is kept")
    page.reload()
    assert "All of it holds" in run_all(page)
    assert elsewhere == []


def test_an_endless_loop_is_stopped_by_a_button_and_nothing_is_lost(browser: Browser, address: str) -> None:
    page = open_offline(browser, address, [])
    page.goto(f"{address}/topological-sort/index.html")
    page.locator("#run:enabled").wait_for()
    page.evaluate(WRITE, "def build_topo(v, visited, topo):\n    while True:\n        pass\n")
    page.click("#run")
    page.locator("#state", has_text="Running").wait_for()
    page.click("#stop")
    page.locator("#state", has_text="Stopped").wait_for()
    assert "while True" in str(page.evaluate(READ))
    with page.expect_download() as download:
        page.click("#program")
    assert "while True" in Path(download.value.path()).read_text(encoding="utf-8")


def join_words(printed: str) -> str:
    """What a run of the public tests says, without how long it took, and where its lines and words are broken.

    The last digits of a ``tanh`` differ from one C library to the next.
    """
    said = re.sub(r"-{3,}| in [\d.]+s", "", printed[printed.index("-----") :])
    return "".join(re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.9g}", said).split())


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.thorough) for one in MISTAKES])
def test_public_tests_of_each_assignment_say_what_they_say_on_a_desk(
    browser: Browser, address: str, course: Course, name: str, tmp_path: Path
) -> None:
    assignment = next(one for one in course.assignments if one.name == name)
    wrong = assignment.solution_file.read_text(encoding="utf-8").replace(*MISTAKES[name], 1)
    folder = unpack_template(assignment, tmp_path)
    (folder / "value.py").write_text(wrong, encoding="utf-8")
    page = open_offline(browser, address, [])
    page.goto(f"{address}/{name}/index.html")
    page.locator("#run:enabled").wait_for()
    page.evaluate(WRITE, wrong)
    cells = [cell for cell in json.loads(run_all(page)) if cell["cell_type"] == "code"]
    assert not any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])
    assert all(cell["execution_count"] for cell in cells)
    checks = {cell["source"]: cell["outputs"] for cell in cells if cell["source"].startswith("run_tests(")}
    files = [path.stem for path in sorted((folder / "tests").glob("test_*.py"))]
    assert sorted(checks) == [f'run_tests("{file}")' for file in files]
    said = {file: "".join(one.get("text", "") for one in checks[f'run_tests("{file}")']) for file in files}
    assert any("what is wrong" in text for text in said.values())
    for file, text in said.items():
        assert join_words(text) == join_words(run_pytest(folder, f"tests/{file}.py").stdout), file


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_is_no_wider_than_its_window(browser: Browser, address: str, width: int) -> None:
    page = open_offline(browser, address, [])
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(f"{address}/topological-sort/index.html")
    page.locator("#run:enabled").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@each_reader
def test_handouts_have_a_figure_and_are_read_in_each_light_and_on_a_phone(
    browser: Browser, address: str, mode: str
) -> None:
    page = browser.new_context(**READERS[mode]).new_page()
    page.goto(f"{address}/index.html")
    assert list_serious_violations(page) == []
    for name in MISTAKES:
        page.goto(f"{address}/{name}/handout.html")
        assert page.get_by_role("img", name="A graph").is_visible()
        assert list_serious_violations(page) == []
        assert not is_wider_than_its_window(page)


def test_a_graph_that_a_handout_describes_is_drawn_and_said_in_words() -> None:
    page = render_markdown("```graph\nf = a + a: data 6, grad 1\na: data <3>\n```\n")
    assert '<desc id="figure-0-words">f = a + a: data 6, grad 1. a: data &lt;3&gt;.</desc>' in page
    assert page.count('marker-end="') == 2
    assert "svg" not in render_markdown("```graph\nf = (a\n  , b)\n```\n")
