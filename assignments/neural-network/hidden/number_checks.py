"""Check and show the numbers of the student's that a test reads."""

import math


def close(got, expected):
    """Return whether the student's number is the right one, to within 1e-9."""
    return isinstance(got, int | float) and math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9)


def shown(got):
    """Return the student's numbers, short enough to read."""
    return ", ".join(f"{one:.6g}" if isinstance(one, int | float) else "no number" for one in got)


def data_of(value, what="the output"):
    """Return the number of something that should be a Value."""
    assert not isinstance(value, int | float | str | list | tuple | None), (
        f"{what} is no Value\nReturn a Value, so that backward() can start from it."
    )
    return value.data
