"""Make text safe to show, put counts and lists into sentences, and compare names."""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata

CUT_MARK = "…"
LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python; ``str.splitlines`` knows more."""
BACKTICK_LOOKALIKE = "\N{MODIFIER LETTER GRAVE ACCENT}"
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What shows as nothing although it counts as a letter, a mark or a symbol."""
MAX_COMBINING_MARKS = 4
"""Marks over one letter; more of them reach into the lines above."""


UNPRINTABLE_CATEGORIES = frozenset({"Cc", "Cs", "Cn"})
"""Unicode's categories of control characters, surrogates and unassigned characters, which not every file can hold."""
UNREPRESENTABLE_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 cannot hold, not even as a number."""


def replace_unprintable_characters(text: str, kept: str = "\n") -> str:
    r"""Put U+FFFD in the place of characters that not every file or platform can hold, except those in ``kept``.

    >>> replace_unprintable_characters("a\x00b\n")
    'a\ufffdb\n'
    """
    return "".join(
        "\ufffd" if unicodedata.category(one) in UNPRINTABLE_CATEGORIES and one not in kept else one for one in text
    )


def replace_non_xml_characters(text: str) -> str:
    r"""Return a text with a replacement character for each character that XML cannot hold.

    >>> replace_non_xml_characters("a\x00b\x1b[31m") == "a\ufffdb\ufffd[31m"
    True
    """
    return UNREPRESENTABLE_IN_XML.sub("\ufffd", text)


def escape_for_display(text: str, max_length: int = 300) -> str:
    r"""Make one line of printable text: what steers, hides or cannot be seen becomes a visible escape.

    Args:
        text: anything.
        max_length: characters to keep; a longer text is cut and marked.

    >>> escape_for_display("no \x1b[31mcolour, one\nline")
    'no \\x1b[31mcolour, one\\nline'
    """
    return _escape(text[: max_length + 1], max_length)


def escape_lines_for_display(text: str) -> str:
    r"""Make lines of printable text, none of them cut; line ends become ``\n``, and tabs stay.

    >>> escape_lines_for_display("\ta\r\nb\x1b")
    '\ta\nb\\x1b'
    """
    lines = LINE_END.split(text)
    return "\n".join(
        "\t".join(escape_for_display(part, 12 * len(part)) for part in line.split("\t")) for line in lines
    )


def escape_for_sentence(text: str, max_length: int = 300) -> str:
    """Return ``escape_for_display`` of a student's text that stands in a sentence with code between backticks.

    A backtick becomes a character like it, so that only the sentence's own backticks begin and end code.

    >>> escape_for_sentence("a`b.py") == f"a{BACKTICK_LOOKALIKE}b.py"
    True
    """
    return escape_for_display(text, max_length).replace("`", BACKTICK_LOOKALIKE)


@functools.lru_cache(maxsize=2048)
def _escape(text: str, max_length: int) -> str:
    """Escape a text of at most one character more than is kept; titles and names come again with each report."""
    if len(text) <= max_length and text.isascii() and text.isprintable():
        return text
    shown = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        unseen = not character.isprintable() or UNSEEN.match(character)
        if unseen or category == "Co" or marks > MAX_COMBINING_MARKS:
            shown.append(character.encode("unicode_escape").decode("ascii"))
        else:
            shown.append(character)
    joined = "".join(shown)
    return joined if len(joined) <= max_length else joined[: max_length - 1] + CUT_MARK


def escape_name_unambiguously(name: str, max_length: int = 200) -> str:
    r"""Show a name as ``escape_for_display`` does.

    Two that differ stay different, cut or not, and a ``\`` is doubled.

    >>> escape_name_unambiguously("a\\b"), escape_name_unambiguously("x" * 300, 20)
    ('a\\\\b', 'xxxxxxxxxxx~0d4e2ca9')
    """
    shown = escape_for_display(name.replace("\\", r"\\"), 20 * len(name) + 1)
    if len(shown) <= max_length:
        return shown
    return f"{shown[: max_length - 9]}~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


MOST_NAMES = 10
"""Of a class, so many are named in one sentence."""


def join_with_and(words: list[str] | tuple[str, ...]) -> str:
    """Join words as ``a``, ``a and b``, ``a, b and c``.

    >>> join_with_and(["forward", "tanh", "zero_grad"])
    'forward, tanh and zero_grad'
    """
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def format_abbreviated_list(names: list[str]) -> str:
    """List the first of many names, and say how many more there are.

    >>> format_abbreviated_list([f"s{number}" for number in range(12)])
    's0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 more'
    """
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(escape_for_display(name, 80) for name in names[:MOST_NAMES]) + more


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 student``, ``2 students``.

    >>> format_count(1, "student"), format_count(0, "student")
    ('1 student', '0 students')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def choose_by_count(number: float, singular: str, plural: str) -> str:
    """Return the form of a word that goes with a number of things.

    >>> choose_by_count(1, "is", "are"), choose_by_count(0, "is", "are")
    ('is', 'are')
    """
    return singular if number == 1 else plural


BEFORE_SIGN = re.compile(r"(?<![\s'\"])[\s'\"]*+(?=[=+\-@＝＋－＠])")
"""What may stand between the beginning of a cell and a sign that begins a formula, as long as it is. Signs of full
width count in Asia. The pattern reads each character once, however many blanks a text has."""
BREAK = r"[\t\r\n]"


def neutralize_formula(text: str) -> str:
    r"""Make a text one that a spreadsheet shows and never computes; two texts that differ stay different.

    >>> neutralize_formula("=HYPERLINK(\"https://evil.example\")")
    '\'=HYPERLINK("https://evil.example")'
    """
    return BEFORE_SIGN.sub(lambda run: _replace_at_cell_starts(run, "", r"\1'"), text)


def restore_formula(text: str) -> str:
    """Return the text that ``neutralize_formula`` made into ``text``.

    >>> restore_formula("'=1+1"), restore_formula("'quoted'")
    ('=1+1', "'quoted'")
    """
    return BEFORE_SIGN.sub(lambda run: _replace_at_cell_starts(run, "'", r"\1"), text)


def _replace_at_cell_starts(before_sign: re.Match[str], found: str, replacement: str) -> str:
    """Replace what is found wherever a spreadsheet could see a cell begin.

    That is at the start, and where the text parts cells, which in half of Europe is at semicolons.
    """
    place, text = before_sign.start(), before_sign.string
    start = f"(^|{BREAK})" if place == 0 or text[place - 1] == ";" else f"({BREAK})"
    return re.sub(start + found, replacement, before_sign[0])


DROPPED = re.compile(r"[\x00-\x1f\x7f&<>\"`|':\\/]")
"""What Moodle takes out of a file's name."""
FEWEST_SHARED_WORDS = 2
"""Words that two names have in common."""


def normalize_student_name_keeping_case(name: str) -> str:
    r"""Normalize a student's name for comparison: no white space around it, accents in one form, always valid text.

    >>> normalize_student_name_keeping_case(" Zoe\u0308 ") == "Zo\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name.strip()).encode("utf-8", "backslashreplace").decode()


def format_moodle_path_name(student_or_team_name: str) -> str:
    """Return a name as Moodle writes it in paths.

    >>> format_moodle_path_name("O'Brien_Bob: Jr.")
    'OBrien Bob Jr.'
    """
    plain = DROPPED.sub("", unicodedata.normalize("NFC", student_or_team_name).replace("_", " "))
    return re.sub(r"\.\.+", "", plain).strip().lstrip("~")


def make_moodle_name_key(student_or_team_name: str) -> str:
    """Return a key that texts share if they are one name but for case and for what paths cannot hold."""
    return format_moodle_path_name(student_or_team_name).casefold()


def is_same_name(name: str, other_name: str) -> bool:
    """Return whether two texts have the same key, and it is not empty.

    >>> is_same_name("O'Brien, Bob", "obrien, bob"), is_same_name("/", "/")
    (True, False)
    """
    return bool(make_moodle_name_key(name)) and make_moodle_name_key(name) == make_moodle_name_key(other_name)


def is_name_variant(name: str, other_name: str) -> bool:
    """Return whether two names have the same words in any order, or share all of the shorter's, at least two.

    In Chinese, Moodle writes the family name first, with no space after it: ``LovelaceAda``.

    >>> is_name_variant("Ada Lovelace", "Lovelace, Ada King")
    True
    """
    words, others = _words(name), _words(other_name)
    first, second = {*words}, {*others}
    if first and (first == second or len(first & second) >= max(FEWEST_SHARED_WORDS, min(len(first), len(second)))):
        return True
    return _is_reordered(words, others) or _is_reordered(others, words)


def _is_reordered(words: list[str], others: list[str]) -> bool:
    """Return whether the second name is the first one without spaces, with its last words before the others."""
    turned = ("".join(words[place:] + words[:place]) for place in range(len(words)))
    return len(words) >= FEWEST_SHARED_WORDS and "".join(others) in turned


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", format_moodle_path_name(name).casefold())


def make_file_name_collision_key(name: str) -> str:
    """Return one text for names that some file system takes for one: capitals, codes of accents, dots at the end.

    >>> make_file_name_collision_key("Ada/VALUE.py.") == make_file_name_collision_key("ada/value.py")
    True
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    return "/".join(part.rstrip(" .") for part in folded.split("/"))
