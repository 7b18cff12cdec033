// A slash in the reply offers the ready answers.

export function readyAnswers(field) {
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
