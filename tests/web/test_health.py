"""The administrator sees whether workers run, what waits, what went wrong, and how much room is left."""

from __future__ import annotations

import re
import shutil
from collections import namedtuple
from dataclasses import replace
from datetime import timedelta

import pytest

from autograder.kit_version import get_kit_version_with_code_digest
from autograder.web.store.server_store import ServerStore
from tests.postgres import start_postgres
from tests.toy import RIGHT
from tests.web.conftest import Site

Usage = namedtuple("Usage", "total used free")


def health(site: Site) -> str:
    answer = site.browser("root").get("/health")
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.text))


def start(site: Site, name: str = "w", kit: str = "") -> None:
    version = kit or get_kit_version_with_code_digest()
    site.in_store(lambda store: store.workers.record_start("", name, "namespaces", version, "3.12.1"))


def test_all_is_well_while_a_worker_runs(site: Site) -> None:
    start(site)
    page = health(site)
    assert "All is well." in page
    assert re.search(rf"w running .* namespaces {re.escape(get_kit_version_with_code_digest())} 3.12.1", page)
    assert re.search(r"[\d.]+ [GM]B of [\d.]+ GB are free", page)


def test_a_worker_that_was_killed_is_not_seen_any_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    start(site)
    monkeypatch.setattr("autograder.web.health.LEASE", timedelta(0))
    assert "w no longer seen" in health(site)
    assert "No worker is running" in health(site)


def test_what_waits_and_what_failed_is_counted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    start(site)
    site.browser("bob").hand_in(RIGHT)

    def fail(store: ServerStore) -> None:
        store.grading_queue.record_outcome(store.hand_ins.list_hand_ins("", "toy")[0], "the <b>machine</b> failed")

    site.in_store(fail)
    page = health(site)
    assert re.search(r"Waiting 1 ?, a student longest since 20[\d :-]+ CES?T", page)
    assert re.search(r"Students waited [\w ]+ in the queue and [\w ]+ for grading: medians of the last 3 h", page)
    ada = re.escape("Ada &lt;b&gt;Okafor&lt;/b&gt; (ada), attempt 1")
    assert re.search(f"Graded 3 Failed 1 toy: {ada} : the &lt;b&gt;machine&lt;/b&gt; failed", page)
    assert "The grader failed on hand-ins" in page
    monkeypatch.setattr("autograder.web.health.LONGEST_WAIT", timedelta(0))
    assert "A hand-in has waited for more than 0 minutes." in health(site)


def test_a_worker_of_another_version_is_told(site: Site) -> None:
    start(site, kit="0.1.0+0")
    assert "A worker runs another version of the kit than the pages" in health(site)


def test_a_disk_that_is_nearly_full_is_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    start(site)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 2**40 - 2**20, 2**20))
    page = health(site)
    assert "The disk with the results is nearly full" in page
    assert "1 MB of 1024 GB are free" in page


def test_what_goes_wrong_on_a_page_is_kept_and_told_to_the_administrator_alone(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("<script>boom</script>")

    monkeypatch.setattr("autograder.web.results.EffectiveClassResults.compute_lateness_now", fail)
    site.app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = site.browser("ada").get("/")
    assert (answer.status_code, "boom" in answer.text) == (500, False)
    monkeypatch.undo()
    page = site.browser("root").get("/health").text
    assert "GET student_assignment_pages.show_assignments: RuntimeError: &lt;script&gt;boom&lt;/script&gt;" in page


def test_the_same_fault_again_and_again_is_one_line_and_old_ones_go(site: Site) -> None:
    def record(store: ServerStore) -> None:
        for number in range(120):
            store.faults.record_fault("", "worker w", f"fault {number}")
        for _ in range(9):
            store.faults.record_fault("", "worker w", "the disk fails")

    site.in_store(record)
    kept = site.in_store(lambda store: [one.text for one in store.faults.list_latest_faults("", 1000)])
    assert kept[:2] == ["the disk fails", "fault 119"]
    assert len(kept) == 100


def test_a_course_that_became_invalid_is_told_once_while_the_last_valid_one_is_served(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.web.request.COURSE_SECONDS", 0.0)
    assert "cannot be loaded" not in health(site)
    (site.settings.course / "grading.yml").write_text("assignments: [", encoding="utf-8")
    for _ in range(3):
        page = health(site)
    assert page.count("the course cannot be loaded, so the last valid one is served") == 1
    assert "grading.yml" in page
    assert site.browser("tess").get("/class/toy").status_code == 200


@pytest.mark.thorough
def test_an_address_that_no_database_takes_is_no_fault_of_the_server(site: Site) -> None:
    with start_postgres() as database:
        place = replace(site.settings.location, store_option=database.url)
        site = Site(replace(site.settings, location=place))
        ada = site.browser("ada")
        for path in ("/hand-ins/%00", "/inquiries/%00", "/assignments/%00", "/link/%00"):
            assert ada.get(path).status_code == 404, path
        assert "the database failed" not in health(site)


def test_a_regrade_is_nobody_who_has_waited_since_the_hand_in(site: Site) -> None:
    hand_ins = site.hand_ins()
    site.in_store(lambda store: store.grading_queue.requeue_ended(*hand_ins))
    page = health(site)
    assert "Waiting 4" in page
    assert "longest since" not in page
