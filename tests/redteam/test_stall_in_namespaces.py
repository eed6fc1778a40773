"""See ``stalls``: in tier ``namespaces``."""

import pytest

from autograder.sandbox import Sandbox
from tests.redteam.stalls import (  # noqa: F401
    patient,
    test_the_verdict_comes_in_time,
    test_who_comes_after_them_gets_what_is_due,
)
from tests.tiers import offered


@pytest.fixture(scope="module")
def each_tier() -> Sandbox:
    """This one."""
    return offered("namespaces")
