"""Isolated, fair and explained grading of scalar autograd engines.

The rooms stand in the order in which a submission passes through them, and each knows only those to its
left: ``course``, ``submissions``, ``sandbox``, ``bridge``, ``grading``, ``diagnosis``, ``reports``,
``lateness``, ``store``, ``batch``, ``roster``, ``platforms``, ``author_checks``, ``cli``.
"""

__version__ = "0.2.0"
