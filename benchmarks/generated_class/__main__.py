"""``python -m benchmarks.generated_class FOLDER``: write a generated class."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.course import load_course
from benchmarks import generated_class
from benchmarks.classes import ENGINE, ROOT


def main() -> None:
    """Write a class and say how many of each kind there are."""
    parser = argparse.ArgumentParser(
        description=generated_class.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="must not exist")
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    engine = next(one for one in load_course(ROOT).assignments if one.name == ENGINE)
    made = generated_class.make_class(options.folder, engine, options.size, options.seed)
    kinds = [one.kind for one in made]
    print(", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds))))


if __name__ == "__main__":
    main()
