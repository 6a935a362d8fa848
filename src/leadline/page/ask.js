// The first view: a question, how far it may go, and what that would take.

import { get, latest, post, send, unawaited } from "./api.js";
import { debounced, h, say, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.ask;
const IMAGE = /\.(png|jpe?g|gif|bmp|webp)$/i;

export async function askView(place, asked, signal, { go, name }) {
  name("");
  const form = new Form(await get("/page-options", signal), asked.get("q") ?? "", signal, go);
  set(place, form.element);
  form.question.focus();
  unawaited(form.recent(), signal, () => {}); // the form is whole without what was asked lately
}

class Form {
  constructor(options, question, signal, go) {
    Object.assign(this, { options, signal, go, files: [], folder: "", refused: 0 });
    this.adding = Promise.resolve();
    this.question = h("textarea", {
      id: "question",
      rows: 2,
      maxlength: 20000,
      dir: "auto",
      placeholder: w.hint,
      value: question,
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.element.querySelector("form").requestSubmit();
      },
      oninput: () => this.changed(),
    });
    this.told = h("p", { class: "estimate", id: "estimate", "aria-live": "polite" });
    this.wrong = h("p", { class: "bad", role: "alert", hidden: true });
    this.chips = h("ul", { class: "chips" });
    this.choices();
    this.estimate = debounced(350, latest(signal, (own) => this.foresee(own)));
    this.element = this.laid();
    this.dropping();
    if (question) this.changed();
  }

  choices() {
    const { options } = this;
    const again = () => this.changed();
    const box = (on, may = true) => h("input", { type: "checkbox", checked: on && may, disabled: !may, onchange: again });
    this.tier = h(
      "select",
      { id: "tier", onchange: again },
      Object.entries(w.tiers).map(([value, told]) => h("option", { value, selected: value === options.tier }, told)),
    );
    this.web = box(options.web, options.web_allowed);
    this.docs = box(options.docs.length > 0, options.docs.length > 0);
    this.memory = box(options.memory);
    this.model = h("input", {
      id: "model",
      type: "text",
      size: 16,
      placeholder: options.model || w.noModel,
      title: options.model_why,
      spellcheck: "false",
      autocomplete: "off",
      onchange: again,
    });
    this.budget = h("input", {
      id: "budget",
      type: "number",
      min: 0,
      step: "any",
      placeholder: String(options.max_cost || 0),
      "aria-label": w.budgetLabel,
      onchange: again,
    });
    this.review = box(options.review_plan);
  }

  laid() {
    const label = (input, told) => h("label", { class: "check" }, input, told);
    const docsTold = this.options.docs.length ? w.docsNamed(this.options.docs) : w.docs;
    this.docsLabel = label(this.docs, docsTold);
    if (this.docs.disabled) this.docsLabel.title = w.noDocs;
    const picker = h("input", { type: "file", multiple: true, hidden: true, onchange: () => this.add(picker.files) });
    this.submit = h("button", { class: "main", type: "submit" }, w.submit);
    return h(
      "main",
      { class: "ask" },
      h("h1", {}, w.heading),
      h(
        "form",
        { onsubmit: (event) => this.begin(event), "aria-describedby": "estimate" },
        h("label", { class: "unseen", for: "question" }, w.label),
        h("div", { class: "field" }, this.question, this.chips, h("div", { class: "row" },
          h("button", { type: "button", class: "plain", onclick: () => picker.click() }, "+ ", w.add), picker, this.submit)),
        h(
          "div",
          { class: "options" },
          h("span", { class: "pair" }, h("label", { for: "tier" }, w.depth), this.tier),
          h("span", { class: "group", role: "group", "aria-label": w.sources },
            label(this.web, w.web), this.docsLabel, label(this.memory, w.memory)),
          h("span", { class: "pair" }, h("label", { for: "model" }, w.model), this.model),
          h("span", { class: "pair" }, h("label", { for: "budget" }, w.budget), this.budget),
          label(this.review, w.review),
        ),
        this.told,
        this.wrong,
      ),
      (this.lately = h("section", { class: "lately", hidden: true })),
      (this.cover = h("div", { class: "cover", hidden: true }, w.drop)),
    );
  }

  request() {
    const { options } = this;
    const body = { task: this.question.value.trim() };
    const images = this.files.filter((one) => one.image).map((one) => `"${one.image}"`);
    if (images.length && body.task) body.task += `\n\n${images.join(" ")}`;
    if (this.tier.value) body.complexity_tier = this.tier.value;
    const own = this.files.some((one) => one.docs) ? [`uploads/${this.folder}`] : [];
    const docs = this.docs.checked || own.length > 0;
    if (own.length) body.docs = own;
    else if (!this.docs.checked && options.docs.length) body.docs = [];
    if (docs || options.docs.length) body.web = this.web.checked;
    if (this.memory.checked !== options.memory) body.memory = this.memory.checked;
    if (this.model.value.trim()) Object.assign(body, { model: this.model.value.trim(), no_model: false });
    if (this.budget.value) body.max_cost = Number(this.budget.value);
    return { body, empty: !this.web.checked && !docs };
  }

  changed() {
    this.question.style.setProperty("--lines", String(Math.min(this.question.value.split("\n").length, 12)));
    this.wrong.hidden = true;
    this.estimate();
  }

  async foresee(own) {
    const { body, empty } = this.request();
    if (!body.task || empty || this.signal.aborted) {
      this.told.textContent = empty ? w.nothing : "";
      return;
    }
    try {
      this.told.textContent = w.estimate(await post("/estimate", body, own));
    } catch (error) {
      if (!own.aborted) this.told.textContent = error.message;
    }
  }

  async begin(event) {
    event.preventDefault();
    if (this.submit.disabled) return; // it is being asked: Enter was pressed twice
    this.submit.disabled = true;
    try {
      const { refused } = this;
      await this.adding; // a file that is on its way belongs to the question
      if (refused === this.refused) await this.ask();
    } catch (error) {
      if (!this.signal.aborted) this.refuse(error.message);
    } finally {
      this.submit.disabled = false;
    }
  }

  async ask() {
    const { body, empty } = this.request();
    if (!body.task) return this.question.focus();
    if (empty) return this.refuse(w.nothing);
    if (this.review.checked) body.review_plan = true;
    const job = await post("/run", { ...body, async: true }, this.signal);
    this.go(`/?run=${job.run_id}`);
  }

  refuse(why) {
    this.wrong.textContent = why;
    this.wrong.hidden = false;
  }

  // ── files ──

  dropping() {
    const withFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const on = (name, what) => document.addEventListener(name, what, { signal: this.signal });
    on("dragover", (event) => {
      if (!withFiles(event)) return;
      event.preventDefault();
      this.cover.hidden = false;
    });
    on("dragleave", (event) => {
      if (!event.relatedTarget) this.cover.hidden = true;
    });
    on("drop", (event) => {
      if (!withFiles(event)) return;
      event.preventDefault();
      this.cover.hidden = true;
      this.add(event.dataTransfer.files);
    });
    this.question.addEventListener("paste", (event) => {
      if (event.clipboardData.files.length) this.add(event.clipboardData.files);
    });
  }

  // One after the other, also where more are dropped meanwhile: the first makes their folder.
  add(files) {
    this.wrong.hidden = true;
    for (const file of files) this.adding = this.adding.then(() => this.addOne(file));
    this.adding = this.adding.then(() => this.estimate());
  }

  async addOne(file) {
    const waiting = h("li", { class: "waiting" }, w.adding(file.name));
    this.chips.append(waiting);
    try {
      if (file.size > this.options.upload_mb * 1e6) throw new Error(w.tooLarge(this.options.upload_mb));
      const address = `/uploads?name=${encodeURIComponent(file.name)}&folder=${this.folder}`;
      const kept = await send(address, file);
      this.folder = kept.folder;
      this.files.push(kept);
      waiting.replaceWith(this.chip(kept, file.name));
      say(file.name);
    } catch (error) {
      waiting.remove();
      this.refused += 1;
      this.refuse(`${file.name}: ${error.message}`);
    }
  }

  chip(kept, told) {
    const chip = h("li", { dir: "auto" }, IMAGE.test(told) ? "▧ " : "▤ ", told, h(
      "button",
      {
        type: "button",
        class: "plain",
        "aria-label": words.remove(told),
        onclick: () => {
          this.files = this.files.filter((one) => one !== kept);
          chip.remove();
          this.changed();
          this.question.focus();
        },
      },
      "×",
    ));
    return chip;
  }

  async recent() {
    const found = await get("/runs?limit=5", this.signal);
    if (!found.runs.length) return;
    const line = (run) =>
      h("li", {}, h("a", { href: `/?run=${run.id}`, dir: "auto" }, run.task.slice(0, 120)), h("span", { class: `state ${run.status}` }, words.runs.states[run.status] ?? run.status));
    set(this.lately, h("h2", {}, w.recent), h("ul", {}, found.runs.map(line)), h("a", { href: "/?view=runs" }, w.all));
    this.lately.hidden = false;
  }
}
