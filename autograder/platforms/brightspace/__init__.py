"""Brightspace: its downloads of assignments, its import of grades, and feedback files for the same folders.

Documentation: https://community.d2l.com/brightspace. The names of folders in a download follow samples from
others.
"""

from autograder.platforms.brightspace.class_export import make_class_export
from autograder.platforms.brightspace.reader import NAME, BrightspaceDownloadReader
from autograder.platforms.common.platform_model import Platform

platform = Platform(
    NAME,
    "Brightspace",
    reader=BrightspaceDownloadReader(),
    class_writer=make_class_export,
    settings={"column": "the grade item: its title, or the header's whole cell"},
)
