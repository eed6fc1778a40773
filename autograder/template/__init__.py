"""Generate the students' folder from the solution, the public suite and the handout."""

from autograder.template.build_template import build_template, describe_drift, write_template
from autograder.template.otter_master import build_otter_master, write_otter_master

__all__ = ["build_otter_master", "build_template", "describe_drift", "write_otter_master", "write_template"]
