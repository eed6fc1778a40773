// Look from time to time whether what a page waits for is there. Only the line about it changes meanwhile, which
// screen readers read out. The page is loaded anew at the end, or where somebody may be reading it, by its link.
const waiting = document.getElementById("waiting");
const { found } = waiting.dataset;
const state = waiting.querySelector("[role=status]");
const link = waiting.querySelector("a");

async function look() {
  let page = null;
  try {
    const answer = await fetch(link.href);
    if (answer.ok) page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch (error) {
    page = null; // no network, or the server starts anew: look again later
  }
  const now = page && page.getElementById("waiting");
  const hasMore = page && (!now || now.dataset.found !== found); // marks come before what has to change
  if (hasMore && !found) {
    window.location.assign(link.href);
  } else if (page && !now) {
    waiting.removeAttribute("data-seconds");
    state.textContent = found;
    link.textContent = "Show it";
    waiting.querySelector(".soft").hidden = true;
  } else {
    if (now) {
      const said = now.querySelector("[role=status]").textContent;
      if (state.textContent !== said) state.textContent = said;
      document.title = page.title;
      waiting.dataset.seconds = now.dataset.seconds;
    }
    window.setTimeout(look, 1000 * waiting.dataset.seconds);
  }
}

waiting.querySelector(".soft").hidden = false;
window.setTimeout(look, 1000 * waiting.dataset.seconds);
