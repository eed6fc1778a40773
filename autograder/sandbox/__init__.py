"""Run a student's code in a process of its own that can do nothing but compute and answer."""

from autograder.sandbox.frame_channel import ChannelClosed, FrameChannel, FrameTooLarge
from autograder.sandbox.sandbox_model import Sandbox
from autograder.sandbox.student_process import StudentProcess
from autograder.sandbox.tier_probe import TierProbeResult, choose_strongest_working_sandbox, probe_tiers

__all__ = [
    "ChannelClosed",
    "FrameChannel",
    "FrameTooLarge",
    "Sandbox",
    "StudentProcess",
    "TierProbeResult",
    "choose_strongest_working_sandbox",
    "probe_tiers",
]
