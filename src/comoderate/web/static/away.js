// The page that stands in for one that could not be fetched: counts what waits, and goes on when the network is back.
(() => {
  "use strict";
  const box = document.getElementById("waiting");
  let kept = 0;
  try {
    const prefix = `comoderate/outbox/${localStorage.getItem("comoderate/rater")}/`;
    for (let i = 0; i < localStorage.length; i += 1) if (localStorage.key(i).startsWith(prefix)) kept += 1;
  } catch { /* nothing is kept then */ }
  const { none, one, many } = box.dataset;
  box.textContent = kept === 0 ? none : kept === 1 ? one : many.replace("{n}", kept.toLocaleString(document.documentElement.lang));

  let pause = 1000;
  let timer = 0;
  function look() {
    clearTimeout(timer);
    fetch("/healthy", { cache: "no-store" }).then((answer) => {
      if (answer.ok) location.reload();
      else later();
    }, later);
  }
  function later() {
    timer = setTimeout(look, pause);
    pause = Math.min(pause * 2, 30000);
  }
  document.getElementById("again").addEventListener("click", look);
  window.addEventListener("online", look);
  later();
})();
