"""Run a student's source; note what fails, hangs or does not compile, and go on with the rest."""

import _ast
import _signal
import sys
from time import process_time
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.bridge.inside.determinism import (
    begin_loading_and_make_builtins,
    hash_instances_in_order_of_first_use,
    importing,
)
from autograder.bridge.inside.import_finder import SubmissionImportFinder
from autograder.bridge.inside.message_channel import send_message_at_once
from autograder.bridge.inside.missing_packages import MissingPackagePlaceholder
from autograder.bridge.inside.newer_python import (
    POSTPONED,
    is_identifier_in_any_annotation,
    mentions_newer_python_names,
)

MESSAGE_LENGTH = 1000
GRACE_SECONDS = 0.1
REPEAT_SECONDS = 0.02
DEFINITIONS = (_ast.ClassDef, _ast.FunctionDef, _ast.Import, _ast.ImportFrom, _ast.Assign, _ast.AnnAssign)
NOT_COMPILED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
TIMED_OUT, FAILED, BROKEN = "timed out", "failed", "broken"
MAKE_ONE = compile("made = make(1.0)", "<features>", "exec")
ASK_FOR_EACH = compile("found += [n for n in looked_for if n[:2] != '__' and hasattr(made, n)]", "<features>", "exec")
FUTURE_FLAGS = 0x1FF0000  # the bits of a code object that ``from __future__`` sets

NEW_LOCALS = 0x2  # the bit of a function's code object, which a module's and a class's have not


class _TimeUp(BaseException):
    pass


class _Waited(_TimeUp):
    pass


class _Running:
    """Code of the student's that is at work, and the CPU seconds that it may use."""

    code: CodeType | None = None
    limit, cpu = 0.0, 0.0

    def start(self, code: CodeType, limit: float) -> None:
        """Note the code that begins, its limit, and the CPU time so far."""
        self.code, self.limit, self.cpu = code, limit, process_time()

    def spent(self) -> float:
        """Return the CPU seconds used so far: what a busy machine takes does not count."""
        return process_time() - self.cpu


_running = _Running()


def _time_up(number: int, frame: Any) -> None:
    """Interrupt the student's code when its time is up, or the other side sees it wait; never the code around it."""
    waits = number == _signal.SIGUSR2
    while (waits or _running.spent() >= _running.limit) and frame is not None:
        if frame.f_code is _running.code:
            raise _Waited if waits else _TimeUp
        frame = frame.f_back


class SourceRunner:
    """Runs the units of a submission; what fails costs itself alone, and is noted."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.units: list[list[str]] = config["units"]
        self.skip = {(unit, index) for unit, index in config["skip"]}
        self.allowed: float = config["seconds"]
        self.seconds = self.allowed  # that are left
        self.overtime: float = config["overtime"]  # for the definitions that stand below what used up all the time
        self.careful: bool = config["careful"]
        self.defines: list[str] = config["defines"]
        self.also_named: list[str] = config["also_named"]
        self.objects_outlive_tests: bool = config["objects_outlive_tests"]
        self.look: bool = config["look"]
        self.looked_for: list[str] = config["looked_for"]
        self.made_by: dict[int, type] = {}  # by the id of a class, what calling it makes: a subclass, or a stranger
        self.late: list[list[int]] = []
        self.hangs = False  # whether looking at what a class makes takes too long
        self.notes: list[dict[str, Any]] = []
        self.built_in = begin_loading_and_make_builtins()
        self.finder = SubmissionImportFinder(config["modules"], self.built_in)
        self.module = self._new_module()
        self.codes: list[CodeType] = []  # what was run, in its order
        self.postponed: set[tuple[int, int]] = set()  # statements whose annotations are not evaluated
        self.flags = 0  # of ``from __future__``: a notebook's later cells have what an earlier one asked for

    def _new_module(self) -> ModuleType:
        module = sys.modules["submission"] = ModuleType("submission")
        module.__dict__["__builtins__"] = self.built_in
        module.__dict__.update(
            get_ipython=MissingPackagePlaceholder("IPython.get_ipython"),
            display=MissingPackagePlaceholder("IPython.display"),
        )
        return module

    def run_submission(self) -> dict[str, Any]:
        """Run everything; return what is defined and what was noted."""
        sys.meta_path.append(self.finder)
        start = process_time()
        _listen()
        for number, (name, source) in enumerate(self.units):
            self._run_unit(number, name, source)
        if self.careful:
            send_message_at_once([0, "at", -1, -1, 0])
        features = self._all_features()
        defined = {name: self._kind(name) for name in self.defines}
        return {
            "notes": self.notes,
            "missing": self.finder.missing,
            "late": self.late,
            "defined": defined,
            "features": features,
            "seconds": process_time() - start - importing[0],
        }

    def rerun_submission_and_list_attributes(self) -> dict[str, list[str]]:
        """Run the same code in a new module, as a fresh process would; return the features of what is defined."""
        self.module, self.seconds = self._new_module(), self.allowed
        self.made_by.clear()
        _listen()
        try:
            for code in self.codes:
                self._timed(code, self.module.__dict__)
        except BaseException:
            pass  # it was run without a fault before, so tests will say what is missing now
        return self._all_features()

    def _all_features(self) -> dict[str, list[str]]:
        for name in self.defines:
            # ``type()`` may have made the class, unseen until now
            hash_instances_in_order_of_first_use(self.module.__dict__.get(name))
        features = {name: self._features(name) for name in self.defines}
        _listen(no_more=True)
        return features

    def list_source_file_names(self) -> set[str]:
        """Return the file names of the student's own source in tracebacks."""
        return {name for name, _ in self.units} | {f"{name}.py" for name in self.finder.modules}

    def _run_unit(self, number: int, name: str, source: str) -> None:
        try:
            whole: CodeType = compile(source, name, "exec", self.flags, dont_inherit=True)
            self.flags |= whole.co_flags & FUTURE_FLAGS
        except NOT_COMPILED as error:
            self._note_broken(number, error)
            return
        if self._can_run_whole(number, source):
            self.finder.remember_source_to_find_imports(source)
            raised = self._run_and_catch(whole)
            if raised is None:
                return
            body = self._parse(number, name, source)
            start = self._note_error_and_get_next(raised, whole, number, body, 0, len(body)) if body else 0
            del raised  # with all that its frames hold
        else:
            body, start = self._parse(number, name, source), 0
            self.finder.record_imports_and_replace_newer(body, self.module.__dict__)
        while start < len(body):
            start = self._run_from(number, name, body, start)

    def _can_run_whole(self, number: int, source: str) -> bool:
        """Return whether no statement of a unit needs to be looked at before it runs: parsing takes time."""
        if self.careful or self.seconds <= 0 or any(unit == number for unit, _ in self.skip):
            return False
        return not mentions_newer_python_names(source)

    def _parse(self, number: int, name: str, source: str) -> list[Any]:
        """Return the statements of a unit; note that it is broken and return none where it is nested too deeply."""
        try:
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST | self.flags, dont_inherit=True)
        except NOT_COMPILED as error:
            self._note_broken(number, error)
            return []
        body: list[Any] = tree.body
        return body

    def _note_broken(self, number: int, error: BaseException) -> None:
        line = getattr(error, "lineno", None) or 0
        message = getattr(error, "msg", None) or f"{type(error).__name__}: {error}"
        self._note(BROKEN, number, -1, line, type(error).__name__, str(message))

    def _run_and_catch(self, code: CodeType) -> BaseException | None:
        self.codes.append(code)
        try:
            self._timed(code, self.module.__dict__)
        except BaseException as error:
            return error
        return None

    def _run_from(self, number: int, name: str, body: list[Any], start: int) -> int:
        """Run statements from ``start`` until one fails or is to be skipped; return where to go on."""
        if (number, start) in self.skip:
            return start + 1
        stop = start + 1
        if self.seconds <= 0 and (self.overtime <= 0 or not isinstance(body[start], DEFINITIONS)):
            self.late.append([number, start])
            return stop
        flags = self.flags
        if (number, start) in self.postponed:
            flags |= POSTPONED
        if self.careful:
            send_message_at_once([0, "at", number, start, body[start].lineno])
        elif self.seconds > 0 and flags == self.flags:
            while stop < len(body) and (number, stop) not in self.skip:
                stop += 1
        code = compile(_ast.Module(body[start:stop], []), name, "exec", flags, dont_inherit=True)
        error = self._run_and_catch(code)
        return stop if error is None else self._note_error_and_get_next(error, code, number, body, start, stop)

    def _note_error_and_get_next(
        self, error: BaseException, code: CodeType, number: int, body: list[Any], start: int, stop: int
    ) -> int:
        """Note which of the statements that were run raised an error; return where to go on."""
        line = _line_in(error, code)
        at = next((i for i in range(start, stop) if body[i].lineno <= line <= body[i].end_lineno), stop - 1)
        if (
            type(error) is NameError
            and (number, at) not in self.postponed
            and is_identifier_in_any_annotation(body[at], error.name)
        ):
            self.postponed.add((number, at))
            return at  # once more: from Python 3.14 on, annotations may name what is defined later
        kind = TIMED_OUT if isinstance(error, _TimeUp) else FAILED
        if kind is TIMED_OUT:
            line = body[at].lineno  # where the alarm struck is chance
            self.late.append([number, at])
        self._note(kind, number, at, line, type(error).__name__, get_truncated_exception_message(error))
        return at + 1

    def run_code_and_record_hang(self, code: CodeType, namespace: dict[str, Any]) -> None:
        """Run more of the student's code once all is loaded; note if it hangs. Raises whatever it raises."""
        _listen()
        try:
            self._timed(code, namespace)
        except _TimeUp:
            self.hangs = True
        finally:
            _listen(no_more=True)

    def _timed(self, code: CodeType, names: dict[str, Any]) -> None:
        _running.start(code, max(self.seconds, GRACE_SECONDS))
        _signal.setitimer(_signal.ITIMER_REAL, min(_running.limit, REPEAT_SECONDS), REPEAT_SECONDS)
        waited = False
        try:
            exec(code, names)
        except _Waited:
            waited = True
            raise
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0.0)
            spent = _running.spent()
            if self.seconds <= 0:
                self.overtime -= spent
            else:
                self.seconds = 0.0 if waited else max(0.0, self.seconds - spent)

    def _kind(self, name: str) -> str:
        """Return what a name stands for in the submission; empty when it is not defined."""
        if name not in self.module.__dict__:
            return ""
        value = self.module.__dict__[name]
        if type(value) is MissingPackagePlaceholder:
            return "missing package"
        if isinstance(value, type):
            return "class"
        if callable(value):
            return "stub" if _is_stub(value) else "function"
        return type(value).__name__[:100]

    def _features(self, name: str) -> list[str]:
        """Return the attributes that a class and a fresh instance of it have, without untouched stubs."""
        value = self.module.__dict__.get(name)
        if not isinstance(value, type) or not self.look:
            return self._class_features(value)
        found = set(self._class_features(value))
        try:
            names: dict[str, Any] = {"make": value, "looked_for": self.looked_for, "found": []}
            self._timed(MAKE_ONE, names)
            found.add("__init__")  # it can be made from a number, by ``__new__`` for example
            kind = type(names["made"])
            if "__module__" in kind.__dict__:  # the student's: an abstract class makes one that is not
                self.made_by[id(value)] = kind
                found.update(self._class_features(kind))
            found.update(getattr(names["made"], "__dict__", ()))
            if "__getattr__" in found:
                self._timed(ASK_FOR_EACH, names)
                found.update(names["found"])
        except BaseException as error:
            self.hangs |= isinstance(error, _TimeUp)  # its constructor fails: a test will say so
        return sorted(key[:100] for key in found if type(key) is str)[:1000]

    def _class_features(self, value: Any) -> list[str]:
        found: set[Any] = set()
        if isinstance(value, type):
            for base in reversed(_own(value)):
                for key, attribute in base.__dict__.items():
                    (found.discard if _is_stub(attribute) else found.add)(key)
            new: Any = value.__new__
            if new is not object.__new__ and not any("__init__" in base.__dict__ for base in _own(value)):
                found.add("__init__")  # ``__new__`` does its work, such as a tuple's
        return sorted(key[:100] for key in found if type(key) is str)[:1000]

    def _note(self, kind: str, unit: int, statement: int, line: int, error: str, message: str) -> None:
        if len(self.notes) < 50:
            self.notes.append(
                {
                    "kind": kind,
                    "unit": unit,
                    "statement": statement,
                    "line": line,
                    "error": error[:100],
                    "message": message[:MESSAGE_LENGTH],
                }
            )


def _own(value: type) -> list[type]:
    """Return a class and those above it without Python's own, such as float: what they bring is not the student's."""
    return [base for base in value.__mro__ if "__module__" in base.__dict__]


def _listen(*, no_more: bool = False) -> None:
    """Have signals interrupt the student's code when its time is up; with ``no_more``, ignore them."""
    for number in (_signal.SIGALRM, _signal.SIGUSR2):
        _signal.signal(number, _signal.SIG_IGN if no_more else _time_up)


def _is_stub(value: Any) -> bool:
    """Return whether a function does nothing but raise ``NotImplementedError``, as in the template."""
    return type(value) is FunctionType and value.__code__.co_names == ("NotImplementedError",)


def _line_in(error: BaseException, code: CodeType) -> int:
    """Return the line of these statements that an error came from: one in a class's body too, none in a function."""
    trace, line, within = error.__traceback__, 0, False
    while trace is not None:
        there = trace.tb_frame.f_code
        if there.co_filename == code.co_filename:  # others stand between: what builds classes, for example
            within = there is code or (within and not there.co_flags & NEW_LOCALS)
            line = trace.tb_lineno if within else line
        trace = trace.tb_next
    return line


def get_truncated_exception_message(error: BaseException) -> str:
    """Return an exception's message, cut; an exception may refuse to tell it."""
    try:
        return str(error)[:MESSAGE_LENGTH]
    except BaseException:
        return "(its message cannot be read)"
