"""Read what a recording keeps without what differs from run to run, and compare two recordings."""

from __future__ import annotations

import difflib
import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

NOW = datetime.now(UTC)
DAYS = "|".join(f"{NOW + timedelta(days=days):%Y-%m-%d}" for days in (-1, 0, 1))
CHANGING = (
    (re.compile(rf"(?:{DAYS})(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?: UTC|[+]00:00|Z)?"), "TIME"),
    (re.compile(r"\b0\.\d+\.\d+\+[0-9a-f]{12}\b"), "KIT"),
    (re.compile(r"(?<![.\w])(?=\d*[a-f])[0-9a-f]{16}\b"), "VERSION"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"(?<=\btime=\")[\d.]+(?=\")"), "SECONDS"),
    (re.compile(r"(?<=was in |ill in )(?:(?!when its).){1,150}(?=when its time was up)", re.DOTALL), "PLACE, "),
    (re.compile(r"\d+(?= bytes, read back)"), "SIZE"),
    (re.compile(r"\d+(\.\d+)? [GM]B of \d+ GB are free"), "SIZE of SIZE are free"),
)
"""What is of this run alone, and what stands in its place; times of other days are part of the script."""
TIMINGS = re.compile(r"\d+(\.\d+)? s\b|\d+(\.\d+)? a second")
"""How long a command took; limits of time in messages are left as they are."""
UNSEEN = {"script", "style"}
OF_THIS_RUN = {"schema_version", "kit_version", "python", "timing"}
"""Keys of a report that no student is shown, or that a clock made."""
MOST_LINES, MOST_ITEMS, MOST_GROUPS, LONGEST = 30, 8, 400, 600
THERE, NOTHING = "(there)", "(not there)"


def steady(text: str, *folders: Path) -> str:
    """Return a text without what is of this run alone, such as the folder that it was made in."""
    for folder in folders:
        text = text.replace(str(folder), "FOLDER")
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def steady_report(report: Any) -> Any:
    """Return a score report without what is of this run alone, its tests by their ids."""
    kept = {key: value for key, value in report.items() if key not in OF_THIS_RUN}
    kept["tests"] = {one["id"]: one for one in report.get("tests", ())}
    return steady_value(kept)


def steady_value(value: Any) -> Any:
    """Return a value of JSON with steady texts."""
    if isinstance(value, dict):
        return {key: steady_value(one) for key, one in value.items()}
    if isinstance(value, list):
        return [steady_value(one) for one in value]
    return steady(value) if isinstance(value, str) else value


def read_folder(folder: Path, place: Path) -> dict[str, str]:
    """Return the files of a folder by path, those of zips too; bytes that are no text are escaped."""
    files = (
        (str(path.relative_to(folder)), path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()
    )
    return {
        name: steady_file(name, content.decode("utf-8", "backslashreplace"), place)
        for file, raw in files
        for name, content in unpack(file, raw)
    }


def steady_file(name: str, text: str, place: Path) -> str:
    """Return a file's text without what is of this run alone; a score report is read as one."""
    if "reports/" in name:
        text = json.dumps(steady_report(json.loads(text)), indent=1, ensure_ascii=False)
    return steady(text, place)


def unpack(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a file, or the members of a zip."""
    if not name.endswith(".zip"):
        yield name, content
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for member in sorted(archive.namelist()):
            yield from unpack(f"{name}/{member}", archive.read(member))


class VisibleText(HTMLParser):
    """Collects what a reader sees or hears of a page, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in UNSEEN
        self.lines += [f"[{value}]" for name, value in attrs if name in ("aria-label", "placeholder") and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in UNSEEN

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.lines.append(" ".join(data.split()))


def read_visible_text(page: str) -> str:
    """Return what is seen of a page."""
    parser = VisibleText()
    parser.feed(page)
    parser.close()
    return "\n".join(parser.lines)


def compare_recordings(before: Path, after: Path) -> list[str]:
    """Return the differences of two recordings as text, those that are alike together; none if they are equal."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for area in sorted({path.stem for folder in (before, after) for path in folder.glob("*.json")}):
        old, new = (read_area(folder, area) for folder in (before, after))
        for item in sorted({*old, *new}):
            if item in old and item in new:
                for place, was, now in iterate_differences(old[item], new[item]):
                    groups[area, place, show_difference(was, now)].append(item)
            else:
                there = (THERE, NOTHING) if item in old else (NOTHING, THERE)
                groups[area, "", show_difference(*there)].append(item)
    shown = [
        f"{area}: {place or 'whole'}\n{difference}\n  in {len(items)}: {', '.join(items[:MOST_ITEMS])}"
        + (", ..." if len(items) > MOST_ITEMS else "")
        for (area, place, difference), items in groups.items()
    ]
    left_out = len(shown) - MOST_GROUPS
    return [*shown[:MOST_GROUPS], f"and {left_out} further kinds of differences"] if left_out > 0 else shown


def read_area(folder: Path, area: str) -> dict[str, Any]:
    """Return the items of one area of a recording; none where it lacks the area."""
    file = folder / f"{area}.json"
    items: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return items


def iterate_differences(was: Any, now: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the path of each value that differs, with its text before and after."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in (*was, *(key for key in now if key not in was)):
            yield from iterate_differences(was.get(key), now.get(key), f"{place}/{key}")
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from iterate_differences(one, other, f"{place}/{number}")
    elif was != now or type(was) is not type(now):
        yield place, as_text(was), as_text(now)


def as_text(value: Any) -> str:
    """Return a value as it is shown."""
    if value is None:
        return NOTHING
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def show_difference(was: str, now: str) -> str:
    """Return two values, or of long texts the lines that differ."""
    if NOTHING in (was, now) or not ("\n" in was and "\n" in now):
        return f"  before: {was[:LONGEST]}\n  after:  {now[:LONGEST]}"
    lines = [
        f"  {line[:LONGEST]}"
        for line in difflib.unified_diff(was.splitlines(), now.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    lines = lines or [f"  before: {was!r}"[:LONGEST], f"  after:  {now!r}"[:LONGEST]]
    more = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], f"  and {more} further lines"] if more > 0 else lines)
