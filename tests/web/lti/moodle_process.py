"""Set up a Moodle from a checkout, on a database and a web server of its own; skip what needs it where there is none.

``KIT_MOODLE=/path/to/a/checkout/of/moodle`` names the checkout, 4.3 or newer. Nothing in it is changed, and nothing
of it comes into the kit. Everything listens on this machine alone. ``KIT_MOODLE_LANGUAGES`` names a folder with
Moodle's language packs, ``de/langconfig.php`` and so on; English needs none.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import PostgresServer, start_postgres
from tests.web.lti.referee_process import find_free_port

CHECKOUT = os.environ.get("KIT_MOODLE", "")
EXTENSIONS = {"curl", "dom", "gd", "intl", "mbstring", "pgsql", "soap", "xml", "zip"}
PACKS = os.environ.get("KIT_MOODLE_LANGUAGES", "")
SITE = Path(__file__).parent / "moodle" / "site.php"
PASSWORD = "Admin-1234"
PHP = ["php", "-d", "max_input_vars=5000", "-d", "memory_limit=512M", "-d", "opcache.enable_cli=1"]
CONFIG = """<?php
unset($CFG); global $CFG; $CFG = new stdClass();
$CFG->dbtype = 'pgsql'; $CFG->dblibrary = 'native'; $CFG->dbhost = 'localhost'; $CFG->dbname = 'postgres';
$CFG->dbuser = 'kit'; $CFG->dbpass = ''; $CFG->prefix = 'mdl_'; $CFG->dboptions = ['dbsocket' => '{socket}'];
$CFG->wwwroot = '{url}'; $CFG->dataroot = '{data}'; $CFG->admin = 'admin';
$CFG->curlsecurityblockedhosts = ''; $CFG->curlsecurityallowedport = '';  // the tool is at this machine
$CFG->noemailever = true; $CFG->passwordpolicy = 0; $CFG->debug = 0; $CFG->debugdisplay = 0;
require_once(__DIR__ . '/lib/setup.php');
"""


@dataclass(frozen=True, slots=True)
class Moodle:
    """A Moodle that runs."""

    url: str
    code: Path

    def do(self, action: str, script: Path = SITE, **values: Any) -> Any:
        """Do in it what somebody does by its pages, or ask what its database holds; see ``moodle/*.php``."""
        command = [*PHP, str(script), str(self.code), action, json.dumps(values)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def start_moodle(folder: Path) -> Iterator[Moodle]:
    """Set one up in a folder, which takes a minute or two."""
    checkout = Path(CHECKOUT)
    if not CHECKOUT:
        pytest.skip("no Moodle here: KIT_MOODLE=/path/to/a/checkout names one")
    if not (checkout / "mod" / "lti" / "services.php").is_file():
        pytest.skip(f"KIT_MOODLE names no checkout of Moodle: {CHECKOUT}")
    if missing := find_missing_extensions():
        pytest.skip(f"PHP or parts of it are missing: {', '.join(sorted(missing))}")
    with start_postgres() as database:
        code = folder / "moodle"
        shutil.copytree(checkout, code, copy_function=link_or_copy, ignore=shutil.ignore_patterns(".git"))
        (code / "config.php").unlink(missing_ok=True)
        moodle = Moodle(f"http://127.0.0.1:{find_free_port()}", code)
        try:
            install(moodle, database, folder / "data")
            with serve(moodle, folder / "web.log"):
                yield moodle
        finally:
            shutil.rmtree(code)


def link_or_copy(source: str, target: str) -> str:
    """Link a file where that can be done, because there are twenty thousand."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def add_languages(moodle: Moodle) -> set[str]:
    """Lay every language pack beside a Moodle, and return the languages that it then speaks."""
    found = {path.parent.name: path.parent for path in Path(PACKS).glob("*/langconfig.php")} if PACKS else {}
    for name, pack in found.items():
        shutil.copytree(pack, moodle.code.parent / "data" / "lang" / name)
    return {"en", *found}


def find_missing_extensions() -> set[str]:
    if shutil.which("php") is None:
        return {"php"}
    listed = subprocess.run(["php", "-m"], capture_output=True, text=True, timeout=300, check=True).stdout
    return EXTENSIONS - {*listed.lower().split()}


def install(moodle: Moodle, database: PostgresServer, data: Path) -> None:
    """Write its configuration, and let it make its tables."""
    data.mkdir()
    values = {"socket": database.folder, "url": moodle.url, "data": str(data)}
    text = CONFIG
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    (moodle.code / "config.php").write_text(text, encoding="utf-8")
    command = [
        *PHP, str(moodle.code / "admin" / "cli" / "install_database.php"), "--agree-license", "--adminuser=admin",
        f"--adminpass={PASSWORD}", "--adminemail=admin@example.com", "--fullname=Moodle", "--shortname=test",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


@contextmanager
def serve(moodle: Moodle, log: Path) -> Iterator[None]:
    """Serve its pages by PHP's own server; one worker alone would wait for itself where a tool asks something."""
    address = moodle.url.removeprefix("http://")
    command = [*PHP, "-d", "opcache.max_accelerated_files=20000", "-S", address, "-t", str(moodle.code)]
    environment = {**os.environ, "PHP_CLI_SERVER_WORKERS": "4"}
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True) as server,
    ):
        try:
            end = time.monotonic() + 120
            while not answers(moodle.url):
                assert server.poll() is None, log.read_text()[-3000:]
                assert time.monotonic() < end, "Moodle does not answer"
                time.sleep(0.5)
            yield
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # its workers, too
            server.wait(300)


def answers(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/login/index.php", timeout=300) as answer:
        return bool(answer.status == 200)
    return False
