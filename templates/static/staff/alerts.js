// Badge, sound and notices, on every page. They tell that somebody waits, and nothing else.

const PULSE = 8000, PULSE_HIDDEN = 20000;

const bar = document.getElementById("bar");
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } };
const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

// Looks now, not when it is due.
export let look = () => {};

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

export function listen() {
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
