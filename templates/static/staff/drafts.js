// What somebody is writing, kept while the tab is open. Drafts are of one person, in one tab: whoever logs in
// after them here finds none.

export const DRAFTS = ["text", "note", "remark"]; // the reply, the word to the assistant, the note for the team

const talk = () => document.getElementById("talk");
const key = (name) => `rascunho-${talk().dataset.draft}-${name}`;

export const anyDraft = () => talk() && DRAFTS.some((name) => sessionStorage.getItem(key(name)));
export const stored = (name) => sessionStorage.getItem(key(name)) ?? "";

export function store(name, text) {
  if (text) sessionStorage.setItem(key(name), text);
  else sessionStorage.removeItem(key(name));
}
