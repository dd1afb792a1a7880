// Stands between the labelling pages and the network, and does one thing: where a page cannot be fetched, it shows the
// page of KEPT that says so. It keeps that page and its files and nothing else: no post, no name, no answer.
"use strict";
const PREFIX = "comoderate-away-";
const CACHE = PREFIX + VERSION;
const [AWAY] = KEPT;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate") {
    if (request.method === "GET") event.respondWith(fetch(request).catch(() => caches.match(AWAY)));
  } else if (url.origin === self.location.origin && KEPT.includes(url.pathname + url.search)) {
    event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
  }
});
