// Betters the agenda: it opens at the present hour, prints, and is fresh when somebody comes back to it.
// Everything works without this file too.
"use strict";

(() => {
  const STALE = 60000;

  document.getElementById("problem")?.focus();

  // Whoever types a time means that one.
  const other = document.querySelector(".pick-other input");
  if (other) {
    for (const id of ["hora", "com"]) {
      document.getElementById(id).addEventListener("input", () => { other.checked = true; });
    }
  }

  const board = document.getElementById("board");
  if (!board) return;

  // On a wide screen the board scrolls by itself.
  const now = document.getElementById("agora");
  if (now && board.scrollHeight > board.clientHeight) {
    board.scrollTop += now.getBoundingClientRect().top - board.getBoundingClientRect().top - board.clientHeight / 3;
  }

  const print = document.getElementById("imprimir");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }

  // A page that was left for a while shows yesterday's news: look again, at the same place.
  let left = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) left = Date.now();
    else if (left && Date.now() - left > STALE) location.reload();
  });
})();
