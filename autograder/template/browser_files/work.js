// What a page does with the notebook in its frame: run, stop, download and hand in. JupyterLite does all else.
const find = (id) => document.getElementById(id);
const state = find("state");
const CHECK = /\b(run_tests|try_it|notebook_check)\b/; // cells that ask the check are no part of a program

const later = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));

async function open() {
  let app;
  while (!(app = find("lite").contentWindow.jupyterapp)) await later(20);
  const path = find("lite").dataset.notebook;
  const { kernelspecs, sessions } = app.serviceManager;
  // Python starts beside the application, not after it; the notebook finds its session there.
  await app.activatePlugin("@jupyterlite/pyodide-kernel-extension:kernel");
  await kernelspecs.refreshSpecs();
  await sessions.startNew({ path, name: path, type: "notebook", kernel: { name: "python" } });
  await app.started;
  const options = { ref: "_noref" }; // here, and not in another tab
  const panel = await app.commands.execute("docmanager:open", { path, factory: "Notebook", options });
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.revealed;
  return { app, panel };
}

// A notebook that opens takes the focus, again and again: whoever is on the way through this page by keys keeps it.
let held = null;
const hold = (event) => (held = event.target);
const keep = () => document.activeElement === find("lite") && (held ? held.focus() : find("lite").blur());
addEventListener("focusin", hold);
addEventListener("blur", keep);

function offer(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

const { app, panel } = await open();
const kernel = () => panel.sessionContext.session?.kernel;
const notebook = () => JSON.stringify(panel.context.model.toJSON(), null, 1) + "\n";
const source = (cell) => (Array.isArray(cell.source) ? cell.source.join("") : cell.source);

function program() {
  const cells = panel.context.model.toJSON().cells.filter((cell) => cell.cell_type === "code");
  return cells.map(source).filter((text) => text.trim() && !CHECK.test(text)).join("\n\n\n") + "\n";
}

const save = () => panel.context.model.dirty && panel.context.save();

const READY = "Ready: what you write is kept in this browser.";
const RUNNING = "Running. Stop ends it, and keeps what you wrote.";
let last = null; // what a button began and has not ended: between the cells of a run, a kernel is idle, too
panel.sessionContext.statusChanged.connect((_, status) => {
  if (last) return;
  if (status === "idle") state.textContent = READY;
  if (status === "busy") state.textContent = RUNNING;
});

async function act(during, action, after) {
  state.textContent = during;
  const own = (last = {});
  await action();
  if (last !== own) return; // a run that was stopped
  last = null;
  state.textContent = after;
}

async function stop() {
  await save();
  await kernel().restart();
  while (kernel()?.status !== "idle") await later(50);
}

find("run").onclick = () => act(RUNNING, () => app.commands.execute("notebook:run-all-cells"), READY);
find("stop").onclick = () => act("Stopping ...", stop, "Stopped. What you wrote is all there; run its cells again.");
find("notebook").onclick = () => offer("value.ipynb", notebook(), "application/x-ipynb+json");
find("program").onclick = () => offer("value.py", program(), "text/x-python");
if (find("hand-in")) {
  find("hand-in").form.onsubmit = () => {
    const files = new DataTransfer();
    files.items.add(new File([notebook()], "value.ipynb"));
    find("hand-in").form.elements.file.files = files.files;
    save();
  };
}
for (const button of document.querySelectorAll("button")) button.disabled = false;
removeEventListener("focusin", hold);
removeEventListener("blur", keep);
state.textContent = READY;
document.addEventListener("visibilitychange", save);
addEventListener("pagehide", save);
let quiet;
panel.context.model.contentChanged.connect(() => {
  clearTimeout(quiet);
  quiet = setTimeout(save, 1000); // once nobody types
});
