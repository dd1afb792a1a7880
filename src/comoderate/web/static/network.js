// Puts the worker in place on the labelling pages, which shows a page of ours where the network is away, and takes it
// and what it keeps away where nobody is signed in.
(() => {
  "use strict";
  const { rater } = document.body.dataset;
  const work = document.getElementById("work");
  const RATER = "comoderate/rater";
  try {
    if (rater) localStorage.setItem(RATER, rater);
    else localStorage.removeItem(RATER);
  } catch { /* then the page cannot count what waits */ }
  if (!("serviceWorker" in navigator)) return; // without TLS, or switched off
  const quietly = () => {};
  if (work) navigator.serviceWorker.register(work.dataset.worker, { scope: "/label" }).catch(quietly);
  else if (!rater) {
    navigator.serviceWorker.getRegistrations().then((all) => all.forEach((one) => one.unregister())).catch(quietly);
    caches.keys().then((names) => names.forEach((name) => caches.delete(name))).catch(quietly);
  }
})();
