"""Define the exception for a test that cannot run because a name that it needs is missing, a stub, or broken."""

from __future__ import annotations


class RequiredNameNotUsable(Exception):
    """A name that a test needs is not there, is an untouched stub, or does not do what the test needs.

    Attributes:
        name: the name.
        is_tested_name: whether the test is about that very name.
        is_defined: whether the name is defined, but does not do what the test needs.
    """

    def __init__(self, name: str, *, is_tested_name: bool, is_defined: bool = False) -> None:
        super().__init__(name, is_tested_name, is_defined)
        self.name = name
        self.is_tested_name = is_tested_name
        self.is_defined = is_defined

    def __str__(self) -> str:
        return f"{self.name} {'does not work' if self.is_defined else 'is not written'} yet"
