// Betters the staff pages: they stay current by themselves, drafts survive, sending needs no new page.
// Everything works without this file too.
"use strict";

(() => {
  const QUICK = 4000, CALM = 15000, CALM_AFTER = 120000;
  const PULSE = 8000, PULSE_HIDDEN = 20000;

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

  // What is shown anew keeps the focus, on the same of its links.
  function refill(box, next) {
    if (next.innerHTML === box.innerHTML) return;
    const place = stops(box).indexOf(document.activeElement);
    box.innerHTML = next.innerHTML;
    stops(box)[place]?.focus({ preventScroll: true });
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
      if (status === 401) sayOut("Sua sessão terminou", toLogin());
      else say("Esta conversa não existe mais.");
    }

    document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
    plan();
    return { look };
  }

  function say(words, link) {
    const place = document.getElementById("alerts") ?? document.getElementById("lost");
    if (!place) return;
    const told = document.createElement("span");
    told.append(words, ...(link ? [" ", link] : []));
    if (place.id === "lost") {
      place.replaceChildren(told);
      place.hidden = false;
      return;
    }
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.setAttribute("role", "alert");
    notice.append(told);
    place.replaceChildren(notice);
  }

  // The page does not go on as it is: the link opens it anew, and what was typed is there again.
  function sayOut(words, link) {
    say(`${words}.${draft() ? " O que você escreveu continua guardado nesta aba." : ""}`, link);
  }

  function toLogin() {
    const link = document.createElement("a"), here = location.pathname + location.search + location.hash;
    link.href = `${bar.dataset.login}?${new URLSearchParams({ next: here })}`;
    link.textContent = "Entrar de novo";
    return link;
  }

  // Drafts are of one person, in one tab: whoever logs in after them here finds none.
  const DRAFTS = ["text", "note", "remark"]; // the reply, the word to the assistant, the note for the team
  const draftKey = (name) => `rascunho-${talk.dataset.draft}-${name}`;
  const draft = () => talk && DRAFTS.some((name) => sessionStorage.getItem(draftKey(name)));

  // --- Badge, sound and notices, on every page. They tell that somebody waits, and nothing else. ---

  const bar = document.getElementById("bar");
  const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } };
  const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

  let look = () => {};

  function showWaiting(number) {
    document.title = document.title.replace(/^(\(\d+\) )?/, number ? `(${number}) ` : "");
    const badge = document.getElementById("badge");
    if (!badge) return;
    badge.hidden = !number;
    badge.textContent = number ? String(number) : "";
    if (number) {
      const words = document.createElement("span");
      words.className = "hidden";
      words.textContent = number === 1 ? " conversa aguardando" : " conversas aguardando";
      badge.append(words);
    }
  }

  function alerts() {
    const sound = new Audio(bar.dataset.sound);
    const soundButton = document.getElementById("sound"), notifyButton = document.getElementById("notify");
    const may = () => "Notification" in window && Notification.permission === "granted";

    async function ring() {
      try {
        await sound.play();
        return true;
      } catch {
        return false; // the browser wants a click first: the badge counts all the same
      }
    }

    function press(button, pressed, words) {
      if (!button) return;
      button.setAttribute("aria-pressed", String(pressed));
      button.querySelector("span").textContent = words;
    }
    const show = () => {
      press(soundButton, recall("som") === "1", recall("som") === "1" ? "Som ativado" : "Ativar som");
      const on = recall("avisos") === "1" && may();
      press(notifyButton, on, on ? "Avisos na tela ativados" : "Ativar avisos na tela");
    };

    soundButton?.addEventListener("click", async () => {
      const on = recall("som") !== "1" && await ring();
      remember("som", on ? "1" : "0");
      show();
    });
    notifyButton?.addEventListener("click", async () => {
      const on = recall("avisos") !== "1" && (await Notification.requestPermission()) === "granted";
      remember("avisos", on ? "1" : "0");
      show();
    });

    // Whether there is more than was told last. Written down first: of several open tabs one is heard.
    function isNews(key, number) {
      const told = recall(key);
      if (told !== String(number)) remember(key, String(number));
      return told !== null && number > Number(told);
    }

    async function tell({ newest, unread }) {
      const queue = isNews("ultimo-aviso", newest), own = isNews("minhas-novas", unread);
      if (!queue && !own) return;
      if (recall("som") === "1") await ring();
      if (recall("avisos") !== "1" || !may() || !document.hidden) return;
      const body = queue ? "Há uma conversa aguardando na fila." : "Há uma mensagem nova em uma conversa sua.";
      const notice = new Notification("Hora Certa", { body, tag: "fila" });
      notice.onclick = () => { window.focus(); location.assign(bar.dataset.queue); };
    }

    let timer = 0;
    look = async () => {
      clearTimeout(timer);
      try {
        const answer = await fetch(bar.dataset.pulse, { credentials: "same-origin" });
        if (answer.status === 401) return;
        if (answer.ok) {
          const pulse = await answer.json();
          showWaiting(pulse.waiting + pulse.mine);
          await tell(pulse);
        }
      } catch {
        // No network: the next look tries again.
      }
      clearTimeout(timer);
      timer = setTimeout(look, document.hidden ? PULSE_HIDDEN : PULSE);
    };

    const choice = document.getElementById("alerts-choice");
    if (choice) choice.hidden = false;
    if (notifyButton) notifyButton.hidden = !("Notification" in window);
    show();
    look();
  }
  if (bar?.dataset.pulse) alerts();

  // --- Notices with no page open: what this browser has agreed on with its vendor. ---

  const canHear = "serviceWorker" in navigator && "PushManager" in window;
  const heard = async () => (await navigator.serviceWorker.getRegistration("/"))?.pushManager.getSubscription();

  async function offerToHear(form) {
    const kept = await heard(), known = [...document.querySelectorAll("#ears button[name=endpoint]")];
    form.hidden = known.some((button) => button.value === kept?.endpoint);
    // Switched off from elsewhere, or by the end of its login: the vendor is to know it too.
    if (!form.hidden) await kept?.unsubscribe();
    document.getElementById("ears").hidden = false;
  }

  async function hear(form) {
    const problem = document.getElementById("unheard");
    try {
      await Notification.requestPermission();
      await navigator.serviceWorker.register(form.dataset.worker);
      const { pushManager } = await navigator.serviceWorker.ready;
      const wanted = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
      const { endpoint, keys } = (await pushManager.subscribe(wanted)).toJSON();
      for (const [name, value] of Object.entries({ endpoint, ...keys })) form.elements[name].value = value;
      form.submit();
    } catch {
      problem.textContent = Notification.permission === "granted"
        ? "O navegador não conseguiu ligar os avisos agora. Tente de novo."
        : "O navegador não permite avisos deste site. Libere as notificações nas configurações dele e tente de novo.";
      problem.hidden = false;
    }
  }

  const hearForm = document.getElementById("hear");
  if (canHear && hearForm) {
    offerToHear(hearForm).catch(() => {});
    hearForm.addEventListener("submit", (event) => { event.preventDefault(); hear(hearForm); });
  }

  // --- The list. ---

  const list = document.getElementById("list");
  if (list?.dataset.poll) {
    document.body.classList.add("live");
    const address = (version) => `${list.dataset.poll}&v=${version}`;
    poll(address, (fresh) => {
      merge(list, fresh.body, { prune: true });
      look();
    });
  }

  // --- One conversation. ---

  const talk = document.getElementById("talk");
  const card = talk?.querySelector("details.card");
  if (card && matchMedia("(min-width: 60rem)").matches) card.open = true; // there is room beside the thread
  if (talk) readBack();
  if (talk?.dataset.poll) converse();

  // Older messages come in above, and what is being read stays where it is.
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

  function converse() {
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

    const stored = (name) => sessionStorage.getItem(draftKey(name)) ?? "";
    function store(name, text) {
      if (text) sessionStorage.setItem(draftKey(name), text);
      else sessionStorage.removeItem(draftKey(name));
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

    // A note, or a word to the assistant: a draft until it was taken, and then on to another page.
    async function hand(form) {
      const button = form.querySelector("button:not([type=button])");
      if (button.getAttribute("aria-busy") === "true") return;
      button.setAttribute("aria-busy", "true");
      try {
        const body = new URLSearchParams(new FormData(form));
        const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", redirect: "manual" });
        if (answer.type === "opaqueredirect") return leaveFor(form);
        const page = parse(await answer.text());
        if (!page.getElementById("composer")) return show(page, answer);
        take(page);
        settle(page, answer);
      } catch {
        say("Sem conexão: pode ser que não tenha sido guardado. Tente de novo.");
      } finally {
        button.removeAttribute("aria-busy");
      }
    }

    function leaveFor(form) {
      form.querySelectorAll("textarea").forEach((box) => { box.value = ""; store(box.id, ""); });
      const place = new URL(form.dataset.then, location.href);
      if (place.pathname !== location.pathname || place.search !== location.search) return location.assign(place);
      location.hash = place.hash;
      location.reload();
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
    composer.addEventListener("focusout", (event) => { if (event.target.id === "text") setTimeout(ready.close, 150); });
    jump.addEventListener("click", () => { toEnd(); saw(); });
    addEventListener("scroll", saw, { passive: true });
    document.addEventListener("visibilitychange", saw);

    const ready = readyAnswers(field);
    DRAFTS.forEach(restore);
    poll((version) => `${talk.dataset.poll}?depois=${newest}&v=${version}`, take);
    if (document.getElementById("problem")) document.getElementById("problem").focus();
    else if (location.hash === "#fim") toEnd();
    saw();
  }

  // A slash in the reply offers the ready answers.
  function readyAnswers(field) {
    const list = () => document.getElementById("ready"), none = () => document.getElementById("none-ready");
    const options = () => [...(list()?.children ?? [])].filter((option) => !option.hidden);
    const active = () => list()?.querySelector("[aria-selected=true]");
    const wanted = (box) => /(^|\s)\/([\p{L}\d-]*)$/u.exec(box.value.slice(0, box.selectionStart));

    function mark(option) {
      for (const each of list().children) each.setAttribute("aria-selected", String(each === option));
      if (option) field().setAttribute("aria-activedescendant", option.id);
      else field().removeAttribute("aria-activedescendant");
      option?.scrollIntoView({ block: "nearest" });
    }

    function offer(box) {
      const found = wanted(box);
      close();
      if (!found) return;
      const start = found[2].normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
      for (const option of list()?.children ?? []) option.hidden = !option.dataset.name.startsWith(start);
      if (!options().length) { none().hidden = false; return; }
      list().hidden = false;
      box.setAttribute("aria-controls", "ready");
      mark(options()[0]);
    }

    function close() {
      if (none()) none().hidden = true;
      if (!list()) return;
      list().hidden = true;
      field()?.removeAttribute("aria-controls");
      field()?.removeAttribute("aria-activedescendant");
    }

    function choose(option) {
      const box = field(), found = wanted(box);
      if (!found) return close();
      const end = box.selectionStart, start = end - found[2].length - 1;
      box.setRangeText(option.dataset.text, start, end, "end");
      close();
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.focus();
    }

    // Says whether the key was for the list.
    function steer(event) {
      // A name that there is not is no answer to a customer.
      const nameless = none() && !none().hidden && field().value.trim() === wanted(field())?.[0].trim();
      if (nameless && event.key === "Enter" || none() && !none().hidden && event.key === "Escape") {
        event.preventDefault();
        if (event.key === "Escape") close();
        return true;
      }
      if (!list() || list().hidden) return false;
      const all = options(), place = all.indexOf(active());
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in steps) mark(all[(place + steps[event.key] + all.length) % all.length]);
      else if (event.key === "Enter" || event.key === "Tab") choose(all[place] ?? all[0]);
      else if (event.key === "Escape") close();
      else return false;
      event.preventDefault();
      return true;
    }
    return { offer, close, choose, steer };
  }

  // --- Keys, where nobody is typing; they can be switched off. ---

  const help = document.getElementById("help"), helpButton = document.getElementById("help-open");
  if (help && helpButton) {
    helpButton.hidden = false;
    helpButton.addEventListener("click", () => { helpButton.closest("details").open = false; showHelp(); });
  }

  function showHelp() {
    help?.showModal();
    help?.querySelector("button").focus();
  }

  function step(by) {
    const rows = [...document.querySelectorAll(".row a")];
    const next = rows[rows.indexOf(document.activeElement) + by];
    (next ?? (by > 0 ? null : rows[0]))?.focus();
  }

  function openNote() {
    const summary = document.getElementById("note-open");
    if (!summary) return;
    summary.closest("details").open = true;
    document.getElementById("remark").focus();
  }

  const KEYS = {
    "j": () => step(1),
    "k": () => step(-1),
    "/": () => document.getElementById("q")?.focus(),
    "r": () => document.getElementById("text")?.focus(),
    "n": openNote,
    "a": () => document.getElementById("take")?.focus(),
    "e": () => document.getElementById("resolve")?.focus(),
    "u": () => document.getElementById("back")?.click(),
    "?": showHelp,
  };

  document.addEventListener("keydown", (event) => {
    if (!bar || !("shortcuts" in bar.dataset) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // The menu closes like one.
  const menu = document.querySelector("details.menu");
  document.addEventListener("click", (event) => { if (menu?.open && !menu.contains(event.target)) menu.open = false; });
  menu?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // Drafts are for this login only, and so are notices, also those of an earlier login that nobody ended.
  document.querySelector("form.leave")?.addEventListener("submit", (event) => {
    sessionStorage.clear();
    if (!canHear) return;
    event.preventDefault();
    heard().then((kept) => kept?.unsubscribe()).catch(() => {}).finally(() => event.target.submit());
  });
})();
