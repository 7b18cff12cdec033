// Betters the staff pages: they stay current by themselves, drafts survive, sending needs no new page.
// Everything works without this too.

import * as alerts from "./alerts.js";
import * as conversation from "./conversation.js";
import * as list from "./list.js";
import * as push from "./push.js";
import * as shortcuts from "./shortcuts.js";

const find = (id) => document.getElementById(id);
const bar = find("bar");

if (bar?.dataset.pulse) alerts.listen();
if (bar) shortcuts.obey(bar);
if (find("list")?.dataset.poll) list.keepCurrent(find("list"));
if (find("talk")) conversation.open(find("talk"));
if (find("hear")) push.offer(find("hear"));

// The menu closes like one.
const menu = document.querySelector("details.menu");
document.addEventListener("click", (event) => { if (menu?.open && !menu.contains(event.target)) menu.open = false; });
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Drafts are for this login only, and so are notices, also those of an earlier login that nobody ended.
const leave = document.querySelector("form.leave");
leave?.addEventListener("submit", () => sessionStorage.clear());
if (leave) push.endWith(leave);
