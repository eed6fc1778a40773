"""Otter-Grader: results in the shapes that its users' scripts know, and its master notebook (see ``template``)."""

from autograder.platforms.model import Platform
from autograder.platforms.otter.grades import final_grades
from autograder.platforms.otter.results import results_json

platform = Platform("otter", "Otter-Grader", report_writer=results_json, class_writer=final_grades)

__all__ = ["platform"]
