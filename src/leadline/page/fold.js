// What is known of a run, folded from its events one by one. No element and no request here.

export function begin() {
  return {
    phase: "start",
    plan: null,
    searches: [],
    judged: [],
    pages: [],
    trouble: [],
    gaps: new Map(),
    knowledge: new Map(),
    tokens: 0,
    cost: 0,
    calls: 0,
    elapsed: 0,
    at: 0,
    ended: null,
    news: [],
  };
}

// What a run does after a step. Pages are read and knowledge is merged beside the searches.
const NEXT = {
  plan: "search",
  review: "search",
  search: "search",
  gate: "reflect",
  reflect: "search",
  compact: "write",
  write: "verify",
  verify: "finish",
  remember: "finish",
};

export function fold(state, name, data) {
  if (name === "step") step(state, data);
  else if (name === "done") Object.assign(state, { phase: "done", ended: { status: "finished" } });
  else if (name === "stopped") Object.assign(state, { phase: data.status, ended: data });
  return state;
}

function step(state, row) {
  state.phase = NEXT[row.step] ?? state.phase;
  state.elapsed = Math.max(state.elapsed, row.elapsed);
  state.at = Date.parse(row.finished_at);
  if (row.model) {
    state.calls += row.model.calls;
    state.tokens += row.model.tokens;
    state.cost += row.model.cost;
  }
  STEPS[row.step]?.(state, row);
}

function planned(state, row) {
  if (row.child || !row.queries) return;
  state.plan = {
    queries: row.queries,
    tier: row.tier,
    type: row.task_type,
    language: row.language,
    subtasks: row.subtasks ?? [],
    parts: row.knowledge_gaps ?? [],
  };
  state.news.push({ kind: "plan", count: row.queries.length });
}

function searched(state, row) {
  state.searches.push({
    child: row.child,
    query: row.query ?? "",
    provider: row.provider ?? "",
    cached: Boolean(row.cached),
    hits: row.hits ?? [],
    count: row.results,
    error: row.error,
    score: null,
    changed: true,
  });
  for (const note of row.notes ?? []) state.trouble.push({ what: row.query, why: note });
  if (row.error) state.trouble.push({ what: row.query ?? row.step, why: row.error });
}

function judged(state, row) {
  for (const verdict of row.verdicts ?? []) {
    const search = state.searches.find(
      (one) => one.score === null && one.child === row.child && one.query === verdict.query,
    );
    if (!search) continue;
    Object.assign(search, verdict, { count: verdict.hits, hits: search.hits, changed: true });
    state.judged.push(search);
    state.news.push({ kind: "search", query: search.query, reason: search.reason });
  }
}

function reflected(state, row) {
  state.gaps.set(row.child, row.gaps ?? []);
  if (row.sufficient) state.phase = "read";
}

function read(state, row) {
  if (row.error) {
    state.trouble.push({ what: row.url ?? "", why: row.error });
    return;
  }
  for (const note of row.notes ?? []) state.trouble.push({ what: row.title || row.url, why: note });
  const page = { title: row.title || row.url || "", url: row.url ?? "", characters: row.characters };
  state.pages.push(page);
  state.news.push({ kind: "page", title: page.title });
}

const STEPS = {
  plan: planned,
  review: planned,
  search: searched,
  gate: judged,
  reflect: reflected,
  read,
  compress: (state, row) => row.knowledge && state.knowledge.set(row.child, row.knowledge),
};

// The parts of the question, each with whether something accepted supports it.
export function parts(state) {
  if (!state.plan) return [];
  const open = [...state.gaps.values()].flat();
  const asked = state.plan.parts.length ? state.plan.parts : state.plan.subtasks;
  const known = state.gaps.size > 0;
  const settled = asked.map((part) => ({ part, open: !known || open.includes(part) }));
  const more = open.filter((part) => !asked.includes(part)).map((part) => ({ part, open: true }));
  return [...settled, ...more];
}
