// Keyed merge: the same elements stay, changed ones are replaced, new ones come in at their place.

export const keyed = (box) => [...box.children].filter((child) => child.dataset.key);

export function merge(box, fresh, { prune }) {
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
export function refill(box, next) {
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

export const parse = (html) => new DOMParser().parseFromString(html, "text/html");
