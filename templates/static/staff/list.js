// The list of conversations keeps itself current.

import { look } from "./alerts.js";
import { merge } from "./merge.js";
import { poll } from "./poll.js";

export function keepCurrent(list) {
  document.body.classList.add("live");
  poll((version) => `${list.dataset.poll}&v=${version}`, (fresh) => {
    merge(list, fresh.body, { prune: true });
    look();
  });
}
