"""List what ``--help`` ends with: command lines that work as they stand, and the page of the documentation."""

from __future__ import annotations

import click

HELP_EXAMPLES: dict[str, tuple[str, ...]] = {
    "init": ("new-assignment.md", "init my-course", "init my-course --minimal"),
    "new": ("new-assignment.md", "new vectors --title 'Vectors'"),
    "grade": (
        "teaching-assistants.md",
        "grade autograd-engine value.py",
        "grade autograd-engine value.ipynb --open",
    ),
    "repair": ("teaching-assistants.md", "repair autograd-engine value.py", "repair autograd-engine value.py --diff"),
    "batch": (
        "batch.md",
        "batch autograd-engine submissions.zip --out results",
        "batch autograd-engine submissions/ --out results --roster roster.csv",
    ),
    "report": ("teaching-assistants.md", "report --out results", "report --out results --pages"),
    "regrade": (
        "store.md",
        "regrade autograd-engine --out results --dry-run",
        "regrade autograd-engine --out results --explain",
    ),
    "overview": ("teaching-assistants.md", "overview --out results", "overview --out results --beside last-year"),
    "similar": ("teaching-assistants.md", "similar --out results --given lecture/"),
    "show": ("teaching-assistants.md", "show ada --out results"),
    "decide": (
        "teaching-assistants.md",
        "decide override ada --score 17.5 --reason 'appeal granted' --out results",
        "decide list --out results",
    ),
    "decide comment": ("teaching-assistants.md", "decide comment ada --text 'Well argued.' --out results"),
    "decide exempt": (
        "teaching-assistants.md",
        "decide exempt --all --test tanh.the-tanh-of-a-tanh --reason 'the test was wrong' --out results",
    ),
    "decide extend": (
        "lateness.md",
        "decide extend ada bob --days 2 --reason 'was ill' --out results",
        "decide extend --all --hours 24 --reason outage --out results",
    ),
    "decide list": ("teaching-assistants.md", "decide list --out results --csv decisions.csv"),
    "decide log": ("teaching-assistants.md", "decide log --out results"),
    "decide override": (
        "teaching-assistants.md",
        "decide override ada --score 17.5 --reason 'appeal granted' --out results",
        "decide override ada --concept tanh --score 10 --reason 'see the mail' --out results",
    ),
    "decide points": ("teaching-assistants.md", "decide points ada --points 2 --for style --out results"),
    "decide read": ("teaching-assistants.md", "decide read decisions.csv --out results --dry-run"),
    "decide reopen": (
        "lateness.md",
        "decide reopen ada --until '2026-12-01 12:00' --reason 'wrong file' --out results",
    ),
    "decide undo": ("teaching-assistants.md", "decide undo 4 --reason 'wrong student' --out results"),
    "submit": ("web.md", "submit autograd-engine value.py", "submit autograd-engine value.py --no-wait"),
    "serve": ("web.md", "serve --demo", "serve --out results --public-url https://grader.uni.example"),
    "invite": ("web.md", "invite ines --role administrator", "invite ada bob", "invite --file roster.csv"),
    "lti": ("lti.md", "lti add moodle --kind moodle", "lti list"),
    "lti add": ("lti.md", "lti add moodle --kind moodle --url https://moodle.uni.example"),
    "lti connect": ("lti.md", "lti connect moodle 42"),
    "lti forget": ("lti.md", "lti forget 3"),
    "lti keys": ("lti.md", "lti keys", "lti keys --rotate"),
    "lti list": ("lti.md", "lti list --out results"),
    "lti log": ("lti.md", "lti log --out results"),
    "lti registration-link": ("lti.md", "lti registration-link --url https://grader.uni.example"),
    "lti remove": ("lti.md", "lti remove moodle"),
    "lti roster": ("lti.md", "lti roster --out results"),
    "lti test": ("lti.md", "lti test moodle"),
    "people": ("web.md", "people import roster.csv", "people export ada --out results"),
    "people compact": ("administrators.md", "people compact --out results"),
    "people erase": ("administrators.md", "people erase ada --out results --dry-run"),
    "people export": ("administrators.md", "people export ada --out results"),
    "people import": ("web.md", "people import roster.csv", "people import roster.csv --apply --invite"),
    "archive": ("administrators.md", "archive term.zip --out results"),
    "export": (
        "platforms/README.md",
        "export list moodle",
        "export moodle --batch results --gradebook worksheet.csv --dry-run",
        "export moodle --batch results --gradebook worksheet.csv --out upload",
    ),
    "check": ("writing-tests.md", "check --quick", "check autograd-engine --update"),
    "gradescope-zip": ("platforms/gradescope.md", "gradescope-zip autograd-engine --out gradescope.zip"),
    "template": ("new-assignment.md", "template", "template autograd-engine --jobs"),
    "doctor": ("administrators.md", "doctor"),
}
"""For each command its page below ``docs/``, and what is typed after ``autograder``, in a course or its results."""


def add_help_examples(command: click.Command, name: str) -> None:
    """Let the help of a command, and of those below it, end with its examples and its page."""
    page, *lines = HELP_EXAMPLES[name]
    shown = "\n".join(f"  autograder {line}" for line in lines)
    command.epilog = f"\b\nFor example:\n{shown}\n\nMore: docs/{page}"
    if isinstance(command, click.Group):
        for inner_name, inner in command.commands.items():
            add_help_examples(inner, f"{name} {inner_name}")
