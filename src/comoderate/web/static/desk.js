"use strict";
// Counts the seconds that a post is looked at, and gives keys to what can be done with it.
(() => {
  document.documentElement.classList.add("js");
  const form = document.getElementById("decide");
  const toggle = document.getElementById("keys");
  const off = () => localStorage.getItem("desk-keys") === "off";

  if (form) {
    let spent = 0;
    let since = document.hidden ? null : performance.now();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && since !== null) { spent += performance.now() - since; since = null; }
      else if (!document.hidden && since === null) { since = performance.now(); }
    });
    form.addEventListener("submit", () => {
      const total = spent + (since === null ? 0 : performance.now() - since);
      form.elements.seconds.value = (total / 1000).toFixed(1);
      // the button's name and value are sent first, then nothing more can be pressed
      setTimeout(() => form.querySelectorAll("button").forEach((one) => { one.disabled = true; }), 0);
    });
    window.addEventListener("pageshow", () => form.querySelectorAll("button").forEach((one) => { one.disabled = false; }));
  }

  if (toggle) {
    const show = () => {
      toggle.hidden = false;
      toggle.setAttribute("aria-pressed", String(!off()));
      toggle.textContent = off() ? "Keys off" : "Keys on";
      document.documentElement.classList.toggle("no-keys", off());
    };
    toggle.addEventListener("click", () => { localStorage.setItem("desk-keys", off() ? "on" : "off"); show(); });
    show();
  }

  document.addEventListener("keydown", (event) => {
    if (off() || event.ctrlKey || event.metaKey || event.altKey || event.repeat) { return; }
    if (event.target.closest("textarea, select, input:not([type=checkbox])")) { return; }
    const found = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!found || found.disabled) { return; }
    event.preventDefault();
    if (found.tagName === "SUMMARY") {
      found.parentElement.open = true;
      document.getElementById("note").focus();
    } else { found.click(); }
  });
})();
