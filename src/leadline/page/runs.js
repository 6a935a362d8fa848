// All runs: searched, filtered, and two of them chosen to be compared.

import { get, latest, unawaited } from "./api.js";
import { debounced, h, say, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.runs;

export async function runsView(place, asked, signal, { go, name }) {
  name(w.heading);
  const chosen = new Set();
  const rows = h("tbody", {});
  const count = h("p", { class: "soft" });
  const compare = h("button", { class: "main", type: "button", disabled: true, onclick: () => go(`/?compare=${[...chosen].join(",")}`) }, w.compare);
  const search = h("input", { id: "search", type: "search", dir: "auto", oninput: debounced(200, () => again()) });
  const state = h("select", { id: "state", onchange: () => again() }, Object.entries(w.states).map(([value, told]) => h("option", { value }, told)));
  const choose = (run, on) => {
    on ? chosen.add(run.id) : chosen.delete(run.id);
    compare.disabled = chosen.size !== 2;
  };

  const list = latest(signal, async (own) => {
    const found = await get(`/browse/runs?search=${encodeURIComponent(search.value)}&state=${state.value}`, own);
    set(rows, found.runs.map((run) => row(run, chosen, choose)));
    if (!found.runs.length) set(rows, h("tr", {}, h("td", { colspan: w.columns.length, class: "soft" }, found.all ? w.none : w.empty)));
    count.textContent = w.count(found.runs.length, found.all);
    say(count.textContent);
  });

  const again = () => unawaited(list(), signal, (why) => (count.textContent = why));

  set(
    place,
    h(
      "main",
      { class: "wide-page" },
      h("h1", {}, w.heading),
      h("div", { class: "filters" }, h("label", { for: "search" }, w.search), search, h("label", { for: "state" }, w.state), state, compare),
      h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": w.heading }, h("table", { class: "list runs-list" }, h("thead", {}, h("tr", {}, w.columns.map((one, at) => h("th", { scope: "col" }, at ? one : h("span", { class: "unseen" }, one))))), rows)),
      count,
    ),
  );
  await list();
}

function row(run, chosen, choose) {
  const number = (value) => (value === null || value === undefined ? "" : words.number(value));
  return h(
    "tr",
    {},
    h("td", {}, h("input", { type: "checkbox", checked: chosen.has(run.id), "aria-label": w.choose(run.task.slice(0, 80)), disabled: run.status !== "finished", onchange: (event) => choose(run, event.target.checked) })),
    h("td", { class: "question" }, h("a", { href: `/?run=${run.id}`, dir: "auto" }, run.task.slice(0, 200))),
    h("td", {}, h("span", { class: `state ${run.status}`, title: run.reason || run.stop_reason }, w.states[run.status] ?? run.status)),
    h("td", { class: "when" }, new Date(run.created_at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })),
    h("td", { class: "to-right", "data-label": w.columns[4] }, number(run.sources)),
    h("td", { class: "to-right", "data-label": w.columns[5] }, number(run.claims)),
    h("td", { class: "to-right", "data-label": w.columns[6] }, run.seconds ? words.seconds(run.seconds) : ""),
    h("td", { class: "to-right", "data-label": w.columns[7] }, run.cost === null || run.cost === undefined ? "" : words.money(run.cost)),
  );
}
