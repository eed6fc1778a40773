"""See ``stalls``: in tier ``namespaces``."""

from tests.redteam.stalls import (  # noqa: F401
    each_tier,
    patient,
    test_the_verdict_comes_in_time,
    test_who_comes_after_them_gets_what_is_due,
)
