// What the page itself has to say, and the way back to a login.

import { anyDraft } from "./drafts.js";

export function say(words, link) {
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
export function sayOut(words, link) {
  say(`${words}.${anyDraft() ? " O que você escreveu continua guardado nesta aba." : ""}`, link);
}

export function toLogin() {
  const link = document.createElement("a"), here = location.pathname + location.search + location.hash;
  link.href = `${document.getElementById("bar").dataset.login}?${new URLSearchParams({ next: here })}`;
  link.textContent = "Entrar de novo";
  return link;
}
