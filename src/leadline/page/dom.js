// Makes elements. Text from outside only ever becomes text: nothing here parses it.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open", "hidden"]);

function fill(element, given, children) {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

export const h = (name, given, ...children) => fill(document.createElement(name), given, children);
export const svg = (name, given, ...children) =>
  fill(document.createElementNS(SVG, name), given, children);

// A link for addresses of the web; anything else stays text.
export function link(address, text, given = {}) {
  if (!/^https?:\/\//i.test(address)) return h("span", { dir: "auto", ...given }, text);
  return h("a", { href: address, rel: "noopener noreferrer nofollow", dir: "auto", ...given }, text);
}

export const set = (element, ...children) => {
  element.replaceChildren(...children.flat(3).filter(Boolean));
  return element;
};

const policy = window.trustedTypes?.createPolicy("leadline", { createHTML: (text) => text });

const SLICE = 40_000; // characters parsed at a time, so that a long report holds up nothing

export const pause = () => new Promise((done) => setTimeout(done));

// Only for what the service itself rendered and cleaned. It is parsed in a document of its own.
export async function rendered(html) {
  const apart = document.implementation.createHTMLDocument("");
  const trusted = (text) => (policy ? policy.createHTML(text) : text);
  apart.open();
  apart.write(trusted("<!doctype html><body>"));
  for (let at = 0; at < html.length; at += SLICE) {
    if (at) await pause();
    apart.write(trusted(html.slice(at, at + SLICE)));
  }
  apart.close();
  return [...apart.body.childNodes];
}

let saying = 0;
export function say(text) {
  const place = document.getElementById("say");
  clearTimeout(saying);
  saying = setTimeout(() => {
    place.textContent = text;
  }, 150);
}

export function debounced(wait, what) {
  let waiting = 0;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => what(...given), wait);
  };
}
