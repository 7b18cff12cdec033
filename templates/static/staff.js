// Betters the staff pages: they stay current by themselves, drafts survive, sending needs no new page.
// Everything works without this file too.
"use strict";

(() => {
  const QUICK = 4000, CALM = 15000, CALM_AFTER = 120000;

  // --- Keyed merge: the same elements stay, changed ones are replaced, new ones come in at their place. ---

  const keyed = (box) => [...box.children].filter((child) => child.dataset.key);

  function merge(box, fresh, { prune }) {
    const before = new Map(keyed(box).map((child) => [child.dataset.key, child]));
    const wanted = keyed(fresh);
    if (prune) {
      const kept = new Set(wanted.map((child) => child.dataset.key));
      before.forEach((child, key) => { if (!kept.has(key)) child.remove(); });
    }
    const added = [];
    let last = null;
    for (const next of wanted) {
      const old = before.get(next.dataset.key);
      const now = old ? renew(old, next) : next;
      if (!old) added.push(next);
      // A part of a thread only gains lines. A whole list is put in order, and moves nothing without need:
      // an element that is moved loses its focus.
      if (last && (prune || !old) && last.nextElementSibling !== now) last.after(now);
      else if (!last && !old) prune ? box.prepend(now) : box.append(now);
      last = now;
    }
    return added;
  }

  function renew(old, next) {
    if ("merge" in old.dataset) {
      merge(old, next, { prune: true });
      return old;
    }
    if (alike(old, next)) return old;
    if (old.matches("details[open]")) next.open = true;
    const place = stops(old).indexOf(document.activeElement);
    old.replaceWith(next);
    stops(next)[place]?.focus({ preventScroll: true });
    return next;
  }

  const stops = (element) => [...element.querySelectorAll("a, summary, pre")];

  function alike(one, other) {
    const copy = one.cloneNode(true);
    copy.removeAttribute("open");
    return copy.outerHTML === other.outerHTML;
  }

  const parse = (html) => new DOMParser().parseFromString(html, "text/html");

  // --- Polling: quick while something happens, calm otherwise, not at all in a hidden tab. ---

  function poll(address, take) {
    let version = "", timer = 0, changed = Date.now(), lost = false;

    const plan = () => {
      clearTimeout(timer);
      if (document.hidden || lost) return;
      timer = setTimeout(look, Date.now() - changed > CALM_AFTER ? CALM : QUICK);
    };

    async function look() {
      try {
        const answer = await fetch(address(version), { credentials: "same-origin" });
        if (answer.status === 401 || answer.status === 404) return end(answer.status);
        if (answer.status === 200) {
          version = answer.headers.get("X-Version") ?? "";
          changed = Date.now();
          take(parse(await answer.text()));
        }
      } catch {
        // No network: the next look tries again.
      }
      plan();
    }

    function end(status) {
      lost = true;
      say(status === 401 ? "Sua sessão terminou. Abra a página de novo para entrar." : "Esta conversa não existe mais.");
    }

    document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
    plan();
    return { look };
  }

  function say(words) {
    const place = document.getElementById("alerts") ?? document.getElementById("lost");
    if (!place) return;
    if (place.id === "lost") {
      place.textContent = words;
      place.hidden = false;
      return;
    }
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.setAttribute("role", "alert");
    notice.textContent = words;
    place.replaceChildren(notice);
  }

  // --- The list. ---

  const list = document.getElementById("list");
  if (list?.dataset.poll) {
    document.body.classList.add("live");
    const address = (version) => `${list.dataset.poll}&v=${version}`;
    poll(address, (fresh) => {
      merge(list, fresh.body, { prune: true });
      const waiting = Number(list.querySelector("[data-waiting]").dataset.waiting);
      document.title = document.title.replace(/^(\(\d+\) )?/, waiting ? `(${waiting}) ` : "");
    });
  }

  // --- One conversation. ---

  const talk = document.getElementById("talk");
  if (talk?.dataset.poll) converse();

  function converse() {
    const thread = document.getElementById("thread"), situation = document.getElementById("situation");
    const composer = document.getElementById("composer"), alerts = document.getElementById("alerts");
    const jump = document.getElementById("jump");
    const draftKey = `rascunho-${talk.dataset.id}`;
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
      const news = fresh.getElementById("situation");
      if (news.innerHTML !== situation.innerHTML) situation.innerHTML = news.innerHTML;
      const added = merge(thread, fresh.getElementById("thread"), { prune: false });
      newest = Math.max(newest, lastSeq());
      recompose(fresh.getElementById("composer"));
      if (!added.length) return;
      if (followed) toEnd();
      else if (added.some((line) => line.matches(".in"))) jump.hidden = false;
      saw();
    }

    // The form is replaced only when another kind of form is due; what was typed goes along.
    function recompose(next) {
      if (next.dataset.mode === composer.dataset.mode) return;
      const text = field()?.value ?? "", note = composer.querySelector("#note")?.value ?? "";
      composer.dataset.mode = next.dataset.mode;
      composer.replaceChildren(...next.childNodes);
      if (field()) field().value = text || stored();
      else if (text && !composer.querySelector("#kept")) keep(text);
      const box = composer.querySelector("#note");
      if (box && note) box.value = note;
    }

    function keep(text) {
      const label = document.createElement("label"), box = document.createElement("textarea");
      label.htmlFor = box.id = "kept";
      label.textContent = "Seu texto não foi enviado";
      box.readOnly = true;
      box.value = text;
      composer.append(label, box);
    }

    const stored = () => sessionStorage.getItem(draftKey) ?? "";
    function store(text) {
      if (text) sessionStorage.setItem(draftKey, text);
      else sessionStorage.removeItem(draftKey);
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
          store("");
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

    function settle(page, answer) {
      alerts.replaceChildren(...page.getElementById("alerts").childNodes);
      if (answer.ok) return field()?.focus();
      // What came meanwhile is shown now, so the next try knows it.
      saw();
      document.getElementById("problem")?.focus();
    }

    function show(page, answer) {
      if (answer.redirected) location.assign(answer.url);
      else say(page.querySelector("h1")?.textContent ?? "Algo deu errado. Tente de novo.");
    }

    composer.addEventListener("submit", (event) => {
      if (event.target.id !== "reply") return;
      event.preventDefault();
      send(event.target);
    });
    composer.addEventListener("input", (event) => {
      if (event.target.id !== "text") return;
      store(event.target.value);
      // After a send of unknown fate the same text keeps its key and is sent once; another text is another.
      if (unsure) event.target.form.client_key.value = `${Date.now()}${Math.random()}`.slice(0, 32);
      unsure = false;
    });
    composer.addEventListener("keydown", (event) => {
      const typing = event.target.id === "text" && event.key === "Enter" && !event.isComposing;
      const desk = matchMedia("(pointer: fine)").matches && !event.shiftKey;
      if (!typing || !(event.ctrlKey || event.metaKey || desk)) return;
      event.preventDefault();
      event.target.form.requestSubmit();
    });
    jump.addEventListener("click", () => { toEnd(); saw(); });
    addEventListener("scroll", saw, { passive: true });
    document.addEventListener("visibilitychange", saw);

    if (field() && !field().value) field().value = stored();
    poll((version) => `${talk.dataset.poll}?depois=${newest}&v=${version}`, take);
    if (document.getElementById("problem")) document.getElementById("problem").focus();
    else if (location.hash === "#fim") toEnd();
    saw();
  }

  // Drafts are for this login only.
  document.querySelector("form.leave")?.addEventListener("submit", () => sessionStorage.clear());
})();
