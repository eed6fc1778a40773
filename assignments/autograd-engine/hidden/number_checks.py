"""Checks of single numbers; whatever is no number fails them."""

import math


def close(value, expected, rel_tol=1e-9, abs_tol=0.0):
    """Return whether a number is finite, and right to nine digits or as many as asked for."""
    known = isinstance(value, int | float) and math.isfinite(value)
    return known and math.isclose(value, expected, rel_tol=rel_tol, abs_tol=abs_tol)


def is_finite_and_nonzero(grad):
    """Return whether a gradient is a number that is neither zero nor infinite."""
    return isinstance(grad, int | float) and math.isfinite(grad) and grad != 0
