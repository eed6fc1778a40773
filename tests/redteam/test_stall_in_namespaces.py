"""See ``stalls``: in tier ``namespaces``."""

import pytest

from autograder.sandbox import SandboxConfig
from tests.redteam.stalls import (  # noqa: F401
    patient,
    test_the_verdict_comes_in_time,
    test_who_comes_after_them_gets_what_is_due,
)
from tests.tiers import offered


@pytest.fixture(scope="module")
def each_tier() -> SandboxConfig:
    """This one."""
    return offered("namespaces")
