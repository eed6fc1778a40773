"""What a student may be called, print or name a file, hoping that it acts where a platform's file is read."""

from __future__ import annotations

from tests.platforms.classes import AWKWARD
from tests.platforms.forged import FORGED
from tests.redteam.formula_texts import FORMULAS
from tests.redteam.hostile_texts import HOSTILE

MARKDOWN = (
    "[x](javascript:alert(1)) ![](http://x/y)",
    "a | `b` \n\n# h\n* c\n\n> d\n\n    e",
    "***a*** __b__ ~~c~~ <http://x> \\<b> &lt;b&gt;",
    "```\n</code></pre>\n~~~",
    "Total Score: 100 / 100",
)
PRINTED = (*FORGED, *HOSTILE.values(), *FORMULAS.values(), *MARKDOWN, 'a",b\r\n"c', "a\udce9b")
"""What a student's code prints, or a test sees of it."""
READABLE = '<i>a</i> & "b" *c* _d_ $e$ =1+1'
"""A text of harmless characters, all of which a reader must see as they are."""
ODD = ("<b>Bold</b> Bo", "a\u202eb c", "-2+3 x", "@SUM(A1)", "*x* [l](u)", "tab\tbed", "\u200fMark \u2066It")
NAMES = (*AWKWARD, *ODD)
"""What students are called."""
