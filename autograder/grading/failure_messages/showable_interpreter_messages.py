"""Show text of a student's process only if it says nothing that its author does not know already.

A process that was given a hidden test's numbers could put them into any text that it sends. So a message is shown
only if it is one of the interpreter's own and all its names and numbers stand in the submission or the contract. The
interpreter's messages consist of fixed words, names and small numbers. All of it is ASCII: if one pattern took
something for a word and another did not, it could carry anything.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Sequence

from autograder.cached_syntax_trees import may_parse_together
from autograder.grading.failure_messages.error_message_hints import SYNTAX_PATTERNS, compile_message_hints
from autograder.safe_text import escape_for_display

CONTRACT_NAMES = frozenset(
    {"data", "grad", "_prev", "_op", "_backward", "backward", "zero_grad", "Node", *"012345678"}
)
"""Names from the handout, which every student knows, and the numbers of arguments that functions may have."""
PYTHON_NAMES = frozenset(
    {
        *(name for kind in (builtins, float, list, dict, set) for name in dir(kind)),
        *("locals", "lambda", "NoneType", "function", "method", "builtin_function_or_method"),
        *("module", "generator", "list_reverseiterator"),
    }
)
WORD = re.compile(r"\w+", re.ASCII)
NUMBER = re.compile(r"\d+", re.ASCII)
QUOTED = re.compile(r"'([^']*)'|^([\w.<>]+)\(\)|, not (\w+)$", re.ASCII)
WITH_OPTIONAL_LETTER = re.compile(r"(?<!\w)(\w++)\?", re.ASCII)
PART = r"(?:[A-Za-z_]\w{0,60}|<lambda>|<locals>)"
NAME = re.compile(rf"{PART}(?:\.{PART}){{0,6}}", re.ASCII)


def collect_showable_words(source_texts: Iterable[str], contract_names: Iterable[str] = ()) -> frozenset[str]:
    """Return the words and numbers that a text of the process may hold.

    Args:
        source_texts: the submission's own text.
        contract_names: the names that the assignment asks for.
    """
    return (
        PYTHON_NAMES
        | CONTRACT_NAMES
        | {*contract_names}
        | {word for source in source_texts for word in WORD.findall(source)}
    )


def is_known_name(text: str, known_words: frozenset[str]) -> bool:
    """Return whether a text is a name, qualified or not, and every part of it is known.

    >>> is_known_name("Value.tanh", frozenset({"Value", "tanh"})), is_known_name("Value.k42", frozenset({"Value"}))
    (True, False)
    """
    return NAME.fullmatch(text) is not None and known_words.issuperset(WORD.findall(text))


def collect_message_names(message: str) -> set[str]:
    """Return the names in an interpreter's message: in quotes, a function's at its start, a type's at its end.

    >>> sorted(collect_message_names("add() got an unexpected keyword argument 'x'"))
    ['add', 'x']
    """
    return {*WORD.findall(" ".join("".join(groups) for groups in QUOTED.findall(message)))}


def find_hint_for_showable_message(
    message: str, known_words: frozenset[str], own_hints: Sequence[tuple[str, str]] = ()
) -> str | None:
    """Say what to try after one of the interpreter's messages; return None if the message must not be shown.

    Args:
        message: the message.
        known_words: the words and numbers that it may hold.
        own_hints: the assignment's hints, which go before the general ones, each with a part of a message.
    """
    for pattern, hint in compile_message_hints():
        if pattern.fullmatch(message) and known_words >= _find_own_words(message, pattern.pattern):
            return next((own_hint for part, own_hint in own_hints if part in message), hint)
    return None


def _find_own_words(message: str, pattern_text: str) -> set[str]:
    """Return the words of a message that are not its pattern's, and all its numbers."""
    fixed_words = {*WORD.findall(pattern_text), *(word[:-1] for word in WITH_OPTIONAL_LETTER.findall(pattern_text))}
    return {word for word in WORD.findall(message) if word not in fixed_words} | {*NUMBER.findall(message)}


def get_showable_syntax_message(source_text: str, process_message: str, known_words: frozenset[str]) -> str:
    """Return what a process said of code that does not compile; empty unless Python here says the same.

    The compiler is not run here. Where only the compiler would object, the message must have a known form instead.

    Args:
        source_text: the text of the file or cell.
        process_message: the message as the process told it.
        known_words: names that the message may hold where only the compiler would object.
    """
    try:
        if may_parse_together([source_text]):  # otherwise it would take too much memory
            ast.parse(source_text)
    except SyntaxError as error:
        known = error.msg == process_message
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        known = f"{type(error).__name__}: {error}" == process_message
    else:
        known = any(
            one.fullmatch(process_message) for one in SYNTAX_PATTERNS
        ) and known_words >= collect_message_names(process_message)
    return escape_for_display(process_message) if known else ""
