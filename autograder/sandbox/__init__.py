"""Run a student's code in a separate process that can only compute, and answer requests."""

from autograder.sandbox.frame_channel import ChannelClosed, FrameChannel, FrameTooLarge
from autograder.sandbox.sandbox_config import SandboxConfig
from autograder.sandbox.student_process import StudentProcess
from autograder.sandbox.tiers import TierProbeResult, choose_strongest_sandbox, probe_tiers

__all__ = [
    "ChannelClosed",
    "FrameChannel",
    "FrameTooLarge",
    "SandboxConfig",
    "StudentProcess",
    "TierProbeResult",
    "choose_strongest_sandbox",
    "probe_tiers",
]
