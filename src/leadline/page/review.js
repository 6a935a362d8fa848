// The plan before anything is spent: seen, changed, taken or left.

import { get, post } from "./api.js";
import { h, say, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.review;
const LOOK_MS = 400;

export class Review {
  constructor(id, signal, state) {
    Object.assign(this, { id, signal, state, onWaiting: () => {} });
    this.element = h("div", {});
  }

  // The run asks for a review some moments after its plan; until then there is nothing to show.
  async look() {
    while (!this.signal.aborted && !this.state().ended && !this.state().searches.length) {
      try {
        const { waiting } = await get(`/runs/${this.id}/view`, this.signal);
        if (waiting) return this.show(await get(`/runs/${this.id}/plan`, this.signal));
      } catch (error) {
        // A busy service is asked again, and so is one that had the plan answered elsewhere.
        const over = error.status >= 400 && error.status < 500 && ![409, 429].includes(error.status);
        if (this.signal.aborted || over) return;
      }
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  }

  show(plan) {
    this.lines = h("ol", { class: "plan-lines" }, plan.queries.map((one) => this.line(one.text, one.intent)));
    this.wrong = h("p", { class: "bad", role: "alert", hidden: true });
    set(
      this.element,
      h(
        "form",
        { class: "review", onsubmit: (event) => this.send(event, true), "aria-labelledby": "review-title" },
        h("h2", { id: "review-title" }, w.heading),
        h("p", { class: "soft" }, w.hint),
        this.lines,
        this.wrong,
        h(
          "div",
          { class: "row" },
          h("button", { type: "button", class: "plain", onclick: () => this.added() }, "+ ", w.add),
          h("button", { type: "button", class: "quiet", onclick: (event) => this.send(event, false) }, w.leave),
          h("button", { class: "main", type: "submit" }, w.take),
        ),
      ),
    );
    this.onWaiting(true);
    say(w.heading);
    this.lines.querySelector("input")?.focus();
  }

  line(text, intent) {
    const input = h("input", { type: "text", value: text, maxlength: 400, dir: "auto" });
    input.dataset.intent = intent;
    const item = h("li", {}, input, h("button", { type: "button", class: "plain", "aria-label": words.remove(text), onclick: () => item.remove() }, "×"), intent && h("span", { class: "soft", dir: "auto" }, intent));
    const number = (this.lines?.children.length ?? 0) + 1;
    input.setAttribute("aria-label", w.query(number));
    return item;
  }

  added() {
    const item = this.line("", "");
    this.lines.append(item);
    item.querySelector("input").focus();
  }

  async send(event, take) {
    event.preventDefault();
    const queries = [...this.lines.querySelectorAll("input")]
      .map((one) => ({ text: one.value.trim(), intent: one.dataset.intent }))
      .filter((one) => one.text);
    try {
      await post(`/runs/${this.id}/plan`, take ? { queries } : { take: false });
      set(this.element);
      this.onWaiting(false);
    } catch (error) {
      this.wrong.textContent = error.message;
      this.wrong.hidden = false;
    }
  }
}
