"""Name everything that a batch writes into its output folder."""

from __future__ import annotations

GRADEBOOK = "gradebook.csv"
PAGES_FOLDER = "feedback"
VERSIONS = "versions"
OVERVIEW = "overview.html"
SIMILAR = "similar.html"
HANDED_IN = "handed-in"
"""The folder of hand-ins from the web as files, by assignment, for ``autograder regrade``; the bytes in the store are
authoritative."""
IMPORTS = "imports"
"""The folder of downloads that are being previewed on the web before their import."""
WRITTEN_NAMES = ("reports", "raw", PAGES_FOLDER, VERSIONS, GRADEBOOK, OVERVIEW, SIMILAR, IMPORTS)
"""Everything in the folder, but for the store."""
