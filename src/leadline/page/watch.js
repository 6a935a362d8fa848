// A run as it happens: plan, searches with their novelty, pages, knowledge, limits, trouble.

import { follow, post, remove, unawaited } from "./api.js";
import { curve } from "./curve.js";
import { h, link, say, set } from "./dom.js";
import { begin, fold, parts } from "./fold.js";
import { Review } from "./review.js";
import { words } from "./strings.js";

const w = words.watch;
const SHOWN_TROUBLE = 12;
const ROWS_A_FRAME = 12;

export class Watch {
  constructor(view, signal, page) {
    Object.assign(this, { view, signal, page, state: begin(), rows: new Map() });
    this.skew = Date.parse(view.now) - Date.now();
    this.past = view.run.status === "finished";
    this.drawing = false;
    this.build();
  }

  build() {
    const part = (name, title, ...inside) =>
      h("section", { class: `part ${name}`, "aria-labelledby": `w-${name}` }, h("h2", { id: `w-${name}` }, title), ...inside);
    this.phase = h("p", { class: "phase" });
    this.lost = h("p", { class: "note", hidden: true, role: "status" }, w.lost);
    this.actions = h("div", { class: "actions" });
    this.meters = h("dl", { class: "meters" });
    this.plan = h("div", {}, h("p", { class: "soft" }, w.planning));
    this.list = h("ol", { class: "searches" });
    this.noList = h("p", { class: "soft" }, w.noSearches);
    this.curve = h("div", {}, h("p", { class: "soft" }, w.curveEmpty));
    this.parts = h("ul", { class: "parts" }, h("li", { class: "soft" }, w.noParts));
    this.knowledge = h("div", { class: "knowledge", dir: "auto", tabindex: 0, role: "group", "aria-labelledby": "w-known" }, h("p", { class: "soft" }, w.noKnowledge));
    this.pages = h("ul", { class: "pages" }, h("li", { class: "soft" }, w.noPages));
    this.trouble = h("ul", { class: "trouble" });
    this.troublePart = part("trouble", w.trouble, this.trouble);
    this.troublePart.hidden = true;
    this.review = h("div", {});
    this.element = h(
      "main",
      { class: "watch" },
      h("header", {}, h("h1", { dir: "auto" }, this.view.run.task), h("div", { class: "state-line" }, this.phase, this.actions)),
      this.lost,
      this.meters,
      this.review,
      h(
        "div",
        { class: "columns" },
        h("div", {}, part("plan", w.plan, this.plan), part("searches", w.searches, this.noList, this.list), this.troublePart),
        h("div", {}, part("curve", w.curve, this.curve), part("asked", w.parts, this.parts), part("known", w.knowledge, this.knowledge), part("pages", w.pages, this.pages)),
      ),
    );
    this.buttons();
    this.draw();
  }

  // There is something to write from once a search has come back with results.
  get something() {
    return this.state.searches.some((one) => !one.error && one.count > 0);
  }

  follow() {
    const ticking = setInterval(() => this.tick(), 250);
    this.signal.addEventListener("abort", () => clearInterval(ticking));
    if (["failed", "cancelled", "interrupted"].includes(this.view.run.status)) this.known = this.view.run;
    follow(
      this.view.run.id,
      (name, data) => {
        fold(this.state, name, data);
        this.later();
      },
      (lost) => {
        this.lost.hidden = !lost;
      },
      this.signal,
    ).catch((error) => this.wrong(error.message));
    if (this.view.reviewed && !this.past) this.awaitReview();
  }

  awaitReview() {
    const review = new Review(this.view.run.id, this.signal, () => this.state);
    set(this.review, review.element);
    review.onWaiting = (waiting) => {
      this.waiting = waiting;
      this.later();
    };
    review.look();
  }

  // Events come in bursts: what they change is drawn once a frame.
  later() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      if (!this.signal.aborted) this.draw();
    });
  }

  draw() {
    const { state } = this;
    this.tick();
    if (state.plan && state.plan !== this.drawnPlan) this.drawPlan();
    this.drawSearches();
    if (state.judged.length !== this.drawnCurve && state.judged.length) {
      this.drawnCurve = state.judged.length;
      set(this.curve, curve(state.judged, this.limit("max_queries")));
    }
    this.drawParts();
    this.drawKnowledge();
    this.drawPages();
    this.drawTrouble();
    this.tell();
    if (!state.ended && this.something && !this.offered) this.buttons();
    if (state.ended && !this.over) this.end();
  }

  limit(name) {
    const tier = this.state.plan?.tier ?? "standard";
    return this.view.limits[tier]?.[name] ?? 0;
  }

  tick() {
    const { state } = this;
    const phase = this.waiting ? "review" : this.phaseNow();
    this.phase.textContent = w.phase[phase] ?? phase;
    this.phase.className = `phase ${phase}`;
    let elapsed = state.elapsed;
    if (!state.ended && !this.waiting && state.at && !this.past) {
      elapsed += Math.max(0, (Date.now() + this.skew - state.at) / 1000);
    }
    const most = this.limit("max_execution_time_s");
    const told = [
      ["time", Math.min(elapsed, most || elapsed), most, words.short],
      ["searches", state.searches.length, this.limit("max_queries"), words.number],
      ["pages", state.pages.length, 0, words.number],
      ["tokens", state.tokens, this.limit("token_budget"), words.number],
      ["money", state.cost, this.limit("max_cost"), words.money],
    ];
    const key = told.map(([, used, most_, tell]) => `${tell(used)}/${most_}`).join();
    if (key === this.drawnMeters) return;
    this.drawnMeters = key;
    set(this.meters, told.map(([name, used, top, tell]) => meter(w.limits[name], used, top, tell)));
  }

  phaseNow() {
    if (this.view.run.status === "queued" && !this.state.at) return "waiting";
    const empty = this.view.report && !this.view.report.found;
    return this.state.phase === "done" && empty ? "empty" : this.state.phase;
  }

  drawPlan() {
    const { plan } = this.state;
    this.drawnPlan = plan;
    set(
      this.plan,
      h("p", { class: "soft" }, w.planFacts(plan.tier, String(plan.type ?? "").replace("_", " "), plan.language)),
      plan.subtasks.length > 0 && h("ol", {}, plan.subtasks.map((one) => h("li", { dir: "auto" }, one))),
      h("ul", { class: "queries" }, plan.queries.map((one) => h("li", { dir: "auto" }, one))),
    );
    if (!this.actionsFor) this.buttons();
  }

  drawSearches() {
    this.noList.hidden = this.state.searches.length > 0;
    let drawn = 0;
    for (const search of this.state.searches) {
      if (!search.changed) continue;
      if (drawn === ROWS_A_FRAME) return this.later(); // a run that is replayed comes all at once
      drawn += 1;
      search.changed = false;
      const row = searchRow(search);
      const old = this.rows.get(search);
      if (old?.firstChild.open) row.firstChild.open = true; // what a person opened stays open
      if (old) old.replaceWith(row);
      else this.list.append(row);
      this.rows.set(search, row);
    }
  }

  drawParts() {
    const found = parts(this.state);
    const key = JSON.stringify(found);
    if (!found.length || key === this.drawnParts) return;
    this.drawnParts = key;
    set(
      this.parts,
      found.map(({ part, open }) =>
        h("li", { class: open ? "open" : "supported" }, h("span", { class: "disc", "aria-hidden": "true" }), h("bdi", {}, part), " ", h("em", {}, open ? w.open : w.supported)),
      ),
    );
  }

  drawKnowledge() {
    const text = [...this.state.knowledge.values()].join("\n");
    if (!text || text === this.drawnKnowledge) return;
    this.drawnKnowledge = text;
    const lines = text.split("\n").map((line) => line.replace(/^\s*[-*•]\s*/, "").trim()).filter(Boolean);
    set(this.knowledge, h("ul", {}, lines.map((line) => h("li", { dir: "auto" }, line))));
  }

  drawPages() {
    const from = this.drawnPages ?? 0;
    const { pages } = this.state;
    if (pages.length === from) return;
    if (!from) set(this.pages);
    this.drawnPages = pages.length;
    this.pages.append(
      ...pages.slice(from).map((page) =>
        h("li", {}, link(page.url, page.title), h("span", { class: "soft" }, " ", w.characters(page.characters))),
      ),
    );
  }

  drawTrouble() {
    const { trouble } = this.state;
    if (trouble.length === this.drawnTrouble || !trouble.length) return;
    this.drawnTrouble = trouble.length;
    this.troublePart.hidden = false;
    set(
      this.trouble,
      trouble.slice(-SHOWN_TROUBLE).reverse().map(({ what, why }) =>
        h("li", { dir: "auto" }, what ? h("strong", {}, what.slice(0, 160)) : null, what ? ": " : null, why),
      ),
    );
  }

  tell() {
    const news = this.state.news.splice(0);
    const last = news.at(-1);
    if (!last || this.past) return;
    if (last.kind === "plan") say(w.said.plan(last.count));
    else if (last.kind === "search") say(w.said.search(last.query, w.verdicts[last.reason] ?? last.reason));
    else say(w.said.page(last.title));
  }

  // ── its end ──

  end() {
    this.over = true;
    this.waiting = false;
    set(this.review);
    const { ended } = this.state;
    this.buttons();
    if (ended.status === "finished") {
      if (this.past) return;
      say(w.said.done);
      if (this.ended) unawaited(this.ended(), this.signal, (why) => this.wrong(why));
      return;
    }
    const why = ended.reason || w.kept;
    this.lost.hidden = true;
    set(this.review, h("div", { class: `end ${ended.status}`, role: "alert" },
      h("p", {}, ended.status === "failed" ? w.failed(why) : this.something ? w.keptFound : w.kept)));
  }

  wrong(why) {
    set(this.review, h("p", { class: "bad", role: "alert" }, why));
  }

  buttons() {
    const { id, task } = this.view.run;
    const { ended } = this.state;
    this.actionsFor = true;
    if (this.past || ended?.status === "finished") {
      set(this.actions, h("a", { class: "main", href: `/?run=${id}` }, w.read));
    } else if (ended) {
      set(
        this.actions,
        ended.resumable !== false && h("button", { class: "main", type: "button", onclick: (event) => this.resume(event) }, w.goOn),
        ended.resumable !== false && this.something && this.finishButton("quiet"),
        h("a", { class: "plain", href: `/?q=${encodeURIComponent(task)}` }, w.again),
      );
    } else {
      this.offered = this.something;
      const stop = h("button", { class: "quiet", type: "button", title: w.stopTitle, onclick: (event) => this.stop(event) }, w.stop);
      set(this.actions, this.offered && this.finishButton("quiet"), stop);
    }
  }

  finishButton(looks) {
    return h("button", { class: looks, type: "button", title: w.finishTitle, onclick: (event) => this.finish(event) }, w.finish);
  }

  // Where the run was stopped, finishing takes it up again; otherwise its events go on here.
  async finish(event) {
    const button = event.currentTarget;
    const stopped = Boolean(this.state.ended);
    button.disabled = true;
    button.textContent = w.finishing;
    say(w.finishing);
    try {
      await post(`/runs/${this.view.run.id}/finish`);
      if (stopped && !this.signal.aborted) this.page.go(`/?run=${this.view.run.id}`);
    } catch (error) {
      if (error.status !== 409) this.wrong(error.message);
      this.buttons();
    }
  }

  async stop(event) {
    const button = event.currentTarget;
    button.disabled = true;
    button.textContent = w.stopping;
    try {
      await remove(`/runs/${this.view.run.id}`);
    } catch (error) {
      button.disabled = false;
      button.textContent = w.stop;
      if (error.status !== 409) this.wrong(error.message);
    }
  }

  async resume(event) {
    event.currentTarget.disabled = true;
    try {
      await post(`/runs/${this.view.run.id}/resume`);
      if (!this.signal.aborted) this.page.go(`/?run=${this.view.run.id}`);
    } catch (error) {
      this.wrong(error.message);
      this.buttons();
    }
  }
}

function meter(label, used, most, tell) {
  const share = most ? Math.min(used / most, 1) : 0;
  const bar = h("span", { class: "fill" });
  bar.style.setProperty("--share", share.toFixed(3));
  return h("div", { class: most ? "" : "free" }, h("dt", {}, label), h("dd", {}, w.of(tell(used), most ? tell(most) : ""), h("span", { class: "track", "aria-hidden": "true" }, bar)));
}

function searchRow(search) {
  const judged = search.score !== null;
  const state = search.error ? "failed" : judged ? (search.accepted ? "accepted" : "left") : "waiting";
  const said = judged ? (w.verdicts[search.reason] ?? search.reason) : search.error || w.judging;
  const known = judged && search.repeated > 0 && w.repeated(search.repeated);
  const who = [search.child && w.part(search.child), search.provider, search.cached && w.cached, w.results(search.count), known];
  return h(
    "li",
    { class: state },
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("span", { class: "query", dir: "auto" }, search.query),
        h("span", { class: "who" }, who.filter(Boolean).join(" · ")),
        bar(search, judged),
        h("span", { class: "verdict-word" }, said),
      ),
      h("ul", { class: "hits" }, search.hits.map((hit) => h("li", {}, link(hit.url, hit.title || hit.url), h("span", { class: "soft where" }, hit.url)))),
    ),
  );
}

function bar(search, judged) {
  if (!judged) return h("span", { class: "novelty" });
  const made = h("span", { class: "novelty", role: "img", "aria-label": w.bar(search.score, search.threshold) }, h("span", { class: "fill" }), h("span", { class: "mark" }), h("span", { class: "score", "aria-hidden": "true" }, search.score.toFixed(1)));
  made.style.setProperty("--score", String(search.score / 10));
  made.style.setProperty("--threshold", String(search.threshold / 10));
  return made;
}
