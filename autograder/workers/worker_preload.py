"""Import what workers need, in the process that they are forked from. No other module may import this one."""

import signal

import autograder.workers.call_server
import autograder.workers.grading_worker  # noqa: F401
from autograder.sandbox.memory_protection import protect_grader_memory

signal.signal(signal.SIGINT, signal.SIG_IGN)  # workers ignore it from birth
protect_grader_memory()
