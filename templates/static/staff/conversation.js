// One conversation: it stays current, what is written survives, and sending needs no new page.

import { DRAFTS, store, stored } from "./drafts.js";
import { keyed, merge, parse, refill } from "./merge.js";
import { say, sayOut } from "./messages.js";
import { poll } from "./poll.js";
import { readyAnswers } from "./ready_answers.js";

// Starts what the conversation on the page does; gives what ends it, before another one takes its place.
export function open(talk) {
  const ending = new AbortController(), { signal } = ending;
  const card = talk.querySelector("details.card");
  if (card && matchMedia("(min-width: 60rem)").matches) card.open = true; // there is room beside the thread
  readBack();
  if (talk.dataset.poll) converse(talk, signal);
  return () => ending.abort();
}

function readBack() {
  const thread = document.getElementById("thread"), box = document.getElementById("older");
  box?.querySelector("a").addEventListener("click", async (event) => {
    event.preventDefault();
    const link = event.currentTarget;
    if (link.getAttribute("aria-busy") === "true") return;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(link.href, { credentials: "same-origin" });
      const page = parse(await answer.text());
      if (!answer.ok || !page.getElementById("thread")) return location.assign(link.href);
      prepend(thread, page.getElementById("thread"));
      const next = page.querySelector("#older a");
      if (next) link.href = next.href;
      else { box.remove(); thread.focus({ preventScroll: true }); }
    } catch {
      say("Sem conexão. Tente de novo.");
    } finally {
      link.removeAttribute("aria-busy");
    }
  });
}

function prepend(thread, older) {
  const anchor = thread.querySelector("[data-seq]");
  const before = anchor.getBoundingClientRect().top;
  // What comes in above is no news: it is not to be read out.
  thread.setAttribute("aria-live", "off");
  const known = new Map(keyed(thread).map((child) => [child.dataset.key, child]));
  const fresh = keyed(older);
  for (const child of fresh) known.get(child.dataset.key)?.remove();
  thread.prepend(...fresh);
  window.scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  setTimeout(() => thread.removeAttribute("aria-live"), 500);
}

function converse(talk, signal) {
  const thread = document.getElementById("thread"), situation = document.getElementById("situation");
  const composer = document.getElementById("composer"), alerts = document.getElementById("alerts");
  const jump = document.getElementById("jump"), standing = document.getElementById("standing");
  let newest = lastSeq(), told = 0, unsure = false;

  const field = () => composer.querySelector("#text");
  const token = () => document.querySelector("input[name=csrf_token]").value;
  function lastSeq() {
    return Math.max(0, ...[...thread.querySelectorAll("[data-seq]")].map((line) => Number(line.dataset.seq)));
  }
  // The page's end stands at the foot of the window: whoever reads here has seen the newest line.
  const atEnd = () => document.documentElement.scrollHeight - window.scrollY - window.innerHeight < 160;
  const toEnd = () => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });

  function saw() {
    if (document.hidden || !atEnd()) return;
    jump.hidden = true;
    composer.querySelectorAll("input[name=last_seen_seq]").forEach((input) => { input.value = String(newest); });
    // While the bot holds the conversation nothing is unread.
    if (told >= newest || composer.dataset.mode.startsWith("bot")) return;
    told = newest;
    const body = new URLSearchParams({ csrf_token: token(), last_seen_seq: String(newest) });
    fetch(talk.dataset.read, { method: "POST", body, credentials: "same-origin" }).catch(() => { told = 0; });
  }

  function take(fresh) {
    const followed = atEnd();
    refill(situation, fresh.getElementById("situation"));
    const added = merge(thread, fresh.getElementById("thread"), { prune: false });
    newest = Math.max(newest, lastSeq());
    holdFocus(() => {
      refill(standing, fresh.getElementById("standing"));
      recompose(fresh.getElementById("composer"));
    });
    if (!added.length) return;
    if (followed) toEnd();
    else if (added.some((line) => line.matches(".in"))) jump.hidden = false;
    saw();
  }

  // The form is replaced only when another kind of form is due; what was typed goes along.
  function recompose(next) {
    if (next.dataset.mode === composer.dataset.mode) return;
    const text = field()?.value ?? stored("text");
    composer.dataset.mode = next.dataset.mode;
    composer.replaceChildren(...next.childNodes);
    if (!field() && text && !composer.querySelector("#kept")) keep(text);
    DRAFTS.forEach(restore);
  }

  // What the server gives back comes first; what only this tab knows fills an empty field.
  function restore(name) {
    const box = composer.querySelector(`#${name}`);
    if (!box) return;
    if (box.value) return store(name, box.value);
    box.value = stored(name);
    const folded = box.closest("details");
    if (box.value && folded) folded.open = true;
  }

  function keep(text) {
    const label = document.createElement("label"), box = document.createElement("textarea");
    label.htmlFor = box.id = "kept";
    label.textContent = "Seu texto não foi enviado";
    box.readOnly = true;
    box.value = text;
    composer.querySelector(".acts").before(label, box);
  }

  // Whoever was in what had to go stays near: in the same field, else where the text is kept, else at why.
  function holdFocus(replace) {
    const old = document.activeElement, caret = [old.selectionStart, old.selectionEnd];
    const unfolded = old.closest("details")?.open;
    replace();
    if (old.isConnected) return;
    const same = old.id ? composer.querySelector(`#${old.id}`) : null;
    const why = standing.querySelector("[tabindex]") ?? composer.querySelector(".notice[tabindex]");
    const place = same ?? composer.querySelector("#kept") ?? why ?? field();
    if (unfolded && same) same.closest("details").open = true;
    place?.focus({ preventScroll: true });
    if (same?.matches("textarea")) same.setSelectionRange(...caret);
  }

  async function send(form) {
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      const page = parse(await answer.text());
      if (!page.getElementById("composer")) return show(page, answer);
      if (answer.ok) {
        store("text", "");
        form.querySelector("textarea").value = "";
        form.client_key.value = page.querySelector("input[name=client_key]")?.value ?? "";
      }
      take(page);
      toEnd();
      settle(page, answer);
    } catch {
      unsure = true;
      say("Sem conexão: pode ser que a mensagem não tenha saído. Tente de novo.");
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  // A note, or a word to the assistant: a draft until it was taken. A note stays here, the other leads on to
  // the queue, and what is said there is for that page to read.
  async function hand(form) {
    const button = form.querySelector("button:not([type=button])");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    const stays = new URL(form.dataset.then, location.href).pathname === location.pathname;
    try {
      const body = new URLSearchParams(new FormData(form)), redirect = stays ? "follow" : "manual";
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", redirect });
      if (answer.type === "opaqueredirect") {
        empty(form);
        return location.assign(form.dataset.then);
      }
      const page = parse(await answer.text());
      if (!page.getElementById("composer")) return show(page, answer);
      if (answer.ok) {
        empty(form);
        form.client_key.value = page.querySelector("input[name=client_key]")?.value ?? "";
        form.closest("details").open = false;
      }
      take(page);
      settle(page, answer);
    } catch {
      say("Sem conexão: pode ser que não tenha sido guardado. Tente de novo.");
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  function empty(form) {
    form.querySelectorAll("textarea").forEach((box) => { box.value = ""; store(box.id, ""); });
  }

  function settle(page, answer) {
    alerts.replaceChildren(...page.getElementById("alerts").childNodes);
    if (answer.ok) return field()?.focus();
    // What came meanwhile is shown now, so the next try knows it.
    saw();
    document.getElementById("problem")?.focus();
  }

  function show(page, answer) {
    const again = page.querySelector("#again"), link = document.createElement("a");
    if (answer.redirected) return location.assign(answer.url);
    if (!again) return say(page.querySelector("h1")?.textContent ?? "Algo deu errado. Tente de novo.");
    [link.href, link.textContent] = [again.getAttribute("href"), again.textContent];
    sayOut(page.querySelector("h1").textContent, link);
  }

  composer.addEventListener("submit", (event) => {
    const way = event.target.id === "reply" ? send : event.target.dataset.then ? hand : null;
    if (!way) return;
    event.preventDefault();
    way(event.target);
  });
  composer.addEventListener("input", (event) => {
    if (DRAFTS.includes(event.target.id)) store(event.target.id, event.target.value);
    if (event.target.id !== "text") return;
    // After a send of unknown fate the same text keeps its key and is sent once; another text is another.
    if (unsure) event.target.form.client_key.value = `${Date.now()}${Math.random()}`.slice(0, 32);
    unsure = false;
    ready.offer(event.target);
  });
  composer.addEventListener("keydown", (event) => {
    if (event.target.id === "text" && ready.steer(event)) return;
    const typing = event.target.id === "text" && event.key === "Enter" && !event.isComposing;
    const desk = matchMedia("(pointer: fine)").matches && !event.shiftKey;
    if (!typing || !(event.ctrlKey || event.metaKey || desk)) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
  composer.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-ready]"), option = event.target.closest("[role=option]");
    if (option) ready.choose(option);
    if (!link || !field()) return;
    event.preventDefault();
    link.closest("details").open = false;
    const box = field();
    box.setRangeText(link.dataset.ready, box.selectionStart, box.selectionEnd, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
  });
  // What somebody unfolds to write into is where the next word goes.
  composer.addEventListener("click", (event) => {
    const fold = event.target.closest("details.act > summary")?.parentElement;
    if (fold) setTimeout(() => fold.open && fold.querySelector("textarea")?.focus());
  });
  composer.addEventListener("focusout", (event) => { if (event.target.id === "text") setTimeout(ready.close, 150); });
  jump.addEventListener("click", () => { toEnd(); saw(); });
  addEventListener("scroll", saw, { passive: true, signal });
  document.addEventListener("visibilitychange", saw, { signal });

  const ready = readyAnswers(field);
  DRAFTS.forEach(restore);
  poll((version) => `${talk.dataset.poll}?depois=${newest}&v=${version}`, take, { signal });
  if (document.getElementById("problem")) document.getElementById("problem").focus();
  else if (location.hash === "#fim") toEnd();
  saw();
}
