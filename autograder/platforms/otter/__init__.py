"""Otter-Grader: write results as its users' scripts know them; ``template`` writes its master notebook."""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.otter.final_grades import render_final_grades
from autograder.platforms.otter.results_json import render_report_files

platform = Platform("otter", "Otter-Grader", report_writer=render_report_files, class_writer=render_final_grades)

__all__ = ["platform"]
