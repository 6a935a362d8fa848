// What the machine keeps, and whether it is well: plain tables.

import { Failed, get, latest, post, remove, unawaited } from "./api.js";
import { confirmed } from "./confirm.js";
import { debounced, h, say, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.tables;

export async function memoryView(place, asked, signal, { name }) {
  name(w.memory);
  const rows = h("div", {});
  const search = h("input", { id: "search", type: "search", dir: "auto", oninput: debounced(250, () => again()) });
  const list = latest(signal, async (own) => {
    const found = await get(`/browse/memory?search=${encodeURIComponent(search.value)}`, own);
    set(rows, table(w.memoryColumns, found.rows.map((one) => [...remembered(one), forgetting(one)])));
  });
  const wrong = (why) => set(rows, h("p", { class: "bad", role: "alert" }, why));
  const again = () => unawaited(list(), signal, wrong);
  const forgetting = (one) =>
    act(signal, w.forget, w.forgetLabel(one.task), w.forgetSure, async () => {
      await remove(`/browse/memory/${one.id}`);
      say(w.forgotten);
      await list();
    });
  const apart = h("div", {});
  async function refusals() {
    const refused = await get("/browse/quarantine", signal);
    set(apart, table(w.quarantineColumns, refused.rows.map((one) => [one.task, one.why, one.at.slice(0, 10), choices(one)])));
  }
  const choices = (one) => {
    const settled = (send, told) => async () => {
      await send(`/browse/quarantine/${one.id}`);
      say(told);
      await Promise.all([refusals(), list()]);
    };
    const release = settled((address) => post(`${address}/release`), w.released);
    return h("span", { class: "row" }, act(signal, w.release, w.releaseLabel(one.task), w.releaseSure, release),
      act(signal, w.drop, w.dropLabel(one.task), w.dropSure, settled(remove, w.forgotten)));
  };
  set(
    place,
    h("main", { class: "wide-page" }, h("h1", {}, w.memory), h("p", { class: "soft" }, w.memoryHint),
      h("div", { class: "filters" }, h("label", { for: "search" }, w.searchMemory), search), rows,
      h("h2", {}, w.quarantine), h("p", { class: "soft" }, w.quarantineHint), apart),
  );
  await shown(place, async () => {
    await list();
    await refusals();
  });
}

// A button that asks before it does what cannot be undone; what goes wrong is said beside it.
function act(signal, told, label, question, what) {
  const button = h("button", { type: "button", class: "plain", "aria-label": label, onclick: async () => {
    if (!(await confirmed(question, told, signal))) return;
    button.disabled = true;
    try {
      await what();
    } catch (error) {
      button.disabled = false;
      button.after(h("span", { class: "bad", role: "alert" }, error.message));
    }
  } }, told);
  return button;
}

function remembered(one) {
  const task = one.run_id ? h("a", { href: `/?run=${one.run_id}`, dir: "auto" }, one.task) : one.task;
  const findings = h("ul", {}, one.findings.slice(0, 3).map((text) => h("li", { dir: "auto" }, text)), one.count > 3 && h("li", { class: "soft" }, `+ ${one.count - 3}`));
  return [task, findings, one.type.replaceAll("_", " "), one.quality.toFixed(2), one.updated.slice(0, 10)];
}

export async function cacheView(place, asked, signal, { name }) {
  name(w.cache);
  const rows = h("div", {});
  set(place, h("main", { class: "wide-page" }, h("h1", {}, w.cache), h("p", { class: "soft" }, w.cacheHint), rows));
  await shown(place, async () => {
    const { searches, pages } = await get("/browse/cache", signal);
    const by = searches.providers.map(([provider, count]) => `${provider} ${words.number(count)}`);
    set(rows, table(w.cacheColumns, [
      [w.cachedSearches, words.number(searches.entries), w.size(searches.bytes), [...by, w.expired(searches.expired)].join(", ")],
      [w.cachedPages, words.number(pages.pages), w.size(pages.bytes), w.cited(pages.cited)],
    ]));
  });
}

export async function doctorView(place, asked, signal, { name }) {
  name(w.doctor);
  const found = await get("/browse/doctor", signal);
  const line = (one) => [one.name, h("span", { class: one.ok ? "well" : "unwell" }, one.ok ? w.well : w.unwell), one.detail];
  set(
    place,
    h("main", { class: "wide-page" }, h("h1", {}, w.doctor), h("p", { class: "soft" }, w.doctorHint),
      table(w.doctorColumns, found.checks.map(line)), h("h2", {}, w.providers), table(w.doctorColumns, found.providers.map(line))),
  );
}

function table(columns, rows) {
  if (!rows.length) return h("p", { class: "soft" }, w.nothing);
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "group", "aria-label": columns.filter(Boolean).join(", ") },
    h("table", { class: "list" }, h("thead", {}, h("tr", {}, columns.map((one) => (one ? h("th", { scope: "col" }, one) : h("td", {}))))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, at) => h("td", { dir: "auto", "data-label": columns[at] || null }, cell)))))),
  );
}

async function shown(place, what) {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof Failed) || error.status !== 403) throw error;
    set(place, h("main", { class: "narrow" }, h("p", {}, w.onlyLocal)));
  }
}
