"""What several of these tests hand in, and the mark of those for which one tier is enough."""

from __future__ import annotations

import pytest

once = pytest.mark.parametrize("each_tier", ["process"], indirect=True)
"""For what is the same in every tier, and what the trusted side does."""

ECHO = "def echo(x): return x"

LIAR = """
class Liar:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
a, b = Liar(), Liar()
"""

RUN_ONCE = "\nraise ValueError('this line fails')\n"
"""The end of code that is not run anew for each test, since it does not load without a fault."""
