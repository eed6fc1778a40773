"""One rule for text of a student's process: what is shown says nothing but what its author knows already.

A process that was given a hidden test's numbers could put them into any text that it sends. So a message is shown
only where it is one of the interpreter's own, which consist of fixed words, names and small numbers, and where each
of these stands in the submission or the contract. All of it is ASCII: what one pattern took for a word and another
did not could carry anything.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

from autograder.grading.messages import SYNTAX_PATTERNS, patterns
from autograder.text import clean

CONTRACT = frozenset({"data", "grad", "_prev", "_op", "_backward", "backward", "zero_grad", "Node", *"01234"})
"""Names of the handout's, which every student knows, and how many arguments its functions take."""
PYTHONS = frozenset(
    {
        *dir(builtins),
        *("locals", "lambda", "NoneType", "function", "method", "builtin_function_or_method"),
        *("module", "generator"),
    }
)
WORD = re.compile(r"\w+", re.ASCII)
NUMBER = re.compile(r"\d+", re.ASCII)
QUOTED = re.compile(r"'([^']*)'|^([\w.<>]+)\(\)|, not (\w+)$", re.ASCII)
PART = r"(?:[A-Za-z_]\w{0,60}|<lambda>|<locals>)"
NAME = re.compile(rf"{PART}(?:\.{PART}){{0,6}}", re.ASCII)


def words_of(sources: Iterable[str], names: Iterable[str] = ()) -> frozenset[str]:
    """The words and numbers that a text of the process may hold.

    Args:
        sources: the submission's own text.
        names: what the assignment asks for.
    """
    return PYTHONS | CONTRACT | {*names} | {word for source in sources for word in WORD.findall(source)}


def is_known_name(text: str, words: frozenset[str]) -> bool:
    """Whether a text is a name, qualified or not, of which every part is known."""
    return NAME.fullmatch(text) is not None and words.issuperset(WORD.findall(text))


def names_in(message: str) -> set[str]:
    """The names in one of the interpreter's messages: in quotes, or a function's at the start."""
    return {*WORD.findall(" ".join("".join(groups) for groups in QUOTED.findall(message)))}


def advice_on(message: str, words: frozenset[str]) -> str | None:
    """What to try after one of the interpreter's messages; None where the message is not to be shown."""
    for pattern, advice in patterns():
        if pattern.fullmatch(message) and words >= names_in(message) | {*NUMBER.findall(message)}:
            return advice
    return None


def syntax_message(source: str, message: str, words: frozenset[str]) -> str:
    """What a process said of code that does not compile; empty where Python here does not say so too.

    Args:
        source: the text of the file or cell.
        message: as the process told it.
        words: what it may hold, where only a compiler says so, which is not run here.
    """
    try:
        ast.parse(source)
    except SyntaxError as error:
        known = error.msg == message
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        known = f"{type(error).__name__}: {error}" == message
    else:
        known = any(one.fullmatch(message) for one in SYNTAX_PATTERNS) and words >= names_in(message)
    return clean(message) if known else ""
