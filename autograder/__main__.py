"""``python -m autograder``: the same as the ``autograder`` command."""

import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
if sys.path and Path(sys.path[0] or ".").resolve() not in (HOME, HOME / "autograder"):
    del sys.path[0]  # the working folder, which -m puts there: it may be full of submissions

from autograder.cli.main import main  # noqa: E402

if __name__ == "__main__":
    main()
