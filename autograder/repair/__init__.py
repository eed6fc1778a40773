"""Find the smallest change of a student's own text after which everything holds, and prove it."""

from autograder.repair.repair_model import NO_REPAIR, Edit, Repair
from autograder.repair.repair_search import find_repair

__all__ = ["NO_REPAIR", "Edit", "Repair", "find_repair"]
