"""Platforms that courses live in: what they pack is read, what they take is written, a module each."""

from autograder.platforms.download import Download
from autograder.platforms.model import Arrival, Change, Export, Given, Platform, Result, Results
from autograder.platforms.registry import platform_of, platforms

__all__ = [
    "Arrival",
    "Change",
    "Download",
    "Export",
    "Given",
    "Platform",
    "Result",
    "Results",
    "platform_of",
    "platforms",
]
