// Which view the address asks for, the bar above it, the theme.

import { away, Failed, get } from "./api.js";
import { askView } from "./ask.js";
import { h, set, svg } from "./dom.js";
import { words } from "./strings.js";

const THEME = "leadline-theme";
const THEMES = ["auto", "light", "dark"];
let leaving = new AbortController();
let shown = "";
let turns = 0;

// Views other than the first are loaded when they are needed.
const VIEWS = {
  run: async () => (await import("./run.js")).runView,
  runs: async () => (await import("./runs.js")).runsView,
  compare: async () => (await import("./compare.js")).compareView,
  memory: async () => (await import("./tables.js")).memoryView,
  cache: async () => (await import("./tables.js")).cacheView,
  doctor: async () => (await import("./tables.js")).doctorView,
  ask: async () => askView,
};

const chosen = (asked) => {
  if (asked.has("run")) return "run";
  if (asked.has("compare")) return "compare";
  const named = asked.get("view") ?? "ask";
  return Object.hasOwn(VIEWS, named) && named !== "run" ? named : "ask";
};

export function go(address) {
  history.pushState(null, "", address);
  show();
}

export function name(title) {
  document.title = words.title(title);
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  shown = location.search;
  const asked = new URLSearchParams(location.search);
  const which = chosen(asked);
  bar(which);
  const place = document.getElementById("view");
  place.className = `view-${which}`;
  window.scrollTo(0, 0);
  try {
    const view = await loaded(which, (turns += 1) > 1);
    if (signal.aborted) return; // another one was chosen while this one was loading
    await view(place, asked, signal, { go, name });
    if (which === "ask" || signal.aborted || place.contains(document.activeElement)) return;
    place.focus({ preventScroll: true });
  } catch (error) {
    if (signal.aborted || error.name === "AbortError") return;
    if (!(error instanceof Failed)) throw error;
    name(words.error.heading);
    set(place, failure(error));
  }
}

// A browser does not ask twice for a module that did not come: the whole page is loaded anew then,
// once the service is there, and never by a page that has only just been loaded.
async function loaded(which, may) {
  try {
    return await away(VIEWS[which]);
  } catch (error) {
    if (!may) throw error;
    await get("/page-options");
    location.reload();
    return new Promise(() => {});
  }
}

export function failure(error) {
  return h(
    "main",
    { class: "narrow" },
    h("h1", {}, words.error.heading),
    h("p", { role: "alert" }, error.message),
    h("p", {}, h("a", { href: "/" }, words.error.back)),
  );
}

function bar(which) {
  const link = (view, address) =>
    h("a", { href: address, "aria-current": view === which ? "page" : null }, words.nav[view]);
  set(
    document.getElementById("bar"),
    h("a", { class: "brand", href: "/" }, logo(), words.app),
    h(
      "nav",
      { "aria-label": words.app },
      link("ask", "/"),
      ...["runs", "memory", "cache", "doctor"].map((view) => link(view, `/?view=${view}`)),
    ),
    themeButton(),
  );
}

function logo() {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", width: 22, height: 22, "aria-hidden": "true" },
    svg("path", { d: "M16 2v15M11.5 8h9M12.5 12.5h7", class: "stroke" }),
    svg("path", { d: "M13 17h6l2 10a2 2 0 0 1-2 2.5h-6a2 2 0 0 1-2-2.5z", class: "solid" }),
  );
}

function themeButton() {
  const now = localStorage.getItem(THEME) ?? "auto";
  return h(
    "button",
    {
      class: "theme",
      type: "button",
      title: words.theme[now],
      "aria-label": words.theme[now],
      onclick: (event) => {
        const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
        localStorage.setItem(THEME, next);
        themed();
        const fresh = themeButton();
        event.currentTarget.replaceWith(fresh);
        fresh.focus();
      },
    },
    { auto: "◐", light: "○", dark: "●" }[now],
  );
}

function themed() {
  document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? "auto";
}

// Links within the page change the view without asking the service for the page again.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.pathname !== "/" || link.hasAttribute("download")) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", () => {
  if (location.search !== shown) show();
});

themed();
show();
