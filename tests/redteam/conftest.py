"""Every tier that this machine offers, and what several of these tests compare with."""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from autograder.sandbox.tiers import TIERS
from autograder.submissions import UngradableSubmission, read_submission
from tests.machine import PATIENCE
from tests.redteam.attack import Attack
from tests.redteam.courses import part_of
from tests.redteam.honest import WEAK
from tests.redteam.hostile_texts import HOSTILE
from tests.redteam.inside import Inside
from tests.redteam.naive import Naive, run_naively
from tests.tiers import offered, only_the_strongest

collect_ignore = ["attacks"]


@pytest.fixture(scope="module", params=TIERS)
def each_tier(request: pytest.FixtureRequest) -> SandboxConfig:
    """The strongest tier there is; with ``--every-tier``, one after the other."""
    only_the_strongest(request, request.param)
    return offered(request.param)


@pytest.fixture(autouse=True)
def some_attacks(request: pytest.FixtureRequest) -> None:
    """Skip most attacks, and more of those that take seconds each, unless every tier is asked for."""
    params = getattr(getattr(request.node, "callspec", None), "params", {})
    attack = params.get("attack")
    if not isinstance(attack, Attack):
        return
    is_slow = attack.goal == "stall" or "controls" in request.node.nodeid
    if not is_tried(attack, request.config, 12 if is_slow else 6):
        pytest.skip("a part of the attacks is tried; `make redteam` tries all")


def is_tried(attack: Attack, config: pytest.Config, one_of: int = 6) -> bool:
    """Whether an attack is among those that are tried, one of so many."""
    return bool(config.getoption("--every-tier")) or zlib.crc32(attack.slug.encode()) % one_of == 0


@pytest.fixture(scope="module")
def tier_grader(
    engine: Assignment, each_tier: SandboxConfig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Grader]:
    """A grader of a part of the real hidden suite, with little patience."""
    part = part_of(engine, tmp_path_factory.mktemp("course"))
    with Grader(part, each_tier) as opened:
        yield opened


@pytest.fixture(scope="module")
def naive_honest(tmp_path_factory: pytest.TempPathFactory) -> Naive:
    """What plain pytest makes of the weak engine."""
    return run_naively(WEAK, tmp_path_factory.mktemp("naive"), seconds=PATIENCE)


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def hostile(request: pytest.FixtureRequest) -> str:
    """Each text that acts or hides where it is shown as it is."""
    text = request.param
    assert isinstance(text, str)
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for one hand-in."""
    made = tmp_path / "handed-in"
    made.mkdir()
    return made


@pytest.fixture(scope="module", params=["namespaces", "restricted"])
def inside(request: pytest.FixtureRequest) -> Iterator[Inside]:
    """A student's process in the strongest tier that keeps attackers in, or with ``--every-tier`` in each."""
    only_the_strongest(request, request.param)
    opened = Inside(offered(request.param))
    yield opened
    opened.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder of the grader's that everybody may read and write, so that no file mode is what denies."""
    path = Path(tempfile.mkdtemp(dir="/tmp"))
    path.chmod(0o777)
    (path / "secret").write_text("the answer")
    (path / "secret").chmod(0o666)
    (path / "link").symlink_to(path / "secret")
    yield path
    shutil.rmtree(path)


@pytest.fixture
def outcome(engine: Assignment, tmp_path: Path) -> Callable[[bytes], str]:
    """What is said of a zip that is handed in: ``read``, or the key of why not."""

    def said(content: bytes) -> str:
        path = tmp_path / "alice.zip"
        path.write_bytes(content)
        try:
            read_submission(path, engine)
        except UngradableSubmission as refused:
            return refused.reason
        return "read"

    return said
