// One run: watched while it goes on, read when it has its report.

import { get } from "./api.js";
import { set } from "./dom.js";
import { readView } from "./read.js";
import { Watch } from "./watch.js";

export async function runView(place, asked, signal, page) {
  const id = asked.get("run");
  const view = await get(`/runs/${encodeURIComponent(id)}/view`, signal);
  page.name(view.run.task.slice(0, 80));
  if (view.report && asked.get("show") !== "watch") return readView(place, view, signal, page);
  const watch = new Watch(view, signal, page);
  set(place, watch.element);
  watch.ended = async () => {
    const now = await get(`/runs/${encodeURIComponent(id)}/view`, signal);
    if (!signal.aborted) await readView(place, now, signal, page);
  };
  watch.follow();
}
