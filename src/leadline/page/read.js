// The report: its citations, copies and exports, the pages as they were read, further questions.

import { blob, get, key, post, text, unawaited } from "./api.js";
import { h, link, pause, rendered, say, set } from "./dom.js";
import { words } from "./strings.js";

const w = words.read;
const SLICE = 25; // blocks put into the page at a time

export async function readView(place, view, signal, page) {
  const [options] = await Promise.all([get("/page-options", signal), styled()]);
  const paper = h("main", { class: "paper" });
  paper.append(...(await rendered(view.report.html)));
  if (signal.aborted) return;
  // Here the whole report is the main part of the page, and there may be only one.
  const inner = paper.querySelector("main");
  inner?.replaceWith(h("div", { id: inner.id, class: "main-part" }, [...inner.childNodes]));
  boxes(paper);
  page.name(view.report.title);
  paper.querySelector("article")?.after(view.report.found ? follow(view, signal, page) : again(view));
  paper.querySelector("header")?.append(actions(view, options));
  if (paper.querySelector(".cite")) paper.querySelector("article").before(h("p", { class: "hint" }, w.hint));
  listen(paper, signal);
  await pour(paper, place, signal);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

// What is seen first is shown first; the rest of a long report follows in slices.
async function pour(paper, place, signal) {
  const rest = [];
  for (const list of paper.querySelectorAll("article, ol.evidence")) {
    const more = [...list.childNodes].slice(SLICE);
    for (const node of more) node.remove();
    rest.push([list, more]);
  }
  set(place, paper);
  for (const [list, more] of rest) {
    while (more.length) {
      await pause();
      if (signal.aborted) return;
      list.append(...more.splice(0, SLICE));
    }
  }
}

// A long report has a box for each of its thousand citations: each is put in when it is wanted.
function boxes(paper) {
  const held = new WeakMap();
  for (const box of paper.querySelectorAll(".cite > .pop")) {
    held.set(box.parentElement, box);
    box.remove();
  }
  const wanted = (event) => {
    const mark = event.target.closest?.(".cite");
    if (mark && held.has(mark) && !mark.querySelector(".pop")) mark.append(held.get(mark));
  };
  for (const name of ["pointerover", "pointerdown", "focusin"]) paper.addEventListener(name, wanted);
}

// A report is shown once it can be shown as it should look; without its style it is shown all the same.
let style = null;
const styled = () =>
  (style ??= new Promise((done) => {
    const lost = () => done((style = null));
    document.head.append(h("link", { rel: "stylesheet", href: "/page/report.css", onload: done, onerror: lost }));
  }));

function actions(view, options) {
  const { id } = view.run;
  const file = view.report.title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)?.join("-").slice(0, 60) || id;
  const copy = h("button", { type: "button", class: "plain", onclick: () => unawaited(copyReport(id), null, beside(copy)) }, w.copy);
  const formats = options.formats.map((one) => exportLink(`/runs/${id}/report.${one.suffix}`, `${file}.${one.suffix}`, w.formats[one.name] ?? one.name));
  formats.push(exportLink(`/runs/${id}/file.leadline`, `${file}.leadline`, w.formats.proof));
  const menu = h(
    "details",
    { class: "menu" },
    h("summary", {}, w.export),
    h("ul", {}, formats.map((one) => h("li", {}, one))),
  );
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  });
  return h(
    "div",
    { class: "actions", role: "group", "aria-label": w.actions },
    menu,
    copy,
    h("a", { class: "plain", href: `/?run=${id}&show=watch` }, w.watch),
    view.report.follows && h("a", { class: "plain", href: `/?run=${view.report.follows}` }, w.follows),
  );
}

// A link cannot carry a key: where one is needed, the file is fetched and handed over.
function exportLink(address, file, told) {
  const handed = async () => {
    const held = URL.createObjectURL(await blob(address));
    h("a", { href: held, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(held), 10_000);
  };
  const onclick = (event) => {
    if (!key()) return;
    event.preventDefault();
    unawaited(handed(), null, beside(event.currentTarget));
  };
  return h("a", { href: address, download: file, onclick }, told);
}

const beside = (element) => (why) => element.after(h("span", { class: "bad", role: "alert" }, why));

async function copyReport(id) {
  const copied = await toClipboard(await text(`/runs/${id}/report.md`));
  say(copied ? w.copied : w.notCopied);
}

async function toClipboard(what) {
  try {
    await navigator.clipboard.writeText(what);
    return true;
  } catch {
    const area = h("textarea", { class: "unseen", value: what });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function listen(paper, signal) {
  paper.addEventListener("click", (event) => {
    const kept = event.target.closest("a.kept");
    if (!kept) return;
    event.preventDefault();
    showKept(kept.getAttribute("href"), signal);
  });
  paper.addEventListener("copy", (event) => copySelection(event, paper));
  // What hovering opened, Escape closes; it opens again at the next citation.
  document.addEventListener("keydown", (event) => event.key === "Escape" && paper.classList.add("hush"), { signal });
  paper.addEventListener("pointerover", (event) => event.target.closest(".cite") || paper.classList.remove("hush"));
  paper.addEventListener("focusin", () => paper.classList.remove("hush"));
}

// A part of the report that is copied brings its numbers along, and what they stand for.
function copySelection(event, paper) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const part = selection.getRangeAt(0).cloneContents();
  const cited = new Set();
  for (const mark of part.querySelectorAll(".cite")) {
    const number = mark.querySelector("button")?.textContent ?? "";
    cited.add(number.replace(/\D/g, ""));
    mark.replaceWith(` ${number}`);
  }
  if (!cited.size) return;
  const sources = [...cited].filter(Boolean).map((number) => {
    const item = paper.querySelector(`#source-${number}`);
    const told = item?.querySelector("strong")?.textContent ?? "";
    return `[${number}] ${told} ${item?.querySelector(".where")?.textContent ?? ""}`.trim();
  });
  const holder = h("div", {}, part);
  event.clipboardData.setData("text/plain", `${holder.textContent.trim().replace(/[ \u00a0]+/g, " ")}\n\n${w.copySources}\n${sources.join("\n")}\n`);
  event.preventDefault();
}

// ── the page as it was read ──

async function showKept(address, signal) {
  const body = h("div", { class: "kept-text" }, words.loading);
  const sheet = h(
    "dialog",
    { class: "sheet", "aria-labelledby": "kept-title", onclose: () => sheet.remove(), onclick: (event) => event.target === sheet && sheet.close() },
    h("header", {}, h("h2", { id: "kept-title", dir: "auto" }, words.loading), h("button", { type: "button", class: "plain", onclick: () => sheet.close() }, words.close)),
    body,
  );
  document.body.append(sheet);
  sheet.showModal();
  signal.addEventListener("abort", () => sheet.close(), { once: true });
  try {
    const page = await get(address, signal);
    sheet.querySelector("h2").textContent = page.title || page.url;
    const [start, end] = (new URL(address, location.href).searchParams.get("at") ?? "0-0").split("-").map(Number);
    // Offsets count characters as Python does, not the units of a JavaScript string.
    const letters = Array.from(page.text);
    const mark = h("mark", { tabindex: -1 }, letters.slice(start, end).join(""));
    set(
      body,
      h("p", { class: "soft" }, w.kept(page.read), page.url ? " · " : null, page.url ? link(page.url, w.original) : null),
      h("div", { class: "text", dir: "auto", tabindex: 0 }, letters.slice(0, start).join(""), mark, letters.slice(end).join("")),
    );
    mark.scrollIntoView({ block: "center" });
  } catch (error) {
    body.textContent = error.message;
  }
}

// ── further questions ──

// Where nothing was found there is nothing to ask further about.
function again(view) {
  const address = `/?q=${encodeURIComponent(view.run.task)}`;
  return h("p", { class: "further" }, h("a", { class: "main", href: address }, w.again));
}

function follow(view, signal, page) {
  const input = h("textarea", { id: "further", rows: 2, maxlength: 20000, dir: "auto", placeholder: w.followHint });
  const update = h("input", { type: "checkbox" });
  const wrong = h("p", { class: "bad", role: "alert", hidden: true });
  const submit = h("button", { class: "main", type: "submit" }, w.send);
  const form = h(
    "form",
    {
      class: "further",
      onsubmit: async (event) => {
        event.preventDefault();
        if (submit.disabled) return; // it is being asked: Enter was pressed twice
        if (!input.value.trim()) return input.focus();
        submit.disabled = true;
        try {
          const job = await post(`/runs/${view.run.id}/ask`, { question: input.value.trim(), update: update.checked });
          if (!signal.aborted) page.go(`/?run=${job.run_id}`);
        } catch (error) {
          wrong.textContent = error.message;
          wrong.hidden = false;
        } finally {
          submit.disabled = false;
        }
      },
    },
    h("h2", {}, w.follow),
    h("label", { class: "unseen", for: "further" }, w.followLabel),
    input,
    h("div", { class: "row" }, h("label", { class: "check" }, update, w.update), submit),
    wrong,
  );
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return form;
}
