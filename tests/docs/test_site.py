"""The site of ``make docs`` has every page, and its pictures need no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DECISIONS = "decisions/"
"""In the navigation, ``.ci/site.py`` puts all of them in its place."""
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def listed(nav: Any) -> Iterator[str]:
    """Every page of a navigation."""
    if isinstance(nav, str):
        yield nav
    for one in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from listed(one)


def test_every_page_is_in_the_navigation_once() -> None:
    pages = [page for page in listed(SITE["nav"]) if page != DECISIONS]
    wanted = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert {page for page in wanted if not page.startswith(DECISIONS)} <= {*pages}
    assert len(pages) == len({*pages})
    assert DECISIONS in listed(SITE["nav"])


def test_decisions_are_few_and_each_begins_with_its_number() -> None:
    paths = sorted((DOCS / "decisions").glob("*.md"))
    assert len(paths) <= 25
    for number, path in enumerate(paths, 1):
        assert path.name.startswith(f"{number:04d}-")
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. ")


NAMED = re.compile(r"\[decision\s+(\d+)\]\([^)]*?(\d{4})-[^)]*\)", re.I)


def test_a_decision_is_named_by_its_number() -> None:
    pages = [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]
    named = [found for page in pages for found in NAMED.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 10
    assert [found for found in named if int(found[0]) != int(found[1])] == []


def test_pictures_fetch_nothing() -> None:
    pictures = [*DOCS.rglob("*.svg")]
    assert pictures
    for path in pictures:
        assert not re.search(r"(?<!xmlns=.)https?://|@import|<script", path.read_text(encoding="utf-8")), path


def test_the_picture_of_a_report_shows_the_score_that_the_example_gets() -> None:
    drawn = (DOCS / "report.svg").read_text(encoding="utf-8").replace("&#160;", " ")
    (example,) = re.findall(r"examples/submissions/(\w+)\.py", drawn)
    expected = json.loads((ROOT / "examples" / "expected.json").read_text(encoding="utf-8"))[example]
    assert f"{expected['score']:g} of 100 points and {expected['bonus']:g} of 10 bonus points" in drawn


def test_the_design_shows_how_the_parts_work_together() -> None:
    assert "](architecture.svg)" in (DOCS / "design.md").read_text(encoding="utf-8")
    assert "<title" in (DOCS / "architecture.svg").read_text(encoding="utf-8")
