// Shows a notice with no page open, and brings its page. It keeps no page and answers no request.
"use strict";

addEventListener("push", (event) => {
  const { title, body, url } = event.data.json();
  // One at a time: the newer says all that the older did.
  event.waitUntil(registration.showNotification(title, { body, tag: "fila", renotify: true, lang: "pt-BR", data: url }));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

// Where the page is open already it comes to the front; no other is led away from what is written there.
async function open(url) {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = pages.find((page) => new URL(page.url).pathname === url);
  return there ? there.focus() : clients.openWindow(url);
}
