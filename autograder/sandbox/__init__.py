"""Run a student's code in a process of its own that can do nothing but compute and answer."""

from autograder.sandbox.channel import Channel, ChannelClosed, FrameTooLarge
from autograder.sandbox.child import Child
from autograder.sandbox.plan import Sandbox
from autograder.sandbox.probe import Offer, choose_sandbox, probe

__all__ = [
    "Channel",
    "ChannelClosed",
    "Child",
    "FrameTooLarge",
    "Offer",
    "Sandbox",
    "choose_sandbox",
    "probe",
]
