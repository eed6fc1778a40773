"""Replay the student's `backward()` beside the reference solution's, step by step."""
