"""Nothing more can be written: the hand-in is refused with a sentence, and what is stored stays and is read."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from werkzeug.test import encode_multipart

from autograder.batch.batch_location import BatchLocation
from autograder.web.settings import CourseServerSettings
from autograder.web.store.server_store import open_server_store
from tests.toy import RIGHT
from tests.web.conftest import Browser, Site

REFUSED = "Nothing was handed in.</strong> The server could not keep your file"
KEPT_NOTHING = "Nothing was sent.</strong> The server could not keep your text"
INDEX_OF_WAL = 32 * 1024
"""The size of a file that SQLite needs to read at all."""
LARGE = "# " + "x" * 600_000 + "\n" + RIGHT


@contextmanager
def no_larger_files(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size: what a quota does to it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(path: Path) -> None:
    """Fill the disk to its last byte."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)) == 4096:
            pass
    assert shutil.disk_usage(path.parent).free == 0


def stays(site: Site, before: list[object]) -> None:
    """Everything that was stored is there, and read as before."""
    assert site.hand_ins() == before
    ada = site.browser("ada")
    assert "double gave 6" in ada.get(f"/hand-ins/{site.key('ada-1')}").text
    assert ada.get(f"/hand-ins/{site.key('ada-2')}/file").data == RIGHT.encode()


def paste(browser: Browser, token: str, code: str) -> tuple[int, str]:
    boundary, body = encode_multipart({"csrf_token": token, "code": code})
    answer = browser.client.post(
        "/assignments/toy", data=body, content_type=f"multipart/form-data; boundary={boundary}"
    )
    return answer.status_code, answer.text


@pytest.mark.parametrize("size", [len(LARGE) // 2, len(LARGE) + 2000], ids=["the upload", "the store"])
def test_a_hand_in_beyond_a_quota_is_refused_and_its_text_stays_in_the_form(site: Site, size: int) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    token = ada.token("/assignments/toy")
    with no_larger_files(size):
        code, page = paste(ada, token, LARGE)
    assert (code, REFUSED in page) == (503, True)
    assert "x" * 600_000 in page
    assert "Attempt 3" not in page
    stays(site, [*before])
    assert paste(ada, token, RIGHT)[0] == 303


def test_a_full_disk_refuses_hand_ins_until_there_is_room(root: Path, tiny_disk: Path) -> None:
    out = tiny_disk / "results"
    shutil.copytree(root / "results", out)
    site = Site(CourseServerSettings(root / "course", BatchLocation(out)))
    ada, ballast, receipt = site.browser("ada"), tiny_disk / "ballast", f"/hand-ins/{site.key('ada-1')}"
    before, token = site.hand_ins(), ada.token("/assignments/toy")
    with open_server_store(
        site.settings.location
    ) as worker:  # as a worker does, it has the database open all the time
        assert worker.hand_ins.list_hand_ins("", "toy") == before
        fill(ballast)
        code, page = paste(ada, token, LARGE)
        assert (code, REFUSED in page, "Attempt 3" in page) == (503, True, False)
        assert "double gave 6" in ada.get(receipt).text
        ballast.unlink()
    stays(site, [*before])
    assert paste(ada, token, LARGE)[0] == 303
    assert [one.submission for one in site.hand_ins()][-1] == "ada-3"


def test_a_question_and_an_answer_beyond_a_quota_are_refused_and_their_texts_stay(site: Site) -> None:
    """What is on the disk of an inquiry is read meanwhile, by both sides."""
    ada, tess, receipt = site.browser("ada"), site.browser("tess"), f"/hand-ins/{site.key('ada-1')}"
    question, answer = "Why 6? " + "\N{FIRE}" * 4900, "Because. " + "\N{BELL}" * 4900  # four bytes each
    token = ada.token(f"{receipt}/ask")
    with no_larger_files(INDEX_OF_WAL + 8_000):
        refused = ada.client.post(f"{receipt}/ask", data={"csrf_token": token, "text": question})
    assert (refused.status_code, KEPT_NOTHING in refused.text, question in refused.text) == (503, True, True)
    page = ada.post(f"{receipt}/ask", text=question).headers["Location"]
    token = tess.token(page)
    seen = {"seen": re.findall(r'name="seen" value="(\d+)"', tess.get(page).text)[0]}
    with no_larger_files(INDEX_OF_WAL + 8_000):
        refused = tess.client.post(f"{page}/answer", data={"csrf_token": token, "text": answer, **seen})
        assert question in ada.get(page).text
    assert (refused.status_code, KEPT_NOTHING in refused.text, answer in refused.text) == (503, True, True)
    assert tess.post(f"{page}/answer", page=page, text=answer, **seen).status_code == 303
    assert answer in ada.get(page).text
