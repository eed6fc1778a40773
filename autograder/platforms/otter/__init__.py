"""Otter-Grader: write results as its users' scripts know them; ``template`` writes its master notebook."""

from autograder.platforms.model import Platform
from autograder.platforms.otter.grades import final_grades
from autograder.platforms.otter.results import results_json

platform = Platform("otter", "Otter-Grader", report_writer=results_json, class_writer=final_grades)

__all__ = ["platform"]
