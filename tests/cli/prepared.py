"""Run commands in processes forked from this one, which has imported already what they need.

Each command has a process of its own, with its own folder, environment, streams and exit code, as if a shell had
started it; it is spared reading a thousand modules once more.

A command is one of ``autograder``, or ``python -m pytest`` in a student's folder.

Standard input has a request in each line, as JSON; each is answered by a line with the process's id, and one with its
exit code, which is negative for a signal.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import multiprocessing.process
import os
import pkgutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

AUTOGRADER = str(Path(sys.executable).with_name("autograder"))
LATE_IMPORTS = ("concurrent.futures.process", "pytest_jsonreport", "rich.progress")
"""What commands import only once they need it."""


def import_commands() -> None:
    """Import the modules of all commands, of pytest and of the platforms; compile and read what commands do once."""
    from _pytest.config import default_plugins

    import autograder.bridge.inside
    import autograder.cli
    import autograder.sandbox.inside
    import autograder.web.commands

    for package in (autograder.cli, autograder.web.commands):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for platform in entry_points(group="autograder.platforms"):
        importlib.import_module(platform.module)
    for name in (*LATE_IMPORTS, *(f"_pytest.{plugin}" for plugin in default_plugins)):
        importlib.import_module(name)
    autograder.bridge.inside.compile_modules()
    for forks in (False, True):
        autograder.sandbox.inside.compile_modules(forks=forks)


def serve() -> None:
    """Fork a process for each request, until there are no more."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    gc.freeze()  # what is here stays: processes need not look through it
    for line in requests:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            requests.close()
            answers.close()
            become(request)
        print(pid, file=answers, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers, flush=True)


def become(request: dict[str, Any]) -> NoReturn:
    """Be the process that was asked for."""
    for descriptor, name in enumerate((os.devnull, request["stdout"], request["stderr"])):
        opened = os.open(name, os.O_RDWR)
        os.dup2(opened, descriptor)
        os.close(opened)
    if request["processor"] is not None:
        os.sched_setaffinity(0, {request["processor"]})
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.umask(request["umask"])
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    tempfile.tempdir = None
    process: Any = multiprocessing.process
    process.ORIGINAL_DIR = request["folder"]  # where new interpreters begin, and what they take for the script
    sys.modules["__main__"].__file__ = AUTOGRADER
    if request["program"] == "pytest":
        import pytest

        sys.path[0] = request["folder"]  # as for `python -m`
        sys.argv = [pytest.__file__, *request["arguments"]]
        end(pytest.console_main)
    sys.argv = [AUTOGRADER, *request["arguments"]]
    from autograder.cli.main import main

    end(main)


def end(main: Callable[[], int | None]) -> NoReturn:
    """Do what a command does, and what an interpreter does at its end, but for taking down a thousand modules."""
    try:
        sys.exit(main())
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.path[0] = str(Path(AUTOGRADER).parent)  # as for the script
    import_commands()
    serve()
