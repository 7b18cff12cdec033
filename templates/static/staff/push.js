// Notices with no page open: what this browser has agreed on with its vendor.

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

export function offer(form) {
  if (!canHear) return;
  offerToHear(form).catch(() => {});
  form.addEventListener("submit", (event) => { event.preventDefault(); hear(form); });
}

// The vendor is to know that this login has ended, before the server hears of it.
export function endWith(form) {
  if (!canHear) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    heard().then((kept) => kept?.unsubscribe()).catch(() => {}).finally(() => form.submit());
  });
}
