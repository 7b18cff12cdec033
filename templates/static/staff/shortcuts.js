// Keys, where nobody is typing; they can be switched off. None of them ends, sends or hands over anything.

const help = document.getElementById("help");

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
  "u": () => document.getElementById("back")?.click(),
  "?": showHelp,
};

export function obey(bar) {
  const button = document.getElementById("help-open");
  if (help && button) {
    button.hidden = false;
    button.addEventListener("click", () => { button.closest("details").open = false; showHelp(); });
  }
  if (!("shortcuts" in bar.dataset)) return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Whoever has unfolded a form means to write into it, wherever the focus is.
    if (event.target.closest("input, textarea, select, dialog, [contenteditable], .act[open]")) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
