// Runs when a site is written: each module that a kernel and its first check import becomes bytecode, so that no browser
// compiles it at each start; what is imported later, if ever, stays source, which is smaller. Wheels go into the archive
// of the standard library, from which Python imports without unpacking them; IPython reads files beside its modules.
import { readFileSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";

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

def compile_archives(contents):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as new:
        for old in (zipfile.ZipFile(io.BytesIO(content)) for content in contents):
            for name in old.namelist():
                text = old.read(name)
                if name in imported:
                    text = _bootstrap_external._code_to_timestamp_pyc(compile(text, name, "exec", dont_inherit=True))
                    name += "c"
                new.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()
`);
const compile = (paths) => {
  const contents = paths.map((one) => python.toPy(new Uint8Array(readFileSync(`${folder}/${one}`))).tobytes());
  writeFileSync(`${folder}/${paths[0]}`, python.globals.get("compile_archives")(contents).toJs());
};
const wheels = readdirSync(folder).filter((one) => one.endsWith(".whl") && !one.startsWith("assignment_")).sort();
const [stay, go] = [true, false].map((stays) => wheels.filter((one) => one.startsWith("ipython-") === stays));
for (const one of stay) compile([one]);
compile(["python_stdlib.zip", ...go]);
for (const one of go) unlinkSync(`${folder}/${one}`);
