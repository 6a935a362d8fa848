// A question before something that cannot be taken back.

import { h } from "./dom.js";
import { words } from "./strings.js";

export function confirmed(question, action, signal) {
  return new Promise((done) => {
    const sheet = h(
      "dialog",
      { class: "sheet small", "aria-labelledby": "sure", onclose: () => { sheet.remove(); done(sheet.returnValue === "yes"); } },
      h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); sheet.close("yes"); } },
        h("p", { id: "sure" }, question),
        h("div", { class: "row" },
          h("button", { type: "button", class: "quiet", onclick: () => sheet.close("no") }, words.tables.cancel),
          h("button", { type: "submit", class: "main" }, action))),
    );
    signal.addEventListener("abort", () => sheet.close("no"), { once: true });
    document.body.append(sheet);
    sheet.showModal();
    sheet.querySelector("button.quiet").focus();
  });
}
