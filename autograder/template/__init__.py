"""Generate the students' folder from the solution, the public suite and the handout."""

from autograder.template.browser_site import (
    choose_site_file_headers,
    render_markdown,
    render_work_page,
    write_browser_site,
)
from autograder.template.otter import render_otter_master_files, write_otter_master_files
from autograder.template.student_files import (
    describe_template_differences,
    render_student_template_files,
    synchronize_template_folder,
)

__all__ = [
    "choose_site_file_headers",
    "describe_template_differences",
    "render_markdown",
    "render_otter_master_files",
    "render_student_template_files",
    "render_work_page",
    "synchronize_template_folder",
    "write_browser_site",
    "write_otter_master_files",
]
