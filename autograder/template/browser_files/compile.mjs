// Runs when a site is written: each module that a kernel and its first check import becomes bytecode in its archive,
// so that no browser compiles it at each start. What is imported later, if ever, stays source, which is smaller.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const [folder, lock, path] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(`${folder}/${lock}`));
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const python = await loadPyodide({
  indexURL: `${folder}/`,
  lockFileURL: `${folder}/${lock}`,
  packages: Object.keys(packages),
  env: { HOME: "/home/pyodide", PYTHONPATH: path },
  stdout: () => {},
});
await python.runPythonAsync(`
import io, os, sys, zipfile
from importlib import _bootstrap_external

import piplite.piplite, pyodide_kernel, pytest
await pyodide_kernel.kernel_instance.run("from notebook_check import try_it; try_it(lambda: 1 / 0)")
await pyodide_kernel.kernel_instance.run("1 / 0")
pytest.main(["${path}", "-p", "no:cacheprovider"])
sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
places = "/lib/python314.zip/", "/lib/python3.14/site-packages/"
imported = {file.removeprefix(place) for file in files for place in places if file.startswith(place)}

def compile_archive(content):
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name in imported:
                text = _bootstrap_external._code_to_timestamp_pyc(compile(text, name, "exec", dont_inherit=True))
                name += "c"
            new.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()
`);
const compile = python.globals.get("compile_archive");
for (const name of readdirSync(folder).filter((one) => /(stdlib\.zip|\.whl)$/.test(one) && !one.startsWith("assignment_"))) {
  const content = python.toPy(new Uint8Array(readFileSync(`${folder}/${name}`))).tobytes();
  writeFileSync(`${folder}/${name}`, compile(content).toJs());
}
