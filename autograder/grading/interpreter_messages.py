"""Show the interpreter's messages about ordinary mistakes, each with a hint, and no text that says more."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Sequence
from functools import cache

from autograder.syntax_trees import may_parse_together
from autograder.text import escape_for_display

NAME = r"'[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60})?'"
FUNCTION = r"(?:[A-Za-z_]\w{0,60}|<lambda>)(?:\.(?:[A-Za-z_]\w{0,60}|<lambda>|<locals>)){0,6}\(\)"
GUESS = rf"(?:\. Did you mean: {NAME}\?)?"

UNHASHABLE = rf"(?:cannot use {NAME} as a (?:set element|dict key) \()?unhashable type: "
"""Python 3.14 says more."""
BY_IDENTITY = "A class with an `__eq__` of its own cannot be in a set or be a key: take out `__eq__`."
EQ_OF_A_DATACLASS = (
    "`@dataclass` wrote an `__eq__`, and objects with one cannot be in a set or be a key: write "
    "`@dataclass(eq=False)`."
)
"""Said in place of ``BY_IDENTITY`` where a class has no `__eq__` of its own."""

ITERATOR = "'(?:generator|map|filter|zip|reversed|enumerate|list_reverseiterator)'"
NO_LIST = "This is no list: it gives its values one by one, and only once. Make a list of it, with `list(...)`."

NOBODY_TYPES = "EOF when reading a line"
NO_EXIT = "name '(?:exit|quit)' is not defined"
"""Where code is graded there are none: they are made for people who type at Python's prompt."""

ANY_MESSAGE = "Read the message word by word: what is each thing in that line, and what should it be?"
NO_MESSAGE = "Run that line alone, or print what is in it: Python then says what it objects to."
"""Where the message cannot be shown."""

WORD = r"[A-Za-z_]\w{0,60}"
OTHER_MESSAGES = (
    r"(?:isinstance|issubclass)\(\) arg [12] must be a (?:type|class)(?:, a tuple of (?:types|classes), or a union)?",
    rf"{FUNCTION} got multiple values for(?: keyword)? argument {NAME}",
    rf"{FUNCTION} takes no (?:keyword |positional )?arguments",
    rf"{FUNCTION} takes (?:from \d to )?\d positional arguments? but \d positional arguments? \(and \d keyword-only "
    r"arguments?\) (?:was|were) given",
    rf"{FUNCTION} missing \d required keyword-only arguments?: {NAME}(?:(?:, | and |, and ){NAME}){{0,3}}",
    rf"{FUNCTION} missing required argument {NAME} \(pos \d\)",
    rf"{WORD}(?:\(\))? expected (?:at (?:least|most) )?\d arguments?, got \d",
    rf"{FUNCTION} takes (?:at (?:least|most)|exactly) (?:\d|one|two) (?:positional )?arguments? \(\d given\)",
    rf"{NAME} is an invalid keyword argument for {WORD}\(\)",
    r"object\.__init__\(\) takes exactly one argument \(the instance to initialize\)",
    r"object\.__new__\(\) takes exactly one argument \(the type to instantiate\)",
    rf"__init__\(\) should return None, not {NAME}",
    r"not enough values to unpack \(expected (?:at least )?\d, got \d\)",
    r"too many values to unpack \(expected \d(?:, got \d)?\)",
    rf"cannot unpack non-iterable {WORD} object",
    rf"{NAME} object (?:does not|doesn't) support item (?:assignment|deletion)",
    rf"{NAME} object (?:is not (?:an iterator|reversible|a mapping)|cannot be interpreted as an integer)",
    rf"'(?:<|>|<=|>=)' not supported between instances of {NAME} and {NAME}",
    rf"(?:list|tuple|string|str) indices must be integers(?: or slices)?, not '?{WORD}'?",
    rf'can only concatenate (?:list|tuple|str) \(not "{WORD}"\) to (?:list|tuple|str)',
    rf"{NAME} object attribute {NAME} is read-only|cannot set {NAME} attribute of immutable type {NAME}",
    rf"property(?: of {NAME} object| {NAME} of {NAME} object)? has no (?:setter|deleter)",
    rf"can't set attribute(?: {NAME})?",
    rf"{WORD}\(\) argument must be a (?:string(?:, a bytes-like object)? or a )?(?:real )?number, not {NAME}",
    rf"type {WORD} doesn't define __\w{{1,20}}__ method|bad operand type for abs\(\): {NAME}",
    rf"{FUNCTION} (?:argument|arg) (?:after \* )?must be an? (?:iterable|mapping|string|list|number), not {WORD}",
    rf"argument of type {NAME} is not (?:iterable|a container or iterable)",
    r"list\.(?:remove|index)\(x\): x not in list",
    r"exceptions must derive from BaseException",
    rf"Can't instantiate abstract class {WORD} with(?:out an implementation for)? abstract methods? {NAME}",
    rf"module {NAME} has no attribute {NAME}{GUESS}|cannot import name {NAME} from {NAME}",
    r"super\(\): (?:no arguments|__class__ cell not found)",
    r"super\(type, obj\): obj must be an instance or subtype of type",
)
"""Further messages of the interpreter: a name, a type or a number more or less says nothing of a hidden test."""

MESSAGE_HINTS = [
    (rf"'NoneType' object has no attribute {NAME}{GUESS}",
     "Something is None here that should not be: does every function that gives something end with a `return`?"),
    (r"'NoneType' object is not (?:iterable|reversible|subscriptable)",
     "`reverse()`, `sort()` and functions without `return` give None. What is gone through here?"),
    (rf"unsupported operand type\(s\) for [-+*/%]{{1,3}}: (?:'NoneType' and {NAME}|{NAME} and 'NoneType')",
     "One of the two is None: where does it come from? A function without a `return` gives None."),
    (r"'(?:list|tuple|set|dict|int|float|str)' object is not callable",
     "Only functions can be called. Is there a pair of parentheses too many?"),
    (r"'(?:method|function|builtin_function_or_method)' object is not (?:iterable|reversible|subscriptable)",
     "Here stands a function, and not what it returns: call it, with `()`."),
    (rf"{FUNCTION} takes (?:exactly one argument|no arguments) \(\d given\)",
     "How many things does it take? `append` and `add` take one."),
    (rf"{ITERATOR} object has no attribute {NAME}{GUESS}", NO_LIST),
    (rf"{ITERATOR} object is not (?:subscriptable|reversible)|object of type {ITERATOR} has no len\(\)", NO_LIST),
    (rf"'(?:int|float)' object has no attribute {NAME}{GUESS}",
     "A plain number has no such attribute: is it what should stand here?"),
    (rf"'set' object has no attribute '(?:append|extend|insert)'{GUESS}",
     "This is a set: `add` puts something into a set, `append` into a list."),
    (rf"'list' object has no attribute '(?:add|update)'{GUESS}",
     "This is a list: `append` puts something into a list, `add` into a set."),
    (rf"'(?:tuple|frozenset)' object has no attribute '(?:add|append|extend|update|insert)'{GUESS}",
     "This cannot be changed: begin with a list, which has `append`, or a set, which has `add`."),
    (rf"{NAME} object has no attribute {NAME}{GUESS}",
     "Is it spelled right, set in `__init__`, and is this the object it should be?"),
    (rf"type object {NAME} has no attribute {NAME}{GUESS}", "Is it spelled as in the contract?"),
    (rf"unsupported operand type\(s\) for \^=?: {NAME} and {NAME}", "In Python `^` is not a power: write `**`."),
    (rf"unsupported operand type\(s\) for [-+*/%@&|^<>=~]{{1,3}}(?: or pow\(\))?: {NAME} and {NAME}",
     "The operator does not work for these two: is each of them what it should be?"),
    (rf"bad operand type for unary [-+~]: {NAME}", "Write `__neg__`, or multiply by -1."),
    (rf"{FUNCTION} takes 0 positional arguments but 1 was given", "Is `self` the method's first parameter?"),
    (rf"{FUNCTION} missing 1 required positional argument: 'self'",
     "A method is called on an object, and not on its class: is a pair of parentheses missing after the class?"),
    (rf"{FUNCTION} takes (?:from \d to )?\d positional arguments? but \d (?:was|were) given",
     "Compare the parameters with the contract; those of a method begin with `self`."),
    (rf"{FUNCTION} missing \d required positional arguments?: {NAME}(?:(?:, | and |, and ){NAME}){{0,3}}",
     "Compare the method's parameters with the contract."),
    (rf"{FUNCTION} got an unexpected keyword argument {NAME}", "Compare the parameters with the contract."),
    (rf"{NAME} object is not callable",
     "Only functions can be called: is a function called where it should be stored, without `()`?"),
    (rf"{NAME} object is not (?:iterable|subscriptable)|object of type {NAME} has no len\(\)",
     "Here should be several things, such as a list or tuple, and there is only one thing: is it the right one?"),
    (rf"{UNHASHABLE}'(?:list|set|dict)'\)?",
     "A list, set or dict cannot be in a set or be a key: take a tuple, or the thing itself."),
    (rf"{UNHASHABLE}{NAME}\)?", BY_IDENTITY),
    (r"must be real number, not [A-Za-z_]+", "Hand the number over, and not the object that holds it."),
    (r"can't multiply sequence by non-int of type 'float'", "Is it a number everywhere, and no list or text?"),
    (rf"name (?!'(?:exit|quit)'){NAME} is not defined{GUESS}", "Is it spelled right, and imported at the top?"),
    (rf"cannot access (?:local|free) variable {NAME} where it is not associated with a value(?: in enclosing scope)?",
     "Inside a function, `x = ...` and `x += ...` make x local: give it a value there first, or use another name."),
    (
        r"maximum recursion depth exceeded(?: while calling a Python object| in comparison"
        r"| while getting the (?:str|repr) of an object| in __(?:instance|subclass)check__)?",
        "Does the function call itself without an end? Python stops at about 1,000 calls; a loop has no such limit.",
    ),
    (r"(?:float )?division by zero|float floor division by zero", "Is a value zero that should not be?"),
    (r"math range error|\(34, 'Numerical result out of range'\)",
     "The result is too large for a float: `math.exp` can be given 709 at most."),
    (r"math domain error", "Is the function given a number it is defined for?"),
    (r"(?:list|tuple|pop) index out of range|pop from (?:an )?empty (?:list|set|deque)",
     "Is the list filled before it is read?"),
    (r"(?:Set|dictionary) changed size during iteration", "Make a list of it first: `for one in list(things)`."),
    (rf"local variable {NAME} referenced before assignment", "Give it a value in this function first."),
    (NOBODY_TYPES, "Nobody types anything while your code is graded: take `input` out."),
    (NO_EXIT, "Take out `exit` and `quit`."),
    (r"\[Errno 2\] No such file or directory: '\w{1,60}(?:\.\w{1,10})?'",
     "No other files are there when your code is graded: take this out."),
    (rf"No module named {NAME}",
     "Write this without that module: the exercise needs nothing but Python's math module."),
]  # fmt: skip
"""The interpreter's messages that are shown, each with what to try."""


@cache
def compile_message_hints() -> list[tuple[re.Pattern[str], str]]:
    """Return ``MESSAGE_HINTS`` and then ``OTHER_MESSAGES``, compiled once a message is to be shown."""
    others = ((pattern, ANY_MESSAGE) for pattern in OTHER_MESSAGES)
    return [(re.compile(pattern, re.ASCII), hint) for pattern, hint in (*MESSAGE_HINTS, *others)]


SYNTAX_PATTERNS = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"'(?:return|yield|yield from|await|async for|async with)' outside (?:async )?function",
        r"'break' outside loop|'continue' not properly in loop",
        rf"name {NAME} is (?:used|assigned to) (?:prior to|before) (?:global|nonlocal) declaration",
        rf"name {NAME} is (?:parameter and global|parameter and nonlocal|nonlocal and global)",
        rf"no binding for nonlocal {NAME} found|nonlocal declaration not allowed at module level",
        rf"duplicate argument {NAME} in function definition",
        r"default 'except:' must be last|import \* only allowed at module level",
        r"multiple starred expressions in assignment|starred assignment target must be in a list or tuple",
        r"can't use starred expression here|cannot assign to __debug__",
        r"from __future__ imports must occur at the beginning of the file",
    )
]
"""What the compiler says of code that the parser takes. The parser's own messages are compared with its own."""


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
WORDS = re.compile(r"\w+", re.ASCII)
NUMBER = re.compile(r"\d+", re.ASCII)
QUOTED = re.compile(r"'([^']*)'|^([\w.<>]+)\(\)|, not (\w+)$", re.ASCII)
WITH_OPTIONAL_LETTER = re.compile(r"(?<!\w)(\w++)\?", re.ASCII)
PART = r"(?:[A-Za-z_]\w{0,60}|<lambda>|<locals>)"
QUALIFIED_NAME = re.compile(rf"{PART}(?:\.{PART}){{0,6}}", re.ASCII)


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
        | {word for source in source_texts for word in WORDS.findall(source)}
    )


def is_known_name(text: str, known_words: frozenset[str]) -> bool:
    """Return whether a text is a name, qualified or not, and every part of it is known.

    >>> is_known_name("Value.tanh", frozenset({"Value", "tanh"})), is_known_name("Value.k42", frozenset({"Value"}))
    (True, False)
    """
    return QUALIFIED_NAME.fullmatch(text) is not None and known_words.issuperset(WORDS.findall(text))


def collect_message_names(message: str) -> set[str]:
    """Return the names in an interpreter's message: in quotes, a function's at its start, a type's at its end.

    >>> sorted(collect_message_names("add() got an unexpected keyword argument 'x'"))
    ['add', 'x']
    """
    return {*WORDS.findall(" ".join("".join(groups) for groups in QUOTED.findall(message)))}


def describe_end_of_program(error_name: str, message: str) -> str:
    """Say what code does that ends the program, or waits for somebody; empty for another exception.

    >>> describe_end_of_program("NameError", "name 'exit' is not defined")
    'ends the program'
    """
    if error_name == "SystemExit" or (error_name == "NameError" and re.fullmatch(NO_EXIT, message)):
        return "ends the program"
    return "waits for somebody to type, and nobody does" if message == NOBODY_TYPES else ""


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
    fixed_words = {*WORDS.findall(pattern_text), *(word[:-1] for word in WITH_OPTIONAL_LETTER.findall(pattern_text))}
    return {word for word in WORDS.findall(message) if word not in fixed_words} | {*NUMBER.findall(message)}


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
