"""Otter-Grader: write results as its users' scripts know them; ``template`` writes its master notebook.

Documentation: https://otter-grader.readthedocs.io/en/latest/.
"""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.otter.results_writers import encode_report_files, make_final_grades_export

platform = Platform("otter", "Otter-Grader", report_writer=encode_report_files, class_writer=make_final_grades_export)
