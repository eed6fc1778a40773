"""Otter-Grader: write results as its users' scripts know them; ``template`` writes its master notebook."""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.otter.final_grades import write_final_grades
from autograder.platforms.otter.results_json import write_results_json

platform = Platform("otter", "Otter-Grader", report_writer=write_results_json, class_writer=write_final_grades)

__all__ = ["platform"]
