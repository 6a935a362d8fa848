// The saturation curve: how new each search was, against the threshold.

import { svg } from "./dom.js";
import { words } from "./strings.js";

const WIDTH = 520;
const HEIGHT = 170;
const EDGE = { left: 26, right: 10, top: 12, bottom: 22 };
const TOP = 10;

const y = (score) =>
  HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * Math.min(Math.max(score, 0), TOP)) / TOP;

export function curve(judged, room) {
  const slots = Math.max(judged.length, Math.min(room || 0, 20), 4);
  const x = (at) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (at + 0.5)) / slots;
  const points = judged.map((one, at) => [x(at), y(one.score)]);
  const accepted = judged.filter((one) => one.accepted).length;
  const threshold = judged.at(-1)?.threshold;
  return svg(
    "svg",
    { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words.watch.curveTitle(judged.length, accepted) },
    [0, 5, 10].map((at) => [
      svg("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(at), y2: y(at) }),
      svg("text", { class: "tick", x: EDGE.left - 7, y: y(at) + 4, "text-anchor": "end" }, String(at)),
    ]),
    threshold !== undefined &&
      svg("line", { class: "threshold", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(threshold), y2: y(threshold) }),
    points.length > 1 && svg("polyline", { class: "line", points: points.map((one) => one.map((v) => v.toFixed(1)).join(",")).join(" ") }),
    points.map(([cx, cy], at) =>
      svg(
        "circle",
        { class: `${judged[at].accepted ? "in" : "out"}${at === points.length - 1 ? " new" : ""}`, cx, cy, r: 5 },
        svg("title", {}, `${at + 1}: ${judged[at].score.toFixed(1)}, ${judged[at].query.slice(0, 120)}`),
      ),
    ),
  );
}
