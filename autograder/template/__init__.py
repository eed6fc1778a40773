"""Generate the students' folder from the solution, the public suite and the handout."""

from autograder.template.build import build_template, drift, write_template
from autograder.template.otter import build_master, write_master

__all__ = ["build_master", "build_template", "drift", "write_master", "write_template"]
