"""A generated class, as real ones are: half of it right, some of it hanging, no two right programs alike.

    python -m benchmarks.generated_class FOLDER --size 200 --seed 1

The same size and seed give the same files. ``index.tsv`` in the folder says what each submission is.
"""

from benchmarks.generated_class.make import Kind, Made, make_class

__all__ = ["Kind", "Made", "make_class"]
