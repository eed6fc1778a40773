"""Give a course the pages for its staff that messages and files of the course refer to."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.atomic_file_writing import write_file_atomically

GUIDE_PAGES = (
    "docs/new-assignment.md",
    "docs/writing-tests.md",
    "docs/teaching-assistants.md",
    "docs/administrators.md",
    "docs/lateness.md",
    "docs/scaling.md",
)
"""Their paths, in a course as in the repository; ``setup.py`` packs them."""
DECISION_LINK = re.compile(r"(?<!\s)\s+\(\[decision\s+\d+\]\([^()]*\)\)")
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\[\]:#]+)(#[^()\[\]]*)?\)")
"""A link to another page; not one within the page, or to the web."""

CUT_LINKS_NOTE = "Names of pages in *italics* stand for pages in the documentation of the kit's repository.\n"


def read_guide_pages(kit_course_folder: Path) -> dict[str, str]:
    """Return the pages' texts by path, without links to pages that only the repository has.

    Args:
        kit_course_folder: the folder of the course that comes with the kit.
    """
    paths = {name: kit_course_folder / name for name in GUIDE_PAGES}
    return {name: _cut_links_out_of_course(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def write_missing_guide_pages(course_folder: Path, kit_course_folder: Path) -> None:
    """Write the pages that a course does not have, each whole: half a page would be taken for the author's own.

    Raises:
        CallerFault: a page cannot be written.
        KitFault: the disk is full or fails.
    """
    for name, text in read_guide_pages(kit_course_folder).items():
        path = course_folder / name
        if not path.exists():
            write_file_atomically(path, text.encode())


def _cut_links_out_of_course(page: str) -> str:
    page_names = {Path(name).name for name in GUIDE_PAGES}
    cut_page = LINK.sub(
        lambda link: link[0] if link[2] in page_names else f"*{link[1]}*", DECISION_LINK.sub("", page)
    )
    return cut_page if cut_page == page else f"{cut_page}\n{CUT_LINKS_NOTE}"
