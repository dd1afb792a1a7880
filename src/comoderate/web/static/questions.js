// Questions: follow-ups that come and go with their parent, keys, definitions. Pages work without it.
(() => {
  "use strict";
  const C = (window.Comoderate = window.Comoderate || {});
  document.documentElement.classList.add("js");

  const questionsOf = (scope) => [...scope.querySelectorAll("fieldset.question")];
  const inputsOf = (fieldset) => [...fieldset.querySelectorAll("input, textarea")];

  C.given = (fieldset) => {
    if (fieldset.dataset.kind === "text") {
      const text = fieldset.querySelector("textarea").value.trim();
      return text ? [text] : [];
    }
    return inputsOf(fieldset).filter((input) => input.checked).map((input) => input.value);
  };

  C.holds = (when, answers) =>
    Object.entries(when).every(([key, value]) => {
      if (key === "any") return value.some((inner) => C.holds(inner, answers));
      if (key === "all") return value.every((inner) => C.holds(inner, answers));
      return (answers[key] || []).some((answer) => value.includes(answer));
    });

  // Says of a question that its answer is missing, or no longer.
  function mark(fieldset, wrong) {
    const error = fieldset.querySelector(".error");
    error.hidden = !wrong;
    const invalid = fieldset.getAttribute("role") === "radiogroup" ? [fieldset] : inputsOf(fieldset);
    const set = (one, name, value) => (wrong ? one.setAttribute(name, value) : one.removeAttribute(name));
    invalid.forEach((one) => set(one, "aria-invalid", "true"));
    set(fieldset, "aria-describedby", error.id);
  }

  // The answers to the questions that are asked, while those that are not are put out of sight and out of the form.
  function arrangeOne(scope) {
    const answers = {};
    for (const fieldset of questionsOf(scope)) {
      const asked = !fieldset.dataset.when || C.holds(JSON.parse(fieldset.dataset.when), answers);
      fieldset.hidden = fieldset.disabled = !asked;
      if (asked) answers[fieldset.dataset.question] = C.given(fieldset);
      if (!asked || C.given(fieldset).length) mark(fieldset, false);
    }
    return answers;
  }

  C.arrange = (root) => {
    const posts = root.querySelectorAll("[data-post]");
    if (posts.length) posts.forEach(arrangeOne);
    return posts.length ? {} : arrangeOne(root);
  };

  // Says which required questions lack an answer; true where none does.
  C.complete = (form) => {
    let first = null;
    for (const fieldset of questionsOf(form)) {
      const wrong = !fieldset.hidden && "required" in fieldset.dataset && C.given(fieldset).length === 0;
      mark(fieldset, wrong);
      if (wrong && !first) first = fieldset;
    }
    if (first) inputsOf(first)[0].focus();
    return !first;
  };

  // ------------------------------------------------------------------ keys

  const STORED = "comoderate/keys-off";
  const remember = (off) => { try { localStorage.setItem(STORED, off ? "1" : ""); } catch { /* not kept then */ } };
  const keysOff = () => { try { return localStorage.getItem(STORED) === "1"; } catch { return false; } };

  const form = () => document.querySelector("form.answer");
  const act = (name) => document.querySelector(`[data-act="${name}"]`);
  const visible = () => questionsOf(form() || document.createElement("form")).filter((one) => !one.hidden);

  function current() {
    const asked = visible();
    const focused = document.activeElement && document.activeElement.closest("fieldset.question");
    if (focused && asked.includes(focused)) return focused;
    return asked.find((one) => C.given(one).length === 0) || asked[0];
  }

  function choose(number) {
    const question = current();
    if (!question || question.dataset.kind === "text") return;
    const input = inputsOf(question)[number - 1];
    if (!input) return;
    input.focus();
    input.click();
    if (input.type !== "radio") return;
    const asked = visible();
    const next = asked[asked.indexOf(question) + 1];
    if (next) inputsOf(next)[0].focus();
    else if (act("save")) act("save").focus();
  }

  function define() {
    const question = current();
    const details = question && question.querySelector("details.definitions");
    if (details) details.open = !details.open;
  }

  C.help = () => {
    const dialog = document.getElementById("keys");
    if (dialog && !dialog.open) dialog.showModal();
  };

  const press = (name) => { const button = act(name); if (button) button.click(); };
  const KEYS = { d: define, s: () => press("skip"), u: () => press("undo"), r: () => press("reveal"), "?": C.help };

  function writes(target) {
    return target.closest("textarea, select, input:not([type=radio]):not([type=checkbox])") !== null;
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const dialog = document.querySelector("dialog[open]");
    if (dialog || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || writes(target)) return;
    if (event.key === "Enter") {
      if (target.closest("button, a, summary") || !(act("save") || act("on"))) return;
      event.preventDefault();
      if (act("save")) form().requestSubmit(act("save"));
      else act("on").click();
      return;
    }
    if (keysOff() || event.repeat) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : "";
    if (/^[1-9]$/.test(key)) choose(Number(key));
    else if (KEYS[key]) KEYS[key]();
    else return;
    event.preventDefault();
  });

  function changed(event) {
    const own = event.target.closest("form.answer");
    if (own) C.arrange(own);
  }

  document.addEventListener("input", changed);
  document.addEventListener("change", (event) => {
    changed(event);
    if (event.target.id === "keys-on") {
      remember(!event.target.checked);
      document.documentElement.classList.toggle("no-keys", !event.target.checked);
    }
  });

  if (!document.getElementById("work")) { // there label.js takes the answers
    document.addEventListener("submit", (event) => {
      if (event.target.matches("form.answer") && !C.complete(event.target)) event.preventDefault();
    });
  }
  if (form()) C.arrange(form());
  const toggle = document.getElementById("keys-on");
  if (toggle) toggle.checked = !keysOff();
  document.documentElement.classList.toggle("no-keys", keysOff());
  const help = act("help");
  if (help) {
    help.hidden = false;
    help.addEventListener("click", C.help);
  }
})();
