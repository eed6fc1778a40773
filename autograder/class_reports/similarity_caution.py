"""Say what a finding of equal code means: wherever one is shown."""

from __future__ import annotations

CAUTION = (
    "This is a list of questions, not of cheats. Students work from one lecture and one template, and a right "
    "program of thirty lines can be written in few ways. What the course gave and what many of this class have was "
    "left out; the rest may still come from a book, a tutor or a group that was allowed. A program can also be taken "
    "without its author's knowledge. Look at how many others share as much, at odd names, and at mistakes that both "
    "have; then talk to both students before you decide anything."
)
