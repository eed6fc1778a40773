"""Generate the students' folder from the solution, the public suite and the handout."""

from autograder.template.otter import render_otter_master_files, write_otter_master_files
from autograder.template.student_files import (
    describe_template_differences,
    render_student_template_files,
    synchronize_template_folder,
)

__all__ = [
    "describe_template_differences",
    "render_otter_master_files",
    "render_student_template_files",
    "synchronize_template_folder",
    "write_otter_master_files",
]
