"""What the interpreter says when ordinary mistakes are made, and what to try then.

The first that fits a message counts, so what is said of None, of numbers and of functions stands before what is said
of any object.
"""

from __future__ import annotations

import re

NAME = r"'[A-Za-z_]\w{0,60}(?:\.\w{1,60})?'"
GUESS = rf"(?:\. Did you mean: {NAME}\?)?"

KNOWN = [
    (rf"'NoneType' object has no attribute {NAME}{GUESS}",
     "Something is None that should be a Value: does every operation end with `return out`?"),
    (r"'NoneType' object is not (?:iterable|reversible|subscriptable)",
     "`reverse()`, `sort()` and functions without `return` give None. What is gone through here?"),
    (rf"unsupported operand type\(s\) for [-+*/%]{{1,3}}: (?:'NoneType' and {NAME}|{NAME} and 'NoneType')",
     "One of the two is None: does `grad` begin as 0.0, and does every operation end with `return out`?"),
    (r"'(?:list|tuple|set|dict|int|float|str|Value)' object is not callable",
     "Only functions can be called. Is there a pair of parentheses too many?"),
    (r"'(?:method|function|builtin_function_or_method)' object is not (?:iterable|reversible|subscriptable)",
     "Here stands a function, and not what it returns: call it, with `()`."),
    (r"[\w.<>]{1,80}\(\) takes (?:exactly one argument|no arguments) \(\d given\)",
     "How many things does it take? `append` and `add` take one."),
    (
        rf"'(?:int|float)' object has no attribute {NAME}{GUESS}",
        "A plain number is no Value: start with `other = other if isinstance(other, Value) else Value(other)`.",
    ),
    (rf"{NAME} object has no attribute {NAME}{GUESS}", "Is it set in `__init__`, and is every operand a Value?"),
    (rf"type object {NAME} has no attribute {NAME}{GUESS}", "Is it spelled as in the contract?"),
    (rf"unsupported operand type\(s\) for [-+*/%@&|^<>=~]{{1,3}}(?: or pow\(\))?: {NAME} and {NAME}",
     "An operator is missing for these two. Turn plain numbers into a Value first, and write the method it needs."),
    (rf"bad operand type for unary [-+~]: {NAME}", "Write `__neg__`, or multiply by -1."),
    (r"[\w.<>]{1,80}\(\) takes (?:from \d to )?\d positional arguments? but \d (?:was|were) given",
     "Compare the method's parameters with the contract."),
    (rf"[\w.<>]{{1,80}}\(\) missing \d required positional arguments?: {NAME}(?:(?:, | and |, and ){NAME}){{0,3}}",
     "Compare the method's parameters with the contract."),
    (rf"[\w.<>]{{1,80}}\(\) got an unexpected keyword argument {NAME}", "Compare the parameters with the contract."),
    (rf"{NAME} object is not callable",
     "`_backward` must hold a function: store it without calling it, `out._backward = _backward`."),
    (rf"{NAME} object is not (?:iterable|subscriptable)", "`_prev` holds the operands: a tuple, list or set."),
    (rf"unhashable type: {NAME}", "A class with `__eq__` needs `__hash__` too before it can go into a set."),
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
]  # fmt: skip
"""The interpreter's messages that are shown, each with what to try."""

PATTERNS = [(re.compile(pattern), advice) for pattern, advice in KNOWN]
