// Asks for the key of the service, once a tab.

import { h } from "./dom.js";
import { words } from "./strings.js";

let asking = null;

export function askKey(wrong) {
  asking ??= new Promise((done) => {
    const input = h("input", {
      id: "key",
      type: "password",
      autocomplete: "off",
      required: true,
      spellcheck: "false",
    });
    const form = h(
      "form",
      {
        method: "dialog",
        onsubmit: () => {
          sheet.remove();
          asking = null;
          done(input.value.trim());
        },
      },
      h("h2", { id: "key-title" }, words.key.heading),
      h("p", {}, words.key.hint),
      wrong && h("p", { class: "bad", role: "alert" }, words.key.wrong),
      h("label", { for: "key" }, words.key.label),
      input,
      h("button", { class: "main" }, words.key.send),
    );
    const sheet = h(
      "dialog",
      { class: "sheet small", "aria-labelledby": "key-title", oncancel: (e) => e.preventDefault() },
      form,
    );
    document.body.append(sheet);
    sheet.showModal();
  });
  return asking;
}
