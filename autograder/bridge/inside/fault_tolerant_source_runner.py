"""Run a student's source; record statements that fail or hang and units that do not compile; run the rest."""

import _ast
import sys
from time import process_time
from types import CodeType, ModuleType
from typing import Any

from autograder.bridge.inside.changed_code import NOT_COMPILED, ChangeableUnit
from autograder.bridge.inside.definition_inspector import DefinitionInspector
from autograder.bridge.inside.determinism import begin_loading_and_make_builtins, use_sequential_hashes
from autograder.bridge.inside.message_channel import send_message_at_once
from autograder.bridge.inside.missing_package_placeholders import (
    NotebookShell,
    restore_replaced_definitions,
)
from autograder.bridge.inside.newer_python import POSTPONED, is_used_in_annotation, may_use_newer_python
from autograder.bridge.inside.repeatable_random import importing
from autograder.bridge.inside.submission_import_finder import FUTURE_FLAGS, OWN_NAME, SubmissionImportFinder
from autograder.bridge.inside.timed_execution import (
    LoadTimeout,
    TimedExecution,
    ignore_time_limit_signals,
    install_time_limit_signal_handlers,
)

MESSAGE_LENGTH = 1000
DEFINITIONS = (_ast.ClassDef, _ast.FunctionDef, _ast.Import, _ast.ImportFrom, _ast.Assign, _ast.AnnAssign)
TIMED_OUT, FAILED, BROKEN = "timed out", "failed", "broken"
TOP_LEVEL_AWAIT = 0x2000  # the flag with which Jupyter compiles a cell
NEW_LOCALS = 0x2  # the bit of a function's code object, which a module's and a class's have not


class SourceRunner:
    """Runs the units of a submission; what fails costs itself alone, and is recorded."""

    def __init__(self, config: dict[str, Any]) -> None:
        """Prepare a module; run nothing yet.

        Args:
            config: see ``bridge.loading.make_load_config``.
        """
        self.units: list[list[str]] = config["units"]
        self.defines: list[str] = config["defines"]
        self.also_named: list[str] = config["also_named"]
        self.makes_instances: bool = config["makes_instances"]
        self._skipped_statements = {(unit, index) for unit, index in config["skipped_statements"]}
        self._announces_each_statement: bool = config["announces_each_statement"]
        self._execution = TimedExecution(config["seconds"], config["overtime_seconds"])
        self.inspector = DefinitionInspector(
            self._execution, config["possible_attributes"], makes_instances=self.makes_instances
        )
        self._late_statements: list[list[int]] = []  # statements that took, or came after, all of the time
        self._problems: list[dict[str, Any]] = []
        self._built_in = begin_loading_and_make_builtins()
        self._finder = SubmissionImportFinder(config["modules"], self._built_in)
        self.module = self._make_module()
        self._executed_code: list[CodeType] = []
        self._changeable_units: list[ChangeableUnit] = []  # made once one is changed
        self._last_change: tuple[int, int, int, str] | None = None
        self._postponed_statements: set[tuple[int, int]] = set()  # statements whose annotations are not evaluated
        self._runs_single_statements = False
        # what an earlier cell asked for by ``from __future__``, later ones have, too; and any may await
        self._flags = TOP_LEVEL_AWAIT

    def _make_module(self) -> ModuleType:
        module = sys.modules["submission"] = ModuleType("submission")
        if OWN_NAME not in self._finder.modules:
            sys.modules.pop(OWN_NAME, None)  # of an earlier run of the same code
        module.__dict__["__builtins__"] = self._built_in
        shell = NotebookShell()
        module.__dict__.update(get_ipython=lambda: shell, display=shell)
        return module

    def run_submission(self) -> dict[str, Any]:
        """Run everything; return what is defined and all problems, as ``bridge.ReportedLoadResult`` has it."""
        sys.meta_path.append(self._finder)
        start = process_time()
        install_time_limit_signal_handlers()
        for number, (name, source) in enumerate(self.units):
            self._run_unit(number, name, source)
        if self._announces_each_statement:
            send_message_at_once([0, "at", -1, -1, 0])
        features = self._list_attributes_by_name()
        defined = {name: self.inspector.describe_kind(self.module, name) for name in self.defines}
        return {
            "problems": self._problems,
            "missing": self._finder.missing,
            "late": self._late_statements,
            "defined": defined,
            "features": features,
            "seconds": process_time() - start - importing[0],
        }

    def rerun_and_list_attributes(self) -> dict[str, list[str]]:
        """Run the same code in a new module, as a fresh process would; return the attributes of what is defined."""
        self.module = self._make_module()
        self._execution.restore_full_time()
        self.inspector.class_of_instances.clear()
        install_time_limit_signal_handlers()
        for code in self._executed_code:
            try:
                self._execute(code)
            except BaseException:
                continue  # as at first: what had to be run in another way follows, such as postponed annotations
        return self._list_attributes_by_name()

    def change_unit(self, number: int, start: int, end: int, text: str) -> None:
        """Have ``rerun_and_list_attributes`` run a unit with another text from ``start`` to ``end``.

        A unit that does not compile then is left out.

        Only for a submission that was loaded whole.
        """
        if self._last_change == (number, start, end, text):
            return
        self._changeable_units = self._changeable_units or [
            ChangeableUnit(name, source, self._flags) for name, source in self.units
        ]
        self._executed_code = [unit.code for unit in self._changeable_units]
        self._executed_code[number] = self._changeable_units[number].compile_changed(start, end, text)
        self._last_change = (number, start, end, text)

    def _list_attributes_by_name(self) -> dict[str, list[str]]:
        for name in self.defines:
            # ``type()`` may have made the class, unseen until now
            use_sequential_hashes(self.module.__dict__.get(name))
        features = {name: self.inspector.list_attributes(self.module, name) for name in self.defines}
        ignore_time_limit_signals()
        return features

    def list_source_file_names(self) -> set[str]:
        """Return the file names of the student's own source in tracebacks."""
        return {name for name, _ in self.units} | {f"{name}.py" for name in self._finder.modules}

    def _run_unit(self, number: int, name: str, source: str) -> None:
        try:
            code: CodeType = compile(source, name, "exec", self._flags, dont_inherit=True)
            self._flags |= code.co_flags & FUTURE_FLAGS
        except NOT_COMPILED as error:
            self._record_uncompilable_unit(number, error)
            return
        self._runs_single_statements = self._finder.may_miss_imports(source)
        if self._can_run_whole(number, source):
            self._finder.scan_imports_later(source)
            run_error = self._run_and_catch(code)
            if run_error is None:
                return
            body = self._parse_unit(number, name, source)
            start = self._record_error_and_get_next(run_error, code, number, body, 0, len(body)) if body else 0
            del run_error  # with all that its frames hold
        else:
            body, start = self._parse_unit(number, name, source), 0
            self._finder.replace_and_record_imports(body, self.module.__dict__)
        while start < len(body):
            start = self._run_from(number, name, body, start)

    def _can_run_whole(self, number: int, source: str) -> bool:
        """Return whether no statement of a unit needs to be looked at before it runs: parsing takes time."""
        if (
            self._announces_each_statement
            or self._execution.seconds <= 0
            or any(unit == number for unit, _ in self._skipped_statements)
        ):
            return False
        return not (self._runs_single_statements or may_use_newer_python(source))

    def _parse_unit(self, number: int, name: str, source: str) -> list[Any]:
        """Return the statements of a unit; record that it is broken and return none where it is nested too deeply."""
        try:
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST | self._flags, dont_inherit=True)
        except NOT_COMPILED as error:
            self._record_uncompilable_unit(number, error)
            return []
        body: list[Any] = tree.body
        return body

    def _record_uncompilable_unit(self, number: int, error: BaseException) -> None:
        line = getattr(error, "lineno", None) or 0
        message = getattr(error, "msg", None) or f"{type(error).__name__}: {error}"
        self._record_problem(BROKEN, number, -1, line, type(error).__name__, str(message))

    def _run_and_catch(self, code: CodeType) -> BaseException | None:
        self._executed_code.append(code)
        try:
            self._execute(code)
        except BaseException as error:
            return error
        return None

    def _execute(self, code: CodeType) -> None:
        """Execute code in the module; nothing that it defines is replaced by what stands in for a missing package."""
        before = dict(self.module.__dict__)
        try:
            self._execution.execute(code, self.module.__dict__)
        finally:
            if self._finder.missing:
                restore_replaced_definitions(self.module.__dict__, before)

    def _run_from(self, number: int, name: str, body: list[Any], start: int) -> int:
        """Run statements from ``start`` until one fails or is to be skipped; return where to go on."""
        if (number, start) in self._skipped_statements:
            return start + 1
        end = start + 1
        if self._execution.seconds <= 0 and (
            self._execution.overtime_seconds <= 0 or not isinstance(body[start], DEFINITIONS)
        ):
            self._late_statements.append([number, start])
            return end
        flags = self._flags
        if (number, start) in self._postponed_statements:
            flags |= POSTPONED
        if self._announces_each_statement:
            send_message_at_once([0, "at", number, start, body[start].lineno])
        elif self._execution.seconds > 0 and flags == self._flags and not self._runs_single_statements:
            while end < len(body) and (number, end) not in self._skipped_statements:
                end += 1
        code = compile(_ast.Module(body[start:end], []), name, "exec", flags, dont_inherit=True)
        error = self._run_and_catch(code)
        return end if error is None else self._record_error_and_get_next(error, code, number, body, start, end)

    def _record_error_and_get_next(
        self, error: BaseException, code: CodeType, number: int, body: list[Any], start: int, end: int
    ) -> int:
        """Note which of the statements that were run raised an error; return where to go on."""
        line = _find_line_of_error(error, code)
        index = next(
            (place for place in range(start, end) if body[place].lineno <= line <= body[place].end_lineno), end - 1
        )
        if (
            type(error) is NameError
            and (number, index) not in self._postponed_statements
            and is_used_in_annotation(body[index], error.name)
        ):
            self._postponed_statements.add((number, index))
            return index  # once more: from Python 3.14 on, annotations may name what is defined later
        kind = TIMED_OUT if isinstance(error, LoadTimeout) else FAILED
        if kind is TIMED_OUT:
            line = body[index].lineno  # the line that the alarm interrupted is random
            self._late_statements.append([number, index])
        self._record_problem(kind, number, index, line, type(error).__name__, get_truncated_exception_message(error))
        return index + 1

    def _record_problem(self, kind: str, unit: int, statement: int, line: int, error: str, message: str) -> None:
        if len(self._problems) < 50:
            self._problems.append(
                {
                    "kind": kind,
                    "unit": unit,
                    "statement": statement,
                    "line": line,
                    "error": error[:100],
                    "message": message[:MESSAGE_LENGTH],
                }
            )


def _find_line_of_error(error: BaseException, code: CodeType) -> int:
    """Return the line of these statements that an error came from: one in a class's body too, none in a function."""
    trace, line, in_statements = error.__traceback__, 0, False
    while trace is not None:
        frame_code = trace.tb_frame.f_code
        if frame_code.co_filename == code.co_filename:  # others stand between: what builds classes, for example
            in_statements = frame_code is code or (in_statements and not frame_code.co_flags & NEW_LOCALS)
            line = trace.tb_lineno if in_statements else line
        trace = trace.tb_next
    return line


def get_truncated_exception_message(error: BaseException) -> str:
    """Return an exception's message, truncated; a text that says so if reading the message raises."""
    try:
        return str(error)[:MESSAGE_LENGTH]
    except BaseException:
        return "(its message cannot be read)"
