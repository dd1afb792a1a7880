// Labelling without waiting: the next posts are fetched ahead, answers go through the outbox. Works on without network.
(() => {
  "use strict";
  const C = window.Comoderate;
  const root = document.getElementById("work");
  if (!root || !C || !C.outbox) return;
  const here = `/label/${encodeURIComponent(root.dataset.campaign)}`;
  const ahead = Number(root.dataset.ahead);
  const exposing = JSON.parse(root.dataset.exposing);
  const words = document.getElementById("words").dataset;
  const place = document.getElementById("piece");
  const said = document.getElementById("said");
  const offlineBox = document.getElementById("offline");
  const done = { box: root.querySelector(".done-count"), one: words.doneOne, many: words.doneMany };
  const hard = { box: root.querySelector(".hard-count"), one: words.hardOne, many: words.hardMany };

  const gone = new Set(); // leases that were answered or skipped here or in another tab
  const hurt = new Set(); // leases counted as hurtful: a post that is answered again was read once
  let stock = []; // posts fetched ahead: { lease, node }
  let before = null; // the last one: { key, lease, node, counted, fresh, harmful }
  let waiting = false; // whether there is nothing to show until the network is back
  let away = false;
  let began = performance.now();
  let hiddenFor = 0;
  let hiddenSince = 0;

  const piece = () => place.querySelector(".piece");
  const leaseHere = () => (piece() ? piece().dataset.lease : "");
  const fill = (text, n) => text.replace("{n}", n);

  // ------------------------------------------------------------------ what is said

  function say(text, kind = "") {
    said.replaceChildren();
    if (!text) return;
    const note = document.createElement("p");
    note.className = `note ${kind}`;
    note.textContent = text;
    said.append(note);
  }

  const care = () => said.replaceChildren(document.getElementById("care").content.cloneNode(true));

  function tellNetwork(state) {
    const kept = C.outbox.all().length;
    const was = away;
    away = state === "offline" || state === "busy";
    offlineBox.replaceChildren();
    if (state === "sent" && !was) return;
    const note = document.createElement("p");
    note.className = `note ${state === "sent" ? "good" : "warn"}`;
    if (state === "sent") note.textContent = words.sent;
    else if (state === "signed-out") {
      const link = document.createElement("a");
      link.href = `/sign-in?next=${here}`;
      link.textContent = words.signedOut;
      note.append(link);
    } else if (kept === 0) note.textContent = words.offlineNone;
    else note.textContent = kept === 1 ? words.offlineOne : fill(words.offlineMany, kept);
    offlineBox.append(note);
  }

  function count(step, counter = done) {
    const n = Math.max(0, Number(counter.box.dataset.count) + step);
    counter.box.dataset.count = n;
    counter.box.textContent = n === 1 ? counter.one : fill(counter.many, n.toLocaleString(document.documentElement.lang));
    if (counter === hard) counter.box.hidden = n === 0;
  }

  // ------------------------------------------------------------------ what is shown

  function show(node, focus = true) {
    waiting = false;
    place.replaceChildren(node);
    const form = place.querySelector("form.answer");
    if (form) C.arrange(form);
    began = performance.now();
    hiddenFor = 0;
    if (focus) {
      window.scrollTo(0, 0);
      place.querySelector("h1").focus({ preventScroll: true });
    }
  }

  function parse(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content.querySelector(".piece");
  }

  async function fetchOne() {
    const holding = [leaseHere(), ...stock.map((one) => one.lease), ...C.outbox.all().map((item) => item.lease)];
    const response = await C.ask(`${here}/next?holding=${encodeURIComponent(holding.filter(Boolean).join(","))}`);
    if (response.status === 401 || response.status === 403) return { reason: "signed-out" };
    if (!response.ok) throw new Error("busy");
    return response.json();
  }

  function takeStock() {
    stock = stock.filter((one) => !gone.has(one.lease));
    return stock.shift();
  }

  const goOn = (word) => location.assign(word ? `${here}?said=${word}` : here);

  async function advance() {
    let next = takeStock();
    if (!next) {
      place.setAttribute("aria-busy", "true");
      const state = await settle(1);
      place.removeAttribute("aria-busy");
      next = takeStock();
      if (!next && state === "sent") {
        goOn(before && before.harmful ? "care" : ""); // the server says why there is none
        return;
      }
    }
    if (next) {
      show(next.node);
      settle(0);
      return;
    }
    show(document.getElementById("waiting").content.firstElementChild.cloneNode(true));
    waiting = true;
  }

  // Sends what waits, then fetches posts ahead, `need` of them at least. One at a time. Gives how the network was.
  let settling = Promise.resolve();
  function settle(need) {
    settling = settling.then(() => settleOnce(need));
    return settling;
  }

  async function settleOnce(need) {
    let state = await C.outbox.flush();
    let more = state === "sent";
    try {
      while (more && stock.length < Math.max(ahead, need, waiting ? 1 : 0)) {
        const found = await fetchOne();
        more = Boolean(found.lease) && !gone.has(found.lease);
        if (more) stock.push({ lease: found.lease, node: parse(found.html) });
        if (found.reason === "signed-out") state = "signed-out";
      }
    } catch {
      state = "offline";
    }
    tellNetwork(state);
    if (state === "sent") {
      pause = 1000;
      if (waiting) leaveWaiting();
    } else {
      later();
    }
    return state;
  }

  function leaveWaiting() {
    const next = takeStock();
    if (next) show(next.node);
    else location.assign(here);
  }

  let timer = 0;
  let pause = 1000;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => settle(0), pause);
    pause = Math.min(pause * 2, 30000);
  }

  // ------------------------------------------------------------------ what is done

  function seconds() {
    return ((performance.now() - began - hiddenFor) / 1000).toFixed(1);
  }

  function leave(form, url, counted, harmful = false) {
    form.elements.seconds.value = seconds();
    const fields = [...new FormData(form)].filter(([name]) => name !== "csrf");
    const item = { url, key: form.elements.key.value, lease: form.elements.lease.value, fields };
    C.outbox.put(item);
    gone.add(item.lease);
    const fresh = harmful && !hurt.has(item.lease);
    before = { key: item.key, lease: item.lease, node: piece(), counted, fresh, harmful };
    if (counted) count(1);
    if (fresh) count(1, hard);
    if (fresh) hurt.add(item.lease);
    return advance();
  }

  function save(form) {
    if (gone.has(leaseHere())) return; // it is on its way
    if (!C.complete(form)) return;
    const answers = C.arrange(form);
    const harmful = C.holds(exposing, answers);
    if (harmful) care();
    else say(words.saved);
    leave(form, `${here}/answer`, true, harmful);
  }

  function skip(form) {
    if (gone.has(leaseHere())) return;
    say(words.skipped);
    leave(form, `${here}/skip`, false);
  }

  async function undo() {
    const mine = piece();
    if (before && (await C.outbox.cancel(before.key))) {
      gone.delete(before.lease);
      if (mine) stock.unshift({ lease: mine.dataset.lease, node: mine });
      if (before.counted) count(-1);
      if (before.fresh) count(-1, hard);
      if (before.fresh) hurt.delete(before.lease);
      show(before.node);
      before = null;
      say(words.undone);
      return;
    }
    let found;
    try {
      const response = await C.ask(`${here}/undo`, { method: "POST" });
      if (!response.ok) throw new Error("refused");
      found = await response.json();
    } catch {
      tellNetwork("offline");
      return;
    }
    if (!found.lease) {
      say(words.nothing, "warn");
      return;
    }
    gone.delete(found.lease);
    stock = stock.filter((one) => one.lease !== found.lease);
    if (mine && mine.dataset.lease !== found.lease) stock.unshift({ lease: mine.dataset.lease, node: mine });
    before = null;
    count(-1);
    show(parse(found.html));
    const form = place.querySelector("form.answer");
    if (form && C.holds(exposing, C.arrange(form))) hurt.add(found.lease); // read once: the server counts it no more
    say(words.undone);
  }

  async function ask(form) {
    const fields = new URLSearchParams(new FormData(form));
    try {
      const response = await C.ask(`${here}/ask`, { method: "POST", body: fields });
      if (!response.ok) throw new Error("refused");
    } catch {
      tellNetwork("offline");
      return;
    }
    form.reset();
    form.closest("details").open = false;
    say(words.asked, "good");
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const name = event.submitter ? event.submitter.dataset.act : "save";
    if (name === "undo") { event.preventDefault(); undo(); return; }
    if (form.matches("form.answer")) {
      event.preventDefault();
      if (name === "skip") skip(form);
      else save(form);
    } else if (form.closest("details.ask")) {
      event.preventDefault();
      if (form.elements.text.value.trim()) ask(form);
    }
  });

  C.outbox.listeners.push((item, result) => {
    if (result.state === "refused") { say(fill(words.lost, 1), "bad"); return; }
    const receipt = result.receipt || {};
    if (item.url.endsWith("/answer") && (receipt.status === "late" || receipt.status === "elsewhere")) {
      say(words[receipt.status], "warn");
      count(-1);
    }
    if (C.outbox.all().length > 0) return;
    if (receipt.stop) goOn(receipt.said === "care" ? "care" : "");
    else if (receipt.break) location.assign(`${here}/break?said=${receipt.said}`);
  });

  // Another tab answered or skipped a post: it is not shown here too.
  window.addEventListener("storage", (event) => {
    if (!event.key || !event.key.startsWith(C.outbox.prefix) || !event.newValue) return;
    const { lease } = JSON.parse(event.newValue);
    gone.add(lease);
    if (lease === leaseHere()) {
      say(words.elsewhere, "warn");
      advance();
    }
  });

  window.addEventListener("online", () => { pause = 1000; settle(0); });
  window.addEventListener("offline", () => tellNetwork("offline"));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenSince = performance.now();
    else hiddenFor += performance.now() - hiddenSince;
  });

  // What an earlier visit left is sent first; if the post of this page is among it, the next one is shown.
  const mine = leaseHere();
  if (C.outbox.all().some((item) => item.lease === mine)) { gone.add(mine); advance(); } else settle(0);
})();
