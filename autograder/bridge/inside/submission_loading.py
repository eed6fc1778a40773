"""Load a submission into this process, run it anew between tests, and return what it defines."""

import builtins
import gc
import sys
from typing import Any

from autograder.bridge.inside import (
    attribute_name_translation,
    determinism,
    grader_signals,
    missing_package_placeholders,
)
from autograder.bridge.inside.fault_tolerant_source_runner import SourceRunner
from autograder.bridge.inside.message_channel import dumps
from autograder.bridge.inside.object_handles import (
    drop_all_objects,
    list_submission_names,
    register_submission_name,
)
from autograder.bridge.inside.value_codec import MOST_TEXT, reserve_submission_handles

_runner: SourceRunner | None = None
RECURSION_LIMIT = sys.getrecursionlimit()
FIND_NAMES = compile("find(make)", "<names>", "exec")


def load_submission(config: dict[str, Any]) -> list[str]:
    """Load a submission; return the report as JSON text, in pieces short enough to be sent by value."""
    global _runner
    _load_imported_modules(config["imports"])
    _runner = SourceRunner(config)
    report = _runner.run_submission()
    _begin_grading(_runner, report["features"])
    gc.freeze()
    text = dumps({**report, "hangs": _runner.inspector.hangs})
    return [text[start : start + MOST_TEXT] for start in range(0, len(text), MOST_TEXT)]


def _load_imported_modules(names: list[str]) -> None:
    """Load what the submission is going to import of the library, so that its own time does not include this."""
    for name in names:
        try:
            __import__(name)
        except BaseException:  # it is not there, or is no module: the submission is told when it asks
            continue


def reload_submission() -> None:
    """Run the submission's code again in this process; its own module starts as in a fresh process."""
    if _runner is None:
        return
    sys.setrecursionlimit(RECURSION_LIMIT)
    attribute_name_translation.forget_engine_attribute_names()
    names = list_submission_names()
    drop_all_objects()
    determinism.restart_numbering_for_loading()
    missing_package_placeholders.grading = False
    printing, sys.stdout = sys.stdout, _OutputDiscarder()
    try:
        _begin_grading(_runner, _runner.rerun_and_list_attributes())
    finally:
        sys.stdout = printing
    # a changed text may not define what the text that was handed in defines
    reserve_submission_handles(get_by_name(name) if name in vars(_runner.module) else object() for name in names)


def change_unit(number: int, start: int, end: int, text: str) -> None:
    """Have ``reload_submission`` run a unit with another text between two of its characters."""
    if _runner is not None:
        _runner.change_unit(number, start, end, text)


class _OutputDiscarder:
    """Replaces standard output while the submission is run a second time, and discards what is printed."""

    def write(self, text: str) -> int:
        """Print nothing."""
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def _begin_grading(runner: SourceRunner, features: dict[str, list[str]]) -> None:
    """Prepare for tests once the submission is loaded."""
    _find_names(runner, features)
    grader_signals.install_grader_signal_handlers(runner.list_source_file_names())
    missing_package_placeholders.grading = True
    names = (*runner.defines, *runner.also_named)
    reserve_submission_handles(get_by_name(name) for name in names if callable(vars(runner.module).get(name)))
    determinism.end_loading()


def _find_names(runner: SourceRunner, features: dict[str, list[str]]) -> None:
    """Find engines' own names for attributes of the handout, within the time that is left for loading."""
    for name, attributes in features.items():
        if (
            runner.makes_instances
            and "__add__" in attributes
            and not set(attribute_name_translation.ASKED_FOR).issubset(attributes)
        ):
            try:
                runner.inspector.execute_and_record_hang(
                    FIND_NAMES,
                    {
                        "find": attribute_name_translation.discover_engine_attribute_names,
                        "make": vars(runner.module)[name],
                    },
                )
            except BaseException:
                continue  # `+` does not work: a test will say so


def get_by_name(name: str) -> Any:
    """Return what the submission defines under ``name``; its handle outlives ``reset_for_test``."""
    try:
        value = vars(_runner.module)[name] if _runner else None
        return register_submission_name(name, value, get_instance_class(value))
    except KeyError:
        raise NameError(f"name {name!r} is not defined") from None


def get_instance_class(kind: Any) -> Any:
    """Return the class of the objects that a class of the submission makes; most often that class itself."""
    return _runner.inspector.class_of_instances.get(id(kind), kind) if _runner else kind


def list_source_file_names() -> set[str]:
    """Return the file names of the student's own source in tracebacks; none before it is loaded."""
    return _runner.list_source_file_names() if _runner else set()


def run_program(text: str, expressions: list[str]) -> list[Any]:
    """See ``StudentProxy.run``."""
    names = {**vars(_runner.module)} if _runner else {}
    names["__builtins__"] = builtins
    with determinism.let_objects_go():
        return run_and_evaluate(text, expressions, names)


def run_and_evaluate(text: str, expressions: list[str], names: dict[str, Any]) -> list[Any]:
    """Run a test's program with these names, and return what the expressions give after it."""
    exec(compile(text, "<program>", "exec"), names)
    return [eval(expression, names) for expression in expressions]
