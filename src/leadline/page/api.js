// Talks to the service: requests with the key where there is one, and the events of a run.

import { askKey } from "./key.js";
import { words } from "./strings.js";

const KEY = "leadline-key";
export const key = () => sessionStorage.getItem(KEY) ?? "";

export class Failed extends Error {
  constructor(status, said) {
    super(said.message);
    this.status = status;
    this.type = said.type;
    this.runId = said.run_id ?? "";
  }
}

// Reading the answer is part of the request: a service that goes away in its middle is away too.
async function asked(path, given = {}, read = (answer) => answer) {
  const headers = new Headers(given.headers);
  if (key()) headers.set("Authorization", `Bearer ${key()}`);
  const answer = await away(() => fetch(path, { ...given, headers, cache: "no-store" }));
  if (answer.status === 401) {
    sessionStorage.setItem(KEY, await askKey(Boolean(key())));
    return asked(path, given, read);
  }
  if (!answer.ok) throw new Failed(answer.status, await said(answer));
  return away(() => read(answer));
}

export async function away(what) {
  try {
    return await what();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed(0, { type: "away", message: words.error.away });
  }
}

// For what nobody waits for: a view that was left says nothing more, a failure is told.
export async function unawaited(work, signal, tell) {
  try {
    await work;
  } catch (error) {
    if (signal?.aborted || error.name === "AbortError") return;
    if (!(error instanceof Failed)) throw error;
    tell(error.message);
  }
}

// For what is asked again while one types: each asking gives up the one before, whose answer may
// come later than its own.
export function latest(signal, what) {
  let going = new AbortController();
  return async () => {
    going.abort();
    const own = (going = new AbortController()).signal;
    try {
      await what(AbortSignal.any([signal, own]));
    } catch (error) {
      if (signal.aborted || !own.aborted) throw error;
    }
  };
}

const json = (answer) => answer.json();

async function said(answer) {
  try {
    const body = await answer.json();
    const wait = Number(answer.headers.get("retry-after"));
    if (wait) body.message += ` ${words.error.busy(wait)}`;
    return body;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { type: "error", message: `${answer.status} ${answer.statusText}` };
  }
}

export const get = (path, signal) => asked(path, { signal }, json);
export const text = (path) => asked(path, {}, (answer) => answer.text());
export const blob = (path) => asked(path, {}, (answer) => answer.blob());
export const post = (path, body, signal) => {
  const headers = { "content-type": "application/json" };
  return asked(path, { method: "POST", headers, body: JSON.stringify(body ?? {}), signal }, json);
};
export const send = (path, file) => asked(path, { method: "POST", body: file }, json);
export const remove = (path) => asked(path, { method: "DELETE" }, json);

const WAITS = [500, 1000, 2000, 4000];

// Follows a run to its end through lost connections; `onLost(true)` while there is none.
// EventSource cannot send a key, so the stream is read here.
export async function follow(runId, onEvent, onLost, signal) {
  let last = "";
  let tries = 0;
  while (!signal.aborted) {
    try {
      const headers = last ? { "Last-Event-ID": last } : {};
      const answer = await asked(`/runs/${runId}/events`, { headers, signal });
      onLost(false);
      if (answer.status === 204) return;
      for await (const event of eventsOf(answer.body, signal)) {
        tries = 0;
        if (event.id) last = event.id;
        onEvent(event.name, event.data);
        if (event.name === "done" || event.name === "stopped") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Failed && error.status >= 400 && error.status < 500) throw error;
    }
    onLost(true);
    const wait = WAITS[Math.min(tries, WAITS.length - 1)];
    tries += 1;
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function* eventsOf(body, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  signal.addEventListener("abort", () => reader.cancel().catch(() => {}), { once: true });
  let held = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      held += value;
      const frames = held.split("\n\n");
      held = frames.pop();
      for (const frame of frames) {
        const event = parsed(frame);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // who has seen the end holds no connection
  }
}

function parsed(frame) {
  const found = { name: "message", id: "", data: "" };
  for (const line of frame.split("\n")) {
    if (line.startsWith("event: ")) found.name = line.slice(7);
    else if (line.startsWith("id: ")) found.id = line.slice(4);
    else if (line.startsWith("data: ")) found.data += line.slice(6);
  }
  return found.data ? { ...found, data: JSON.parse(found.data) } : null;
}
