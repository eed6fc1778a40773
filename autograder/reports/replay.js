(() => {
  const replay = document.getElementById("replay");
  const frames = [...replay.querySelectorAll(".frame")];
  if (frames.length < 2) return;
  const bar = replay.querySelector(".stepper");
  const slider = bar.querySelector("input");
  const place = bar.querySelector("output");
  const play = bar.querySelector("[data-play]");
  const steps = [...bar.querySelectorAll("[data-go]")];
  let at = 0;
  let clock = 0;

  const stop = () => {
    clearInterval(clock);
    clock = 0;
    play.setAttribute("aria-pressed", "false");
    play.textContent = "Play";
  };
  const show = (to) => {
    at = Math.max(0, Math.min(frames.length - 1, to));
    frames.forEach((frame, number) => frame.classList.toggle("now", number === at));
    slider.value = at + 1;
    place.textContent = `${at + 1} of ${frames.length}`;
    // Not ``disabled``: a button would lose the focus at the last step, and the keys with it.
    steps[0].setAttribute("aria-disabled", at === 0);
    steps[1].setAttribute("aria-disabled", at === frames.length - 1);
    if (at === frames.length - 1) stop();
  };

  steps.forEach((button) => button.addEventListener("click", () => (stop(), show(at + Number(button.dataset.go)))));
  slider.addEventListener("input", () => (stop(), show(Number(slider.value) - 1)));
  play.addEventListener("click", () => {
    if (clock) return stop();
    if (at === frames.length - 1) show(0);
    clock = setInterval(() => show(at + 1), 1500);
    play.setAttribute("aria-pressed", "true");
    play.textContent = "Pause";
  });
  replay.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 }[event.key];
    if (to === undefined || event.target === slider || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    stop();
    show(to);
  });
  bar.hidden = false;
  replay.classList.add("stepping");
  replay.querySelector(".replay").setAttribute("aria-live", "polite");
  show(0);
})();
