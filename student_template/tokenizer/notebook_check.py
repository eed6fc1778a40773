"""Runs the public tests against what you defined in the notebook. Never raises."""

import sys
import textwrap
import types
from contextlib import contextmanager, redirect_stdout
from html import escape
from pathlib import Path
from unittest.mock import patch

WIDTH = 78  # a notebook breaks longer lines in the middle of a word
HERE = Path(__file__).resolve().parent


def run_tests(name):
    """Run one file of tests, such as ``run_tests("test_1_forward")``, on the notebook's definitions."""
    try:
        import pytest
    except ImportError:
        print("pytest is not installed: run `pip install pytest` once, then this cell again.")
        return
    with _notebook_as_value():
        try:
            with _as_in_a_file(), redirect_stdout(_WholeLines(sys.stdout)):
                pytest.main(
                    [str(HERE / "tests" / f"{name}.py"), "-c", str(HERE / "pytest.ini"), "-p", "no:cacheprovider"]
                )
            _show_pictures()
        except BaseException as error:  # a check never stops the notebook
            print(f"The tests could not be run: {type(error).__name__}: {error}")


@contextmanager
def _notebook_as_value():
    """Let the tests find what the notebook has defined where they look for value.py."""
    given = types.ModuleType("value")
    given.__dict__.update(sys.modules["__main__"].__dict__, __name__="value", __file__=None)
    before = sys.modules.get("value")
    sys.modules["value"] = given
    _forget_tests()
    try:
        yield given
    finally:
        _forget_tests()
        del sys.modules["value"]
        if before is not None:
            sys.modules["value"] = before


@contextmanager
def _as_in_a_file():
    """Let ``exit`` and ``input`` raise what they do in a file: Jupyter's end the kernel, and wait for you."""
    notebook = sys.modules["__main__"]

    def nobody_types(*_):
        raise OSError("reading from stdin")

    ends = [patch.object(notebook, name, sys.exit, create=True) for name in ("exit", "quit")]
    with ends[0], ends[1], patch("builtins.input", nobody_types):
        yield


class _WholeLines:
    """Passes on whole lines alone: a notebook shows what arrives in pieces, such as dots, as a piece each."""

    def __init__(self, stream):
        self._stream, self._waiting = stream, ""

    def write(self, text):
        lines, end, self._waiting = (self._waiting + text).rpartition("\n")
        self._stream.write(lines + end)
        return len(text)

    def flush(self):
        """Do nothing: a line that has not ended waits."""

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _show_pictures():
    """Show the graph of the first test that is wrong, where there is one."""
    display = getattr(sys.modules.get("IPython.display"), "display", None)
    pictures = getattr(sys.modules.get("conftest"), "pictures", ())
    for sentence, svg, words in pictures if display else ():
        html = f"<p>The graph of the first test that is wrong: {escape(sentence)}</p>{svg}"
        display({"text/html": html, "text/plain": f"{sentence}\n{words}"}, raw=True)


def try_it(function):
    """Call a function and print what it gives, or what is still missing."""
    try:
        with _as_in_a_file():
            result = function()
        print(result)
    except NotImplementedError as missing:
        print(f"not written yet: {missing}")
    except NameError as missing:
        if missing.name is None or missing.name in sys.modules["__main__"].__dict__:
            print(f"not there yet: NameError: {missing}")
        else:
            run = "run the cell that defines it (it must end without an error), then this cell again."
            print(f"`{missing.name}` is not defined yet: {run}")
    except (Exception, SystemExit) as error:
        print(textwrap.fill(f"not there yet: {_explain(error)}", WIDTH, subsequent_indent="  "))


def _explain(error):
    """Return what was raised, with your line and what to try, as the tests say it."""
    with _notebook_as_value() as given:
        sys.path.insert(0, str(HERE / "tests"))
        try:
            from exception_messages import explain_exception

            return " ".join(explain_exception(error, [given])[:2]).rstrip()
        except Exception:
            return f"{type(error).__name__}: {error}"
        finally:
            sys.path.remove(str(HERE / "tests"))


def _forget_tests():
    """Tests import your class once; forgotten, they import it anew."""
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").parent == HERE / "tests":
            del sys.modules[name]
