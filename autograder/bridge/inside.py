"""Runs inside the student's process: loads the student's source, then answers requests about its objects.

Standard library only, and as little of it as can be: ``json`` alone would cost a third of the time that the
process takes to start, so its C half is used directly. Nothing here is trusted by the other side.

Each request is ``[id, name, ...]``; each answer ``[id, "ok", value]`` or ``[id, "raised", {...}]``. While a
request is at work, this side may send ``[number, "call", function, [arguments]]``: a function of the trusted
process is called; requests may come before its ``[number, "return", value]``.
"""

import _ast
import _signal
import gc
import operator
import os
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever starts this
CONTAINERS = {list: "l", tuple: "t", set: "s", frozenset: "z"}
MOST_ITEMS = 250_000
DEPTH = 12
MESSAGE_LENGTH = 1000
GRACE_SECONDS = 0.25
TIMED_OUT, FAILED, BROKEN = "timed out", "failed", "broken"
FUTURE_FLAGS = 0x1FF0000  # the bits of a code object that ``from __future__`` sets
ModuleSpec: Any = type(sys.__spec__)


# --- JSON -------------------------------------------------------------------------------------------------------


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = None
    memo: dict[str, str] = {}  # noqa: RUF012


try:
    import _json

    _scan = _json.make_scanner(_Context())  # type: ignore[attr-defined]
    _chunks = _json.make_encoder(  # type: ignore[attr-defined]
        None, None, _json.encode_basestring_ascii, None, ":", ",", False, False, False
    )

    def _loads(text: str) -> Any:
        return _scan(text, 0)[0]

    def _dumps(data: Any) -> str:
        return "".join(_chunks(data, 0))

except (ImportError, AttributeError, TypeError):
    import json

    def _loads(text: str) -> Any:
        return json.loads(text)

    def _dumps(data: Any) -> str:
        return json.dumps(data, separators=(",", ":"))


_arrived = b""


def _receive() -> Any:
    """The next message; most often one system call."""
    global _arrived
    while len(_arrived) < 4 or len(_arrived) < 4 + int.from_bytes(_arrived[:4], "big"):
        chunk = os.read(CHANNEL, 1 << 20 if len(_arrived) > 1 << 16 else 1 << 16)
        if not chunk:
            os._exit(0)
        _arrived += chunk
    end = 4 + int.from_bytes(_arrived[:4], "big")
    text = _arrived[4:end].decode()
    _arrived = _arrived[end:]
    return _loads(text)


def _send(message: Any) -> None:
    data = _dumps(message).encode()
    data = len(data).to_bytes(4, "big") + data
    while data:
        data = data[os.write(CHANNEL, data) :]


# --- values -----------------------------------------------------------------------------------------------------

_objects: dict[int, Any] = {}
_handles: dict[int, int] = {}
_functions: dict[int, "TrustedFunction"] = {}
_counter = 0
_calls = 0


def _handle(value: Any) -> dict[str, Any]:
    global _counter
    number = _handles.get(id(value))
    if number is None:
        _counter += 1
        number = _counter
        _handles[id(value)] = number
        _objects[number] = value
    return {"h": number, "k": type(value).__name__[:100]}


def _plain(value: Any, kind: type) -> Any:
    """The number or text inside an instance of a subclass, whatever the subclass says of itself."""
    for base in kind.__mro__:
        if base is float:
            return float.__pos__(value)
        if base is int:
            return int.__pos__(value)
        if base is str:
            return str.__str__(value)
        if base.__module__ == "numpy" and hasattr(base, "item"):
            return base.item(value)
    return value


def encode(value: Any, depth: int = 0) -> Any:
    """A value of this process as JSON data: plain data by value, everything else by handle."""
    kind = type(value)
    if kind is float:
        return value if value - value == 0.0 else {"f": "nan" if value != value else "inf" if value > 0 else "-inf"}
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if -(1 << 63) <= value < (1 << 63) else {"i": f"{value:x}"}
    if kind is str:
        return value if len(value) <= MOST_ITEMS else _handle(value)
    if kind is TrustedFunction:
        return {"c": value.number}
    tag = CONTAINERS.get(kind)
    if tag is not None and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in _shared:
        if set(map(type, value)) == {int} and -(1 << 63) <= min(value) and max(value) < (1 << 63):
            return {tag: list(value)}
        return {tag: [encode(item, depth + 1) for item in value]}
    if kind is dict and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in _shared:
        return {"d": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]}
    plain = _plain(value, kind)
    if plain is not value and type(plain) in (float, int, str, bool):
        return encode(plain, depth)
    return _handle(value)


def decode(data: Any) -> Any:
    """JSON data from the trusted process as a value of this one."""
    if type(data) is not dict:
        return data
    for tag, content in data.items():
        if tag == "h":
            return _objects[content]
        if tag == "c":
            return _functions.setdefault(content, TrustedFunction(content))
        if tag == "f":
            return float(content)
        if tag == "i":
            return int(content, 16)
        if tag == "l":
            return [decode(item) for item in content]
        if tag == "t":
            return tuple([decode(item) for item in content])
        if tag == "s":
            return {decode(item) for item in content}
        if tag == "z":
            return frozenset([decode(item) for item in content])
        if tag == "d":
            return {decode(k): decode(v) for k, v in content}
    raise ValueError("unknown kind of value")


class TrustedFunction:
    """A function of the trusted process: calling it calls that one."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, *arguments: Any) -> Any:
        global _calls
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + 100)  # an exchange is never cut in half by the student's depth
        try:
            _calls += 1
            number = _calls
            _send([number, "call", self.number, [encode(argument) for argument in arguments]])
            while True:
                message = _receive()
                if message[1] == "return" and message[0] == number:
                    return decode(message[2])
                if message[1] == "unwind" and message[0] == number:
                    raise Unwind
                _answer(message)
        finally:
            sys.setrecursionlimit(limit)


class Unwind(BaseException):
    """A test ended inside a function of its own; the student's code on the way is left."""


class Node:
    """An object with ``_prev``, for graphs that a test wires by hand."""

    def __init__(self, _prev: Any) -> None:
        self._prev = _prev

    def __repr__(self) -> str:
        return "Node"


# --- packages that are not installed -----------------------------------------------------------------------------

_grading = False


class PackageMissing(ImportError):
    """A package that is not installed was used inside a graded call."""


class Inert:
    """Stands in for something of a package that is not installed: harmless until it is really used."""

    __slots__ = ("_inert_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_inert_name", name)

    def _used(self, *arguments: Any, **named: Any) -> Any:
        name = self._inert_name
        if _grading:
            raise PackageMissing(
                f"{name.partition('.')[0]} is not installed where your code is graded, and {name} was used"
            )
        if len(arguments) == 1 and not named and isinstance(arguments[0], FunctionType | type):
            return arguments[0]  # a decorator leaves what it decorates
        return Inert(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._inert_name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> tuple[()]:
        return ()

    def __iter__(self) -> Any:
        self._used()
        return iter(())

    def __bool__(self) -> bool:
        self._used()
        return False

    def __len__(self) -> int:
        self._used()
        return 0

    def __enter__(self) -> Any:
        return self._used()

    def __exit__(self, *error: Any) -> None:
        pass

    __call__ = __getitem__ = __setitem__ = __delitem__ = __float__ = __int__ = __contains__ = _used
    for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift lt le gt ge".split():
        locals()[f"__{_name}__"] = locals()[f"__r{_name}__"] = _used
    for _name in "neg pos abs invert".split():
        locals()[f"__{_name}__"] = _used
    del _name


class InertModule(ModuleType):
    """Stands in for a package that is not installed."""

    __path__: list[str] = []  # noqa: RUF012
    __all__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self.__name__}.{name}")


class _Finder:
    """Last on ``sys.meta_path``: the student's other files, then stand-ins for what is not installed.

    Only a plain import at the top of a file gets a stand-in. One inside ``try`` fails as it does anywhere, so
    that the student's own way out is taken.
    """

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        self.imported: set[str] = set()
        self.missing: list[str] = []

    def note_imports(self, body: list[Any]) -> None:
        """Remember what these top-level statements import."""
        for statement in body:
            if isinstance(statement, _ast.Import):
                self.imported.update(alias.name.partition(".")[0] for alias in statement.names)
            elif isinstance(statement, _ast.ImportFrom) and statement.module and not statement.level:
                self.imported.add(statement.module.partition(".")[0])

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The import system's question; see ``importlib.abc.MetaPathFinder``."""
        top = name.partition(".")[0]
        if name in self.modules:
            return ModuleSpec(name, self)
        if top not in self.imported or top in sys.stdlib_module_names or top in self.modules:
            return None
        if top not in self.missing:
            self.missing.append(top)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        """An empty module for a file of the student's, an inert one for a package."""
        return None if spec.name in self.modules else InertModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run a file of the student's; nothing for a package."""
        if module.__name__ in self.modules:
            source, name = self.modules[module.__name__], f"{module.__name__}.py"
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
            self.note_imports(tree.body)
            exec(compile(tree, name, "exec", dont_inherit=True), module.__dict__)


# --- loading the student's source --------------------------------------------------------------------------------


class _TimeUp(BaseException):
    pass


_running: CodeType | None = None


def _time_up(_: int, frame: Any) -> None:
    """Interrupt the student's code, and never the code around it."""
    while frame is not None:
        if frame.f_code is _running:
            raise _TimeUp
        frame = frame.f_back


class Loader:
    """Runs the units of a submission; what fails costs itself alone, and is noted."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.units: list[list[str]] = config["units"]
        self.skip = {(unit, index) for unit, index in config["skip"]}
        self.seconds: float = config["seconds"]
        self.careful: bool = config["careful"]
        self.defines: list[str] = config["defines"]
        self.notes: list[dict[str, Any]] = []
        self.finder = _Finder(config["modules"])
        self.module = ModuleType("submission")
        self.module.__dict__.update(get_ipython=Inert("IPython.get_ipython"), display=Inert("IPython.display"))

    def run(self) -> dict[str, Any]:
        """Run everything; gives what is defined and what was noted."""
        sys.modules["submission"] = self.module
        sys.meta_path.append(self.finder)
        _signal.signal(_signal.SIGALRM, _time_up)
        for number, (name, source) in enumerate(self.units):
            self._run_unit(number, name, source)
        features = {name: self._features(name) for name in self.defines}
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)
        defined = {name: self._kind(name) for name in self.defines}
        return {"notes": self.notes, "missing": self.finder.missing, "defined": defined, "features": features}

    def _run_unit(self, number: int, name: str, source: str) -> None:
        try:
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
            flags = compile(tree, name, "exec", dont_inherit=True).co_flags & FUTURE_FLAGS
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            line = getattr(error, "lineno", None) or 0
            message = getattr(error, "msg", None) or f"{type(error).__name__}: {error}"
            self._note(BROKEN, number, -1, line, type(error).__name__, str(message))
            return
        self.finder.note_imports(tree.body)
        start = 0
        while start < len(tree.body):
            start = self._run_from(number, name, tree.body, start, flags)

    def _run_from(self, number: int, name: str, body: list[Any], start: int, flags: int) -> int:
        """Run statements from ``start`` until one fails or is to be skipped; gives where to go on."""
        if (number, start) in self.skip:
            return start + 1
        stop = start + 1
        if self.careful:
            _send([0, "at", number, start, body[start].lineno])
        else:
            while stop < len(body) and (number, stop) not in self.skip:
                stop += 1
        code: CodeType = compile(_ast.Module(body[start:stop], []), name, "exec", flags, dont_inherit=True)
        try:
            self._timed(code, self.module.__dict__)
        except BaseException as error:
            line = _line_in(error, code)
            at = next((i for i in range(start, stop) if body[i].lineno <= line <= body[i].end_lineno), stop - 1)
            kind = TIMED_OUT if isinstance(error, _TimeUp) else FAILED
            self._note(kind, number, at, line, type(error).__name__, _text(error))
            return at + 1
        return stop

    def _timed(self, code: CodeType, names: dict[str, Any]) -> None:
        global _running
        _running = code
        _signal.setitimer(_signal.ITIMER_REAL, max(self.seconds, GRACE_SECONDS), 0.05)
        try:
            exec(code, names)
        finally:
            self.seconds = max(0.0, min(self.seconds, _signal.setitimer(_signal.ITIMER_REAL, 0.0)[0]))

    def _kind(self, name: str) -> str:
        """What a name stands for in the submission; empty when it is not defined."""
        if name not in self.module.__dict__:
            return ""
        value = self.module.__dict__[name]
        if type(value) is Inert:
            return "missing package"
        if isinstance(value, type):
            return "class"
        if callable(value):
            return "stub" if _is_stub(value) else "function"
        return type(value).__name__[:100]

    def _features(self, name: str) -> list[str]:
        """The attributes that a class and a fresh instance of it have, without untouched stubs."""
        value = self.module.__dict__.get(name)
        if not isinstance(value, type):
            return []
        found: set[Any] = set()
        for base in reversed(value.__mro__[:-1]):
            for key, attribute in base.__dict__.items():
                (found.discard if _is_stub(attribute) else found.add)(key)
        try:
            names = {"make": value, "found": found}
            self._timed(compile("found.update(vars(make(1.0)))", "<features>", "exec"), names)
        except BaseException:
            pass  # its constructor fails: a test will say so
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


def _is_stub(value: Any) -> bool:
    """Whether a function does nothing but raise ``NotImplementedError``, as in the template."""
    return type(value) is FunctionType and value.__code__.co_names == ("NotImplementedError",)


def _line_in(error: BaseException, code: CodeType) -> int:
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MESSAGE_LENGTH]
    except BaseException:
        return "(its message cannot be read)"


# --- requests ----------------------------------------------------------------------------------------------------

_loader: Loader
_named: dict[str, Any] = {}
_shared: dict[int, Any] = {}  # containers that tests and student share: by handle, never copied


def _keep(value: Any) -> Any:
    _shared[id(value)] = value
    return value


def _load(config: dict[str, Any]) -> str:
    global _loader, _grading
    _loader = Loader(config)
    result = _dumps(_loader.run())
    _grading = True
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # graphs are full of cycles; looking for them after every 700 nodes takes most of the time
    return result


def _forget() -> None:
    """Drop what the last test held, apart from the submission's own names."""
    kept = {_handles[id(value)]: value for value in _named.values() if id(value) in _handles}
    _objects.clear()
    _handles.clear()
    _functions.clear()
    _shared.clear()
    for number, value in kept.items():
        _objects[number] = value
        _handles[id(value)] = number


def _get(name: str) -> Any:
    """What the submission defines under ``name``; its handle outlives ``forget``."""
    try:
        _named[name] = _loader.module.__dict__[name]
    except KeyError:
        raise NameError(f"name {name!r} is not defined") from None
    return _named[name]


def _nodes(operands: list[list[int]], container: str) -> Any:
    """Plain nodes, each with the given earlier ones as its ``_prev``."""
    make: Any = {"tuple": tuple, "list": list, "set": set}[container]
    made: list[Node] = []
    for indices in operands:
        made.append(Node(make([made[index] for index in indices])))
    return made


def _set_all(changes: list[tuple[Any, str, Any]]) -> None:
    for value, name, content in changes:
        setattr(value, name, content)


def _positions(items: Any, among: list[Any]) -> list[int]:
    """Where each item stands among the others, by identity; -1 for one that does not."""
    places = {id(item): place for place, item in enumerate(among)}
    return [places.get(id(item), -1) for item in _unrolled(items)]


def _repeat(name: str, value: Any, other: Any, times: int) -> Any:
    function = _operator(name)
    for _ in range(times):
        value = function(value, other)
    return value


def _unrolled(value: Any) -> list[Any]:
    items = []
    for item in value:
        items.append(item)
        if len(items) > MOST_ITEMS:
            raise OverflowError(f"more than {MOST_ITEMS} items")
    return items


def _isinstance(value: Any, kind: Any) -> bool:
    return any(base is kind for base in type(value).__mro__)


def _operator(name: str) -> Any:
    return {"pow3": pow, "abs": abs, "divmod": divmod}.get(name) or getattr(operator, name)


REQUESTS: dict[str, Any] = {
    "load": _load,
    "get": _get,
    "call": lambda target, arguments, named: target(*arguments, **named),
    "getattr": getattr,
    "setattr": setattr,
    "delattr": delattr,
    "op": lambda name, *operands: _operator(name)(*operands),
    "repeat": _repeat,
    "items": _unrolled,
    "len": len,
    "bool": bool,
    "repr": repr,
    "str": str,
    "hash": hash,
    "callable": callable,
    "isinstance": _isinstance,
    "hasattr": lambda value, name: name in dir(value),
    "type name": lambda value: type(value).__name__,
    "getitem": operator.getitem,
    "setitem": operator.setitem,
    "delitem": operator.delitem,
    "list": lambda items: _keep(list(items)),
    "set": lambda items: _keep(set(items)),
    "dict": lambda: _keep({}),
    "nodes": _nodes,
    "chain": lambda length: _keep(_nodes([[], *[[place] for place in range(length - 1)]], "tuple")),
    "make": lambda kind, arguments: [kind(argument) for argument in arguments],
    "kept": lambda function, arguments: _keep(function(*arguments)),
    "setattrs": _set_all,
    "getattrs": lambda values, name: [getattr(value, name) for value in values],
    "positions": _positions,
}


def _raised(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    names = {unit[0] for unit in _loader.units} if "_loader" in globals() else set()
    unit, line, function = "", 0, ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in names:
            unit, line, function = code.co_filename, trace.tb_lineno, code.co_qualname
        trace = trace.tb_next
    builtin = next((base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"), "Exception")
    return {
        "kind": kind.__name__[:100],
        "builtin": builtin,
        "message": _text(error),
        "unit": unit,
        "line": line,
        "function": function[:100],
        "package": str(error).partition(" ")[0][:100] if kind is PackageMissing else "",
    }


def _answer(message: Any) -> None:
    number, name, *arguments = message
    try:
        if name == "forget":
            _forget()
            return
        value = encode(REQUESTS[name](*[decode(argument) for argument in arguments]))
    except Unwind:
        _send([number, "unwound", None])
        return
    except BaseException as error:
        _send([number, "raised", _raised(error)])
        return
    _send([number, "ok", value])


def serve() -> None:
    """Answer until the channel is closed."""
    while True:
        _answer(_receive())


if CHANNEL >= 0:
    serve()
