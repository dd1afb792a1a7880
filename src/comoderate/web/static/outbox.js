// The outbox: an answer is kept in the browser until the server has said that it is stored. Each has a key of its own,
// under which the server stores it once, however often it is sent.
(() => {
  "use strict";
  const C = (window.Comoderate = window.Comoderate || {});
  const { rater, csrf } = document.body.dataset;
  if (!rater) return;
  const PREFIX = `comoderate/outbox/${rater}/`;
  const memory = new Map(); // where the browser keeps nothing
  const WAIT = 20000;

  const read = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };

  const outbox = (C.outbox = {
    prefix: PREFIX,
    listeners: [],

    put(item) {
      const name = PREFIX + String(Date.now()).padStart(15, "0") + "/" + item.key;
      try { localStorage.setItem(name, JSON.stringify(item)); } catch { memory.set(name, item); }
    },

    all() {
      const found = new Map(memory);
      try {
        for (let i = 0; i < localStorage.length; i += 1) {
          const name = localStorage.key(i);
          if (name.startsWith(PREFIX)) { const item = read(name); if (item) found.set(name, item); }
        }
      } catch { /* only what is in memory */ }
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => ({ name, ...item }));
    },

    drop(name) {
      memory.delete(name);
      try { localStorage.removeItem(name); } catch { /* it was in memory */ }
    },

    // Takes back what was not sent yet; true where that came in time.
    cancel(key) {
      return locked(async () => {
        const item = outbox.all().find((one) => one.key === key);
        if (item) outbox.drop(item.name);
        return Boolean(item);
      });
    },

    // Sends all, oldest first. Gives "sent", "offline", "busy" or "signed-out".
    flush() {
      return locked(async () => {
        for (const item of outbox.all()) {
          const result = await send(item);
          if (result.state !== "stored" && result.state !== "refused") return result.state;
          outbox.drop(item.name);
          outbox.listeners.forEach((heard) => heard(item, result));
        }
        return "sent";
      });
    },
  });

  // One sender at a time: in all tabs where the browser can, else in this one; keys make a double harmless anyway.
  let last = Promise.resolve();
  function locked(work) {
    if (navigator.locks) return navigator.locks.request(`comoderate/${rater}`, work);
    last = last.then(work, work);
    return last;
  }

  async function send(item) {
    let response;
    try {
      response = await C.ask(item.url, { method: "POST", body: new URLSearchParams(item.fields) });
    } catch {
      return { state: "offline" };
    }
    if (response.ok) return { state: "stored", receipt: await response.json().catch(() => ({})) };
    if (response.status === 401 || response.status === 403) return { state: "signed-out" };
    if (response.status === 429 || response.status >= 500) return { state: "busy" };
    return { state: "refused", status: response.status };
  }

  // A request of ours: as JSON, with the token, and not for ever.
  C.ask = (url, options = {}) => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), WAIT);
    const headers = { Accept: "application/json", "X-CSRF-Token": csrf };
    return fetch(url, { credentials: "same-origin", ...options, headers, signal: stop.signal }).finally(() => clearTimeout(timer));
  };

  if (!document.getElementById("work")) outbox.flush(); // on the labelling page label.js does it
})();
