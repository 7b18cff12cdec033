// The phone of the demo: sends without leaving the page, and asks for news every moment.
"use strict";

(() => {
  const log = document.getElementById("log");
  const bubbles = document.getElementById("bubbles");
  const typing = document.getElementById("typing");
  const presence = document.getElementById("presence");
  const live = document.getElementById("live");
  const toast = document.getElementById("toast");
  const composer = document.getElementById("composer");
  const text = document.getElementById("texto");
  const attach = document.getElementById("attach");
  const TICKS = { sent: "Enviada", delivered: "Entregue", read: "Lida", failed: "Não entregue" };
  const UNREACHABLE = "O servidor da demonstração não respondeu. Ele ainda está ligado no terminal?";
  const STALE = "Esta página ficou aberta por muito tempo. Recarregue para continuar.";

  let sending = Promise.resolve();
  let timer = 0;
  let lastLive = "";
  let lastChange = Date.now();
  let asked = 0;
  let shown = 0;

  const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const toEnd = () => { log.scrollTop = log.scrollHeight; };

  function element(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html.trim();
    return holder.content.firstElementChild;
  }

  function dayLine(day) {
    const line = element('<li class="day"><span></span></li>');
    line.dataset.day = day;
    line.firstElementChild.textContent = day;
    return line;
  }

  function showBubble(bubble) {
    const there = document.getElementById(`m-${bubble.id}`);
    if (!there) {
      const days = bubbles.querySelectorAll(".day");
      const last = days[days.length - 1];
      if (!last || last.dataset.day !== bubble.day) bubbles.insertBefore(dayLine(bubble.day), waiting());
      bubbles.insertBefore(element(bubble.html), waiting());
      return true;
    }
    const ticks = there.querySelector(".ticks");
    if (ticks && ticks.dataset.ticks !== bubble.ticks) {
      ticks.dataset.ticks = bubble.ticks;
      ticks.setAttribute("aria-label", TICKS[bubble.ticks]);
      return true;
    }
    return false;
  }

  // What is still on its way to the server stands below everything that is there.
  const waiting = () => bubbles.querySelector(".waiting");

  function showWaiting(words) {
    const bubble = element('<li class="bubble mine waiting" aria-hidden="true"><span class="said"></span><span class="meta"></span></li>');
    bubble.firstElementChild.textContent = words;
    bubbles.append(bubble);
    toEnd();
    return bubble;
  }

  function showLive(html) {
    if (html === lastLive) return false;
    lastLive = html;
    const before = new Map([...live.querySelectorAll("details")].map((one) => [one.id, one.open]));
    const focused = live.contains(document.activeElement) ? document.activeElement.id : "";
    live.innerHTML = html;
    for (const [id, open] of before) {
      const one = document.getElementById(id);
      if (one) one.open = open;
    }
    if (focused) document.getElementById(focused)?.focus();
    return true;
  }

  function show(state) {
    const stick = atEnd();
    let changed = state.bubbles.map(showBubble).some(Boolean);
    changed = showLive(state.live) || changed;
    if (typing.hidden === state.thinking) {
      typing.hidden = !state.thinking;
      changed = true;
    }
    presence.textContent = state.presence;
    if (stick && changed) toEnd();
    if (changed) lastChange = Date.now();
    if (state.notice) say(state.notice);
  }

  function say(sentence) {
    toast.replaceChildren();
    const line = document.createElement("p");
    line.textContent = sentence;
    toast.append(line);
    clearTimeout(say.timer);
    say.timer = setTimeout(() => toast.replaceChildren(), 7000);
  }

  // News

  function pause() {
    if (document.hidden) return 6000;
    return Date.now() - lastChange < 15000 ? 700 : 2000;
  }

  async function ask() {
    clearTimeout(timer);
    const mine = ++asked;
    try {
      const answer = await fetch(log.dataset.state, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.status);
      const state = await answer.json();
      // An older answer that comes late must not take back what a newer one has shown.
      if (mine > shown) {
        shown = mine;
        show(state);
      }
    } catch {
      presence.textContent = "sem conexão, tentando de novo…";
    }
    if (mine === asked) timer = setTimeout(ask, pause());
  }

  // Sending: one after the other, in the order of the clicks.

  async function post(data, words) {
    const bubble = words ? showWaiting(words) : null;
    const mine = ++asked;
    try {
      const answer = await fetch(composer.action, {
        method: "POST",
        body: new URLSearchParams(data),
        headers: { Accept: "application/json" },
      });
      const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
      if (!isJson) throw new Error(answer.status < 500 ? STALE : UNREACHABLE);
      const state = await answer.json();
      if (state.problem) throw new Error(state.problem);
      bubble?.remove();
      shown = Math.max(shown, mine);
      show(state);
      toEnd();
    } catch (error) {
      bubble?.remove();
      if (words && !data.has("opcao") && !text.value) text.value = words;
      say(error instanceof TypeError ? UNREACHABLE : error.message);
    }
    lastChange = Date.now();
    timer = setTimeout(ask, 250);
  }

  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(composer, event.submitter);
    const written = !event.submitter?.name;
    const words = written ? text.value.trim() : data.get("sugestao") ?? event.submitter.dataset.words;
    attach.open = false;
    text.focus();
    if (written && !words) return;
    if (written) text.value = "";
    else data.delete("texto");
    clearTimeout(timer);
    sending = sending.then(() => post(data, words));
  });

  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !attach.open) return;
    attach.open = false;
    attach.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => {
    if (!attach.contains(event.target)) attach.open = false;
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });

  toEnd();
  timer = setTimeout(ask, 700);
})();
