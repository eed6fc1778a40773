"""List what the interpreter says about ordinary mistakes, and what to try then.

The first pattern that fits a message counts, so patterns for None, for numbers and for functions stand before those
for any object. Names are ASCII here, and also where they are compared with the submission's names: if one of the two
places took something for a name and the other did not, it could carry any text.
"""

from __future__ import annotations

import re
from functools import cache

NAME = r"'[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60})?'"
FUNCTION = r"(?:[A-Za-z_]\w{0,60}|<lambda>)(?:\.(?:[A-Za-z_]\w{0,60}|<lambda>|<locals>)){0,6}\(\)"
GUESS = rf"(?:\. Did you mean: {NAME}\?)?"

UNHASHABLE = rf"(?:cannot use {NAME} as a (?:set element|dict key) \()?unhashable type: "
"""Python 3.14 says more."""
BY_IDENTITY = "Nodes are compared by identity, and their numbers are not looked at: take out `__eq__`."
EQ_OF_A_DATACLASS = (
    "`@dataclass` wrote an `__eq__` that compares numbers, and nodes are compared by identity: write "
    "`@dataclass(eq=False)`."
)
"""Said in place of ``BY_IDENTITY`` where a class has no `__eq__` of its own."""
CLASS, A_CLASS = "{class}", "{a class}"
"""Stand for the class that students write: ``Value``, ``a Value``."""
NO_NUMBER = (
    "A plain number is no {class}: start with `other = other if isinstance(other, {class}) else {class}(other)`."
)
WITHOUT_CLASS = {NO_NUMBER: "A plain number has no such attribute: is it what should stand here?"}
"""What is said instead where students write functions alone; ``{class}`` is then any object."""

MESSAGE_HINTS = [
    (rf"'NoneType' object has no attribute {NAME}{GUESS}",
     "Something is None that should be {a class}: does every operation end with `return out`?"),
    (r"'NoneType' object is not (?:iterable|reversible|subscriptable)",
     "`reverse()`, `sort()` and functions without `return` give None. What is gone through here?"),
    (rf"unsupported operand type\(s\) for [-+*/%]{{1,3}}: (?:'NoneType' and {NAME}|{NAME} and 'NoneType')",
     "One of the two is None: does `grad` begin as 0.0, and does every operation end with `return out`?"),
    (r"'(?:list|tuple|set|dict|int|float|str|{class})' object is not callable",
     "Only functions can be called. Is there a pair of parentheses too many?"),
    (r"'(?:method|function|builtin_function_or_method)' object is not (?:iterable|reversible|subscriptable)",
     "Here stands a function, and not what it returns: call it, with `()`."),
    (rf"{FUNCTION} takes (?:exactly one argument|no arguments) \(\d given\)",
     "How many things does it take? `append` and `add` take one."),
    (
        rf"'(?:int|float)' object has no attribute {NAME}{GUESS}",
        NO_NUMBER,
    ),
    (rf"'set' object has no attribute '(?:append|extend|insert)'{GUESS}",
     "This is a set: `add` puts something into a set, `append` into a list."),
    (rf"'list' object has no attribute '(?:add|update)'{GUESS}",
     "This is a list: `append` puts something into a list, `add` into a set."),
    (rf"'(?:tuple|frozenset)' object has no attribute '(?:add|append|extend|update|insert)'{GUESS}",
     "This cannot be changed: begin with a list, which has `append`, or a set, which has `add`."),
    (rf"'Node' object has no attribute {NAME}{GUESS}",
     "A node has one attribute that counts, `_prev`: its operands."),
    (rf"{NAME} object has no attribute '_prev'{GUESS}",
     "Keep a node's operands in `_prev`; that of a leaf is empty."),
    (rf"{NAME} object has no attribute '_backward'{GUESS}",
     "Every {class} has a `_backward`, leaves too: begin with `self._backward = lambda: None` in `__init__`."),
    (rf"{NAME} object has no attribute '_op'{GUESS}", "Set `self._op` in `__init__`; that of a leaf is ''."),
    (rf"{NAME} object has no attribute {NAME}{GUESS}", "Is it set in `__init__`, and is every operand {a class}?"),
    (rf"type object {NAME} has no attribute {NAME}{GUESS}", "Is it spelled as in the contract?"),
    (rf"unsupported operand type\(s\) for \^=?: {NAME} and {NAME}", "In Python `^` is not a power: write `**`."),
    (rf"unsupported operand type\(s\) for [-+*/%@&|^<>=~]{{1,3}}(?: or pow\(\))?: {NAME} and {NAME}",
     "An operator is missing for these two. Turn plain numbers into {a class} first, and write the method it needs."),
    (rf"bad operand type for unary [-+~]: {NAME}", "Write `__neg__`, or multiply by -1."),
    (rf"{FUNCTION} takes (?:from \d to )?\d positional arguments? but \d (?:was|were) given",
     "Compare the method's parameters with the contract."),
    (rf"{FUNCTION} missing \d required positional arguments?: {NAME}(?:(?:, | and |, and ){NAME}){{0,3}}",
     "Compare the method's parameters with the contract."),
    (rf"{FUNCTION} got an unexpected keyword argument {NAME}", "Compare the parameters with the contract."),
    (rf"{NAME} object is not callable",
     "`_backward` must hold a function: store it without calling it, `out._backward = _backward`."),
    (rf"{NAME} object is not (?:iterable|subscriptable)", "`_prev` holds the operands: a tuple, list or set."),
    (rf"{UNHASHABLE}'(?:list|set|dict)'\)?", "Put the node itself into the set, and no list of nodes."),
    (rf"{UNHASHABLE}{NAME}\)?", BY_IDENTITY),
    (r"must be real number, not [A-Za-z_]+", "Hand the number over, `self.data`, and not the object."),
    (r"can't multiply sequence by non-int of type 'float'", "Is `data` a number everywhere?"),
    (rf"name {NAME} is not defined{GUESS}", "Is it spelled right, and imported at the top?"),
    (rf"cannot access (?:local|free) variable {NAME} where it is not associated with a value(?: in enclosing scope)?",
     "Inside a nested function, `x += ...` makes x local. Change an attribute instead, such as `self.grad`."),
    (
        r"maximum recursion depth exceeded(?: while calling a Python object| in comparison"
        r"| while getting the (?:str|repr) of an object| in __(?:instance|subclass)check__)?",
        "Does the method call itself without an end? Beyond 1,000 nodes, a stack of your own replaces recursion.",
    ),
    (r"(?:float )?division by zero|float floor division by zero", "Is a value zero that should not be?"),
    (r"math range error|\(34, 'Numerical result out of range'\)", "exp of a large number overflows: use math.tanh."),
    (r"math domain error", "Is the function given a number it is defined for?"),
    (r"(?:list|tuple|pop) index out of range|pop from (?:an )?empty (?:list|set|deque)",
     "Is the list filled before it is read?"),
    (r"(?:Set|dictionary) changed size during iteration", "Make a list of it first: `for node in list(nodes)`."),
    (rf"local variable {NAME} referenced before assignment", "Change an attribute instead, such as `self.grad`."),
    (r"EOF when reading a line", "Nobody types anything while your code is graded: take `input` out."),
    (r"\[Errno 2\] No such file or directory: '\w{1,60}(?:\.\w{1,10})?'",
     "No other files are there when your code is graded: take this out."),
    (rf"No module named {NAME}",
     "Write this without that module: the exercise needs nothing but Python's math module."),
]  # fmt: skip
"""The interpreter's messages that are shown, each with what to try."""


@cache
def compile_message_hints(class_name: str = "") -> list[tuple[re.Pattern[str], str]]:
    """Return ``MESSAGE_HINTS``, compiled once a message is to be shown.

    Args:
        class_name: the class that students write; empty where they write functions alone.
    """
    name = class_name or "object"
    article = "an" if name[0] in "AEIOUo" else "a"

    def fill(text: str) -> str:
        text = text if class_name else WITHOUT_CLASS.get(text, text)
        return text.replace(CLASS, name).replace(A_CLASS, f"{article} {name}")

    return [(re.compile(fill(pattern), re.ASCII), fill(advice)) for pattern, advice in MESSAGE_HINTS]


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
