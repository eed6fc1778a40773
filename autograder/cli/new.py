"""``autograder new``: make an assignment."""

from __future__ import annotations

import click

from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.starter import write_and_load_starter_assignment


@click.command()
@click.argument("assignment_name", metavar="NAME")
@click.option("--title", default="", help="What students read; made from NAME by default.")
@click.option("--class", "class_name", default="Vector", show_default=True, help="The class that students write.")
@course_option
def command(assignment_name: str, title: str, class_name: str, course: CourseOption) -> None:
    """Make assignment NAME in the course: small, whole and green, to be changed piece by piece.

    It has a handout, a reference solution, public and hidden tests, misconceptions that reports call by name, a right
    alternative and a notebook, about a class of vectors.
    """
    assignment = write_and_load_starter_assignment(course.load(), assignment_name, title, class_name)
    print_line(f"{assignment.name}: listed in grading.yml, with {', '.join(assignment.defines)} to define")
    print_line(f"  solutions/{assignment.name}/value.py        the reference solution")
    print_line(f"  assignments/{assignment.name}/              handout, public and hidden tests, diagnosis, notebook")
    print_line(
        f"  student_template/{assignment.name}/         what students get: "
        f"`autograder template {assignment.name}` writes it anew"
    )
    print_line(f"next: autograder check {assignment.name} --quick; docs/new-assignment.md goes on from there")
