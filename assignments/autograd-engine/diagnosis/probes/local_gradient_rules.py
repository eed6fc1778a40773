"""Which local rule gives the numbers that an operation passed on. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.part_experiment_log import is_close, is_finite_number


@dataclass(frozen=True, slots=True)
class BackwardCallSample:
    """One call of ``_backward``, seen from one operand."""

    own: float
    """The operand's number."""
    other: float
    """The other operand's, or the plain number; the own one where there is none."""
    out: float
    """The result's number."""
    slope: float
    """The right local derivative."""
    upstream: float
    """The gradient of the result."""
    had: float
    """The operand's gradient before."""
    other_had: float
    """The other operand's; 0 where there is none."""
    after: Any
    """And after."""

    @property
    def share(self) -> float:
        """Return what is to be added."""
        return self.slope * self.upstream


Formula = Callable[[BackwardCallSample], float]

OWN_NAMES: dict[str, Formula] = {
    "passes-nothing": lambda s: 0.0,
    "upstream-left-out": lambda s: s.slope,
    "factor-left-out": lambda s: s.upstream,
    "own-number": lambda s: s.own * s.upstream,
    "sign-is-wrong": lambda s: -s.share,
}
"""Wrong shares with a name each."""

DEPENDS_ON = {
    "had": (0.0, "does-not-add", "with a gradient of 0 before, it is right"),
    "other_had": (0.0, "depends-on-the-other-gradient", ""),
    "upstream": (1.0, "upstream-misused", ""),
}
"""Inputs that may be varied alone: a value with which the share may be right, and what it is called and said then."""
LIMITS = (1, 2, 3, 5, 10, 20, 50, 100)


def _limited(most: int) -> Formula:
    return lambda s: max(-most, min(most, s.share))


def _limited_above(most: int) -> Formula:
    return lambda s: s.slope * max(-most, min(most, s.upstream))


PHRASES: dict[str, Formula] = {
    "the numbers are those of the other operand's number times the gradient of the result": lambda s: (
        s.other * s.upstream
    ),
    "the numbers are those of the result's number times its gradient": lambda s: s.out * s.upstream,
    "the numbers are those of the sum of the operands times the gradient of the result": lambda s: (
        (s.own + s.other) * s.upstream
    ),
    "the numbers are those of the local derivative plus the gradient of the result": lambda s: s.slope + s.upstream,
    "the gradient of the result comes in squared": lambda s: s.slope * s.upstream**2,
    "the operand's own gradient stands where that of the result belongs": lambda s: s.slope * s.had,
    "the numbers are those of a local derivative of 1 - t": lambda s: (1 - s.out) * s.upstream,
    "the numbers are those of a local derivative of 1 + t**2": lambda s: (1 + s.out**2) * s.upstream,
    "the numbers are those of a local derivative of (1 - t)**2": lambda s: (1 - s.out) ** 2 * s.upstream,
    "the numbers are those of a local derivative of (1 - t**2)**2": lambda s: (1 - s.out**2) ** 2 * s.upstream,
    "the numbers are those of a local derivative of 1 - x**2": lambda s: (1 - s.own**2) * s.upstream,
    "the numbers are those of a local derivative of t * (1 - t)": lambda s: s.out * (1 - s.out) * s.upstream,
    "the numbers are those of `1 - t**2 * out.grad`, where only t**2 is multiplied": lambda s: (
        1 - s.out**2 * s.upstream
    ),
    "the numbers are those of a local derivative of t**2": lambda s: s.out**2 * s.upstream,
    "the numbers are those of a local derivative of t**2 - 1": lambda s: (s.out**2 - 1) * s.upstream,
    "the numbers are those of a local derivative of 1 / cosh(x)": lambda s: s.upstream / math.cosh(s.own),
    "the numbers are those of n * x**n, where the exponent is not lowered": lambda s: (
        s.other * s.own**s.other * s.upstream
    ),
    "the numbers are those of x**(n - 1), where the factor n is missing": lambda s: (
        s.own ** (s.other - 1) * s.upstream
    ),
    "the shares are rounded to whole numbers": lambda s: float(round(s.share)),
    "the shares are rounded to one decimal": lambda s: round(s.share, 1),
    "the shares are rounded to two decimals": lambda s: round(s.share, 2),
    "the shares are rounded to three decimals": lambda s: round(s.share, 3),
    "the shares are rounded to four decimals": lambda s: round(s.share, 4),
    "the shares are cut down to whole numbers": lambda s: float(int(s.share)),
    "the shares are rounded down": lambda s: float(math.floor(s.share)),
    "the local derivatives are rounded": lambda s: round(s.slope) * s.upstream,
    "the local derivatives are cut down to whole numbers": lambda s: int(s.slope) * s.upstream,
    "the shares have lost their sign": lambda s: abs(s.share),
    "the local derivatives have lost their sign": lambda s: abs(s.slope) * s.upstream,
    "the gradient of the result has lost its sign": lambda s: s.slope * abs(s.upstream),
    "negative shares are left out": lambda s: max(0.0, s.share),
    "shares where the gradient of the result is negative are left out": lambda s: s.share if s.upstream > 0 else 0.0,
    "only the sign of the gradient of the result is used": lambda s: s.slope * math.copysign(1.0, s.upstream),
    **{f"the shares are limited to {most} and -{most}": _limited(most) for most in LIMITS},
    **{f"the gradient of the result is limited to {most} and -{most}": _limited_above(most) for most in LIMITS},
}
"""Other wrong shares, in words that are true of the numbers, however they are computed."""

COMBINED: dict[str, Callable[[float, float], float]] = {
    "": lambda had, share: had + share,
    "replaces": lambda had, share: share,
    "subtracts": lambda had, share: had - share,
}
OTHERWISE: dict[str, Callable[[float, float], float]] = {
    "the average of both is taken": lambda had, share: (had + share) / 2,
    "the average of both is taken unless there is none yet": lambda had, share: (had + share) / 2 if had else share,
    "both are multiplied": lambda had, share: had * share,
    "the first is kept": lambda had, share: had or share,
    "the larger is kept": max,
    "the one there is stands, and nothing comes to it": lambda had, share: had if had else share,
}


@dataclass(frozen=True, slots=True)
class WrongGradientShare:
    """What is wrong with the shares that one operand gets."""

    name: str
    """The id of a general name."""
    sample: BackwardCallSample
    """One in which it shows."""
    phrase: str = ""


def list_wrong_gradient_shares(samples: Sequence[BackwardCallSample]) -> list[WrongGradientShare]:
    """Say what is wrong with what an operand got; nothing if it is right.

    Args:
        samples: of one operand, with several numbers, upstream gradients and gradients before.
    """
    off = [s for s in samples if not is_close(s.after, s.had + s.share)]
    if not off:
        return []
    first = min(off, key=lambda s: (s.had != 0, abs(s.upstream), abs(s.own)))
    if not all(is_finite_number(s.after) for s in samples):
        return [
            WrongGradientShare("gradient-is-no-number", next(s for s in samples if not is_finite_number(s.after)))
        ]
    if all(is_close(s.after, s.had) for s in samples):
        return [WrongGradientShare("passes-nothing", first)]
    if all(s.own == s.other for s in off) and any(s.own != s.other for s in samples):
        return [WrongGradientShare("wrong-share-of-equal-numbers", first)]
    for mode, combined in COMBINED.items():
        if _fits(samples, lambda s: s.share, combined):
            return [WrongGradientShare(mode, first)]
    for phrase, otherwise in OTHERWISE.items():
        if _fits(samples, lambda s: s.share, otherwise):
            return [WrongGradientShare("does-not-add", first, phrase)]
    for mode, combined in COMBINED.items():
        where_it_shows = next((s for s in off if s.had), None)
        if mode and where_it_shows is None:
            continue
        also = [WrongGradientShare(mode, where_it_shows)] if mode and where_it_shows else []
        for name, phrase, formula in _formulas(samples, combined):
            if _fits(samples, formula, combined):
                return [*also, WrongGradientShare(name, first, phrase)]
    return [_unfit(samples, off, first)]


def _formulas(
    samples: Sequence[BackwardCallSample], combined: Callable[[float, float], float]
) -> Iterator[tuple[str, str, Formula]]:
    for name, formula in OWN_NAMES.items():
        yield name, "", formula
    given = next((s for s in samples if s.had == 0 and s.share and is_finite_number(s.after)), None)
    if given is not None and combined(0.0, 1.0):
        factor = given.after / given.share / combined(0.0, 1.0)
        yield "times-a-constant", f"{factor:.6g}", lambda s: factor * s.share
    for phrase, formula in PHRASES.items():
        yield "wrong-share", phrase, formula


def _unfit(
    samples: Sequence[BackwardCallSample], off: Sequence[BackwardCallSample], first: BackwardCallSample
) -> WrongGradientShare:
    """Give numbers of no known formula a name: the one input that makes a right share wrong, if there is one."""
    right = [s for s in samples if s not in off]
    found = {
        name: [s for s in off if _is_right_with(name, value, s, right)] for name, (value, *_) in DEPENDS_ON.items()
    }
    alone = [name for name, seen in found.items() if seen]
    if len(alone) == 1:
        _, title, phrase = DEPENDS_ON[alone[0]]
        return WrongGradientShare(title, min(found[alone[0]], key=lambda s: abs(s.upstream) + abs(s.own)), phrase)
    numbers = {(s.own, s.other) for s in off}
    usual = (samples[0].own, samples[0].other)
    if not alone and usual not in numbers and numbers.isdisjoint((s.own, s.other) for s in right):
        return WrongGradientShare("wrong-share-at-some-numbers", first)
    return WrongGradientShare("wrong-share", first)


def _is_right_with(name: str, value: float, sample: BackwardCallSample, right: Sequence[BackwardCallSample]) -> bool:
    """Return whether a call went right that differs from this one in one input alone, which has this value there."""
    inputs = ("own", "other", *DEPENDS_ON)
    return any(
        getattr(other, name) == value
        and all((getattr(sample, one) == getattr(other, one)) == (one != name) for one in inputs)
        for other in right
    )


def _fits(samples: Sequence[BackwardCallSample], formula: Formula, combined: Callable[[float, float], float]) -> bool:
    try:
        return all(is_close(s.after, combined(s.had, formula(s))) for s in samples)
    except (ArithmeticError, ValueError, TypeError):
        return False
