"""The folder that students get, generated from the solution, the public suite and the handout."""

from autograder.template.build import build_template, drift, write_template

__all__ = ["build_template", "drift", "write_template"]
