"""How a class did is told by numbers that can be checked, and shown as text wherever it is shown."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from autograder.batch.personalized_reports import iterate_personalized_reports, load_report_context
from autograder.class_reports.class_overview import (
    ClassOverview,
    PointDistribution,
    SubmissionGroup,
    TestStatistics,
    collect_class_overview,
)
from autograder.class_reports.staff_views import format_percentage, iterate_rich_overview_parts, render_overview_page
from autograder.decisions import DecisionProvenance
from autograder.sandbox import SandboxConfig
from tests.html_reading import ReadHtml
from tests.store.conftest import CounterCourse, make_counter_course, open_counter_class

ATTACK = "<script>alert(1)</script>\"'\x1b[31m\u202e"


@pytest.fixture(scope="session")
def overview_class(sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> CounterCourse:
    """A small class, graded once; not to be changed."""
    counter_course = make_counter_course(tmp_path_factory.mktemp("overview") / "course", sandbox)
    counter_course.batch()
    return counter_course


@pytest.fixture(scope="session")
def overview(overview_class: CounterCourse) -> ClassOverview:
    with open_counter_class(overview_class, dry_run=True) as one:
        return collect_class_overview(one, overview_class.root / "out")


@pytest.mark.parametrize(
    ("points", "full", "counts"),
    [
        ((0.0, 0.99, 1.0, 5.0, 9.99, 10.0, 10.0), 10.0, (2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2)),
        ((0.3,), 1.0, (0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_points_are_sorted_into_tenths_of_the_full_marks_and_full_marks_apart(
    points: tuple[float, ...], full: float, counts: tuple[int, ...]
) -> None:
    assert PointDistribution(points, full).counts_by_tenth_and_full == counts


def test_an_empty_class_has_an_overview() -> None:
    nothing = PointDistribution((), 10.0)
    assert (nothing.mean_or_zero, nothing.median_or_zero, sum(nothing.counts_by_tenth_and_full)) == (0, 0, 0)


def test_the_figures_of_a_class_are_those_of_its_reports(overview: ClassOverview) -> None:
    assert sorted(overview.reached.points) == [0, 0, 5, 10, 10, 10]
    assert (overview.submissions, overview.counting, overview.full_marks_share) == (6, 6, 0.5)
    assert overview.ungradable == (SubmissionGroup("syntax-error", ("carol",)),)
    assert [len(version.names) for version in overview.versions] == [6]


def test_the_hardest_test_is_the_first_and_what_could_not_be_tried_fails(overview: ClassOverview) -> None:
    figures = {one.id: (one.failed, one.submissions) for one in overview.tests}
    assert [*figures] == ["counting.it-goes-up-twice", "steps.it-goes-down", "counting.it-goes-up"]
    assert [*figures.values()] == [(3, 6), (3, 6), (2, 6)]


def test_an_earlier_version_is_shown_beside_the_present_one(overview_class: CounterCourse, tmp_path: Path) -> None:
    counter_course = CounterCourse(tmp_path / "course", overview_class.sandbox)
    shutil.copytree(overview_class.root, counter_course.root, ignore=shutil.ignore_patterns("__pycache__"))
    old = counter_course.assignment.version
    counter_course.change(counter_course.root / "grading.yml", "counting: 10", "counting: 30")
    counter_course.regrade()
    with open_counter_class(counter_course, dry_run=True) as one:
        now, before = (collect_class_overview(one, counter_course.root / "out", version) for version in ("", old))
    assert (now.final.mean_or_zero, round(before.final.mean_or_zero, 2)) == (17.5, 5.83)
    page = render_overview_page(now, before).decode()
    assert "beside 5.83" in page


def test_whom_a_person_decided_about_is_listed(overview_class: CounterCourse) -> None:
    made = DecisionProvenance("Kim", "kim").make_decision("override", "bob", value="9")
    with open_counter_class(overview_class, dry_run=True) as one:
        history = one.load_decision_history()
        assert history == []
        context = load_report_context(one.store, one.stored_class, one.assignment.deadline_rules, [made])
        entries = [*iterate_personalized_reports(one.store, one.stored_class, context)]
    assert [entry.report.submission.id for entry in entries if entry.report.decided] == ["bob"]


@pytest.mark.parametrize(
    ("share", "shown"), [(0, "0 %"), (0.001, "< 1 %"), (0.5, "50 %"), (0.999, "> 99 %"), (1, "100 %")]
)
def test_none_and_all_are_told_from_nearly(share: float, shown: str) -> None:
    assert format_percentage(share) == shown


# Views


def hostile(count: int = 1) -> ClassOverview:
    """A class in which every text is an attack."""
    names = tuple(f"{ATTACK}{number}" for number in range(count))
    group = (SubmissionGroup(ATTACK, names),)
    points = PointDistribution(tuple(float(number % 11) for number in range(count)), 10.0)
    return ClassOverview(
        title=ATTACK,
        where=ATTACK,
        when="2026-11-23T15:00:00+00:00",
        submissions=count,
        counting=count,
        reached=points,
        final=PointDistribution(tuple(0.9 * one for one in points.points), 10.0),
        concepts=(),
        tests=tuple(TestStatistics(f"{ATTACK}{number}", ATTACK, ATTACK, 1, count) for number in range(20)),
        mistakes=group * 30,
        unnamed=names,
        ungradable=group,
        late=group,
        provisional=names,
        wrong_with_fresh_numbers=names,
        missing=names,
        decided=names,
        versions=group,
        links={names[0]: 'feedback/%22%3E.html"'},
    )


@pytest.mark.parametrize("beside", [False, True])
def test_all_text_in_the_page_is_text(beside: bool) -> None:
    found = ReadHtml(render_overview_page(hostile(), hostile() if beside else None).decode())
    assert not {"script", "img", "iframe", "object", "b"}.intersection(found.tags)
    assert not [name for name in found.attributes if name.startswith("on")]


def test_the_page_loads_nothing() -> None:
    page = render_overview_page(hostile()).decode()
    assert "default-src 'none'" in page
    assert re.findall(r'(?:src|href)="(?!feedback/)', page) == []


def test_no_text_steers_the_terminal() -> None:
    output = io.StringIO()
    console = Console(file=output, width=200, markup=False, highlight=False, emoji=False)
    for part in iterate_rich_overview_parts(hostile(), hostile()):
        console.print(part)
    assert not {"\x1b", "\u202e"} & set(output.getvalue())


def test_a_page_of_300_students_with_every_mistake_weighs_less_than_a_megabyte() -> None:
    assert len(render_overview_page(hostile(300))) < 1_000_000


def test_every_table_has_a_caption_and_headers(overview: ClassOverview) -> None:
    page = render_overview_page(overview).decode()
    tables = page.split("<table")[1:]
    assert len(tables) >= 4
    for table in tables:
        assert "<caption>" in table
        assert 'scope="col"' in table
        assert 'scope="row"' in table
