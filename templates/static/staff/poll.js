// Polling: quick while something happens, calm otherwise, not at all in a hidden tab.

import { parse } from "./merge.js";
import { say, sayOut, toLogin } from "./messages.js";

const QUICK = 4000, CALM = 15000, CALM_AFTER = 120000;

// `address` makes the address from the version that is known, `take` gets the parsed answer. Ends with `signal`.
export function poll(address, take, { signal, missing = "Esta conversa não existe mais." } = {}) {
  let version = "", timer = 0, changed = Date.now(), lost = false;

  const plan = () => {
    clearTimeout(timer);
    if (document.hidden || lost || signal?.aborted) return;
    timer = setTimeout(look, Date.now() - changed > CALM_AFTER ? CALM : QUICK);
  };

  async function look() {
    try {
      const answer = await fetch(address(version), { credentials: "same-origin", signal });
      if (answer.status === 401 || answer.status === 404) return end(answer.status);
      if (answer.status === 200) {
        const fresh = parse(await answer.text());
        if (signal?.aborted) return;
        version = answer.headers.get("X-Version") ?? "";
        changed = Date.now();
        take(fresh);
      }
    } catch {
      // No network: the next look tries again.
    }
    plan();
  }

  function end(status) {
    lost = true;
    if (status === 401) sayOut("Sua sessão terminou", toLogin());
    else say(missing);
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()), { signal });
  signal?.addEventListener("abort", () => clearTimeout(timer));
  plan();
  return look;
}
