// Two finished runs side by side: what one found that the other did not.

import { get } from "./api.js";
import { h, link, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.compare;
const SAME = 0.6; // share of words that two claims have in common

export async function compareView(place, asked, signal, { name }) {
  name(w.heading);
  const ids = (asked.get("compare") ?? "").split(",").slice(0, 2);
  const found = await Promise.all(ids.map((id) => get(`/runs/${encodeURIComponent(id)}`, signal)));
  const responses = found.map((one) => one.response);
  if (responses.length < 2 || responses.some((one) => !one)) {
    set(place, h("main", { class: "narrow" }, h("h1", {}, w.heading), h("p", {}, w.unfinished)));
    return;
  }
  const [one, other] = responses;
  const sources = split(one.sources, other.sources, (a, b) => a.location === b.location);
  const bags = new Map([...one.claims, ...other.claims].map((claim) => [claim, bag(claim.text)]));
  const claims = split(one.claims, other.claims, (a, b) => alike(bags.get(a), bags.get(b)));
  set(
    place,
    h(
      "main",
      { class: "wide-page compare" },
      h("h1", {}, w.heading),
      h("div", { class: "sides" }, responses.map((response) => side(response))),
      h("h2", {}, w.claims),
      three(claims, (claim) => h("span", { dir: "auto" }, claim.text)),
      h("h2", {}, w.sources),
      three(sources, (source) => link(source.location, source.title || source.location)),
    ),
  );
}

function side(response) {
  const facts = [response.stop_reason.replaceAll("_", " "), response.usage.searches, response.sources.length, response.claims.length, words.money(response.usage.cost)];
  return h(
    "section",
    {},
    h("h2", {}, h("a", { href: `/?run=${response.run_id}`, dir: "auto" }, response.task.slice(0, 200))),
    h("dl", { class: "facts" }, w.facts.map((label, at) => [h("dt", {}, label), h("dd", {}, String(facts[at]))])),
  );
}

function three([first, both, second], tell) {
  const list = (items, title, kind) =>
    h("section", { class: kind }, h("h3", {}, title, h("span", { class: "soft" }, ` ${items.length}`)), items.length ? h("ul", {}, items.map((item) => h("li", {}, tell(item)))) : h("p", { class: "soft" }, w.nothing));
  return h("div", { class: "three" }, list(first, w.first, "only"), list(both, w.both, "both"), list(second, w.second, "only"));
}

function split(ones, others, same) {
  const both = ones.filter((a) => others.some((b) => same(a, b)));
  const first = ones.filter((a) => !both.includes(a));
  const second = others.filter((b) => !ones.some((a) => same(a, b)));
  return [first, both, second];
}

const segments = new Intl.Segmenter(undefined, { granularity: "word" });
const bag = (text) => new Set([...segments.segment(text.toLowerCase())].filter((one) => one.isWordLike).map((one) => one.segment));

function alike(a, b) {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, a.size + b.size - shared) >= SAME;
}
