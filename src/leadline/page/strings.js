// Every word that the page says. Another language is another file like this one.

const number = new Intl.NumberFormat("en");
const plural = (n, one, many = `${one}s`) => `${number.format(n)} ${n === 1 ? one : many}`;
const seconds = (s) => {
  if (s < 1) return "under a second";
  if (s < 100) return `${Math.round(s)} s`;
  return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
};
const short = (s) => (s < 100 ? `${s.toFixed(s < 10 ? 1 : 0)} s` : seconds(s));
const money = (d) => {
  if (!d) return "no money";
  return d < 0.01 ? `$${d.toFixed(4)}` : `$${d.toFixed(2)}`;
};
const range = (spread, tell) => {
  const low = tell(spread.low);
  const high = tell(spread.high);
  return low === high ? tell(spread.middle) : `${low} to ${high}`;
};

export const words = {
  number: (n) => number.format(n),
  plural,
  seconds,
  short,
  money,
  app: "Leadline",
  title: (name) => (name ? `${name} · Leadline` : "Leadline"),
  none: "none",
  close: "Close",
  remove: (name) => `Remove ${name}`,
  loading: "One moment…",

  nav: { ask: "Ask", runs: "Runs", memory: "Memory", cache: "Cache", doctor: "Doctor" },
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },

  ask: {
    heading: "What would you like to know?",
    label: "Your question",
    hint: "Ask anything. Every sentence of the answer is checked against a passage.",
    submit: "Research",
    depth: "Depth",
    tiers: { "": "as it needs", simple: "simple", standard: "standard", deep: "deep" },
    web: "Web",
    docs: "Documents",
    docsNamed: (names) => `Documents: ${names.join(", ")}`,
    noDocs: "Add a file to search documents",
    memory: "Memory",
    model: "Model",
    noModel: "none: quotes only",
    budget: "At most $",
    budgetLabel: "Budget in dollars; 0 sets no limit",
    review: "Show me the plan first",
    sources: "Where to look",
    add: "Add files",
    drop: "Drop documents or images here",
    adding: (name) => `${name}: being sent`,
    tooLarge: (mb) => `larger than ${mb} MB, so it was not sent.`,
    nothing: "Choose at least one of web and documents.",
    estimate(found) {
      const told = [
        range(found.seconds, seconds),
        `${range(found.searches, (n) => String(Math.round(n)))} searches`,
      ];
      if (found.tokens.high) {
        told.push(`${range(found.tokens, (n) => number.format(Math.round(n)))} tokens`);
        told.push(found.cost_known ? range(found.cost, money) : "cost not known");
      } else told.push("no money");
      const from = found.runs ? `from ${plural(found.runs, "run")} like it` : "from its limits";
      return `Expect ${told.join(", ")}; ${from}. Nothing is spent yet.`;
    },
    recent: "Lately",
    all: "All runs",
  },

  watch: {
    phase: {
      start: "Planning",
      waiting: "Waiting for its turn",
      search: "Searching",
      reflect: "Thinking about what is missing",
      read: "Reading",
      write: "Writing",
      verify: "Checking every sentence",
      finish: "Finishing",
      review: "The plan waits for you",
      done: "Finished",
      empty: "Finished without an answer",
      cancelled: "Stopped",
      failed: "Failed",
      interrupted: "Interrupted",
    },
    stop: "Stop",
    stopTitle: "Keeps what was found; you can go on later.",
    stopping: "Stopping…",
    finish: "Write the report now",
    finishTitle: "Searches no more and writes the report from what was found.",
    finishing: "Ending the search…",
    goOn: "Go on",
    again: "Ask again",
    read: "Read the report",
    kept: "What was found is kept. Going on does not do anything twice.",
    keptFound: "What was found is kept. Go on with the search, or have the report written from it now.",
    lost: "The connection was lost; trying again.",
    failed: (why) => `It stopped: ${why}`,
    plan: "Plan",
    planFacts: (tier, type, language) => [tier, type, language].filter(Boolean).join(" · "),
    planning: "The plan is being made.",
    searches: "Searches",
    noSearches: "No search has come back yet.",
    results: (n) => plural(n, "result"),
    cached: "from the cache",
    part: (n) => `Part ${n}`,
    judging: "not judged yet",
    verdicts: {
      first: "accepted, one of the first",
      novel: "accepted, new",
      epsilon: "let through by chance",
      discarded: "left out, it repeats",
      empty: "found nothing",
      failed: "failed",
    },
    repeated: (share) => `${Math.round(share * 100)} % known`,
    bar: (score, threshold) => `Novelty ${score.toFixed(1)} of 10; the threshold is ${threshold}`,
    curve: "How new each search was",
    curveEmpty: "The curve begins with the first search. It falls as results repeat.",
    curveTitle: (n, accepted) => `${plural(n, "search", "searches")} judged, ${accepted} accepted`,
    parts: "Parts of the question",
    open: "open",
    supported: "supported",
    noParts: "They come with the plan.",
    knowledge: "What is known so far",
    noKnowledge: "Nothing yet.",
    pages: "Pages read",
    noPages: "No page has been read yet.",
    characters: (n) => `${number.format(n)} characters`,
    trouble: "Trouble, and what was done",
    limits: {
      time: "Time",
      searches: "Searches",
      pages: "Pages",
      tokens: "Tokens",
      money: "Money",
    },
    of: (used, most) => (most ? `${used} of ${most}` : used),
    said: {
      plan: (n) => `The plan has ${plural(n, "search", "searches")}.`,
      search: (query, verdict) => `${query}: ${verdict}.`,
      page: (title) => `Read: ${title}.`,
      done: "The report is ready.",
    },
  },

  review: {
    heading: "The plan, before anything is spent",
    hint: "Change, remove or add searches. Nothing has been searched yet.",
    query: (n) => `Search ${n}`,
    add: "Add a search",
    take: "Begin",
    leave: "Not like this",
  },

  read: {
    follow: "Ask further",
    followHint: "A question on this report. What it read answers first.",
    followLabel: "Follow-up question",
    update: "Write the answer into the report",
    send: "Ask",
    copy: "Copy with citations",
    copied: "Copied.",
    notCopied: "The browser did not let the page copy.",
    export: "Export",
    formats: {
      markdown: "Markdown",
      html: "Web page",
      pdf: "PDF",
      docx: "Word",
      json: "JSON",
      bibtex: "BibTeX",
      ris: "RIS",
      csl: "CSL-JSON",
      proof: "Everything, with its proof",
    },
    hint: "Point at a number, or tap it, to see the passage behind the sentence.",
    again: "Ask another way",
    watch: "How it was found",
    back: "The report",
    follows: "This follows an earlier report",
    kept: (date) => (date ? `As it was read on ${date.slice(0, 10)}` : "As it was read"),
    original: "On the site",
    copySources: "Sources",
    actions: "Report",
  },

  runs: {
    heading: "Runs",
    search: "Search runs",
    state: "State",
    states: {
      "": "all",
      running: "running",
      queued: "queued",
      finished: "finished",
      failed: "failed",
      cancelled: "stopped",
      interrupted: "interrupted",
    },
    none: "No run is like that.",
    empty: "Nothing has been asked yet.",
    compare: "Compare the two",
    choose: (task) => `Choose for a comparison: ${task}`,
    columns: ["Chosen", "Question", "State", "Asked", "Sources", "Claims", "Time", "Cost"],
    count: (shown, all) => (shown === all ? plural(all, "run") : `${shown} of ${plural(all, "run")}`),
  },

  compare: {
    heading: "Two runs side by side",
    first: "Only in the first",
    second: "Only in the second",
    both: "In both",
    sources: "Sources",
    claims: "Claims",
    facts: ["Stopped because", "Searches", "Sources", "Claims checked", "Cost"],
    nothing: "nothing",
    unfinished: "One of them has no report yet, so there is nothing to compare.",
  },

  tables: {
    memory: "Memory",
    memoryHint: "What earlier runs found and checked. New runs begin from it, and check it again.",
    memoryColumns: ["Question", "Findings", "Kind", "Quality", "Last confirmed", ""],
    searchMemory: "What a question would be reminded of",
    quarantine: "Quarantine",
    quarantineHint: "Refused because it reads like instructions to the machine.",
    quarantineColumns: ["Question", "Why", "When", ""],
    forget: "Forget",
    forgetLabel: (task) => `Forget what was found on: ${task}`,
    forgetSure: "Forget this for good? No later run begins from it. Reports and their pages stay.",
    release: "Release",
    releaseLabel: (task) => `Release into memory: ${task}`,
    releaseSure: "Let this into memory? It reads like instructions to the machine; later runs will see it.",
    drop: "Delete",
    dropLabel: (task) => `Delete from quarantine: ${task}`,
    dropSure: "Delete this for good?",
    forgotten: "Forgotten.",
    released: "Released into memory.",
    cancel: "Cancel",
    cache: "Cache",
    cacheHint: "Answers and pages that are not asked for twice.",
    cacheColumns: ["What", "How many", "Size", "More"],
    cachedSearches: "Searches",
    cachedPages: "Pages",
    expired: (n) => `${number.format(n)} too old to be used`,
    cited: (n) => `${number.format(n)} cited by reports`,
    doctor: "Doctor",
    doctorHint: "Is everything here that a question needs?",
    doctorColumns: ["What", "State", "Seen"],
    providers: "Search providers",
    well: "well",
    unwell: "not ready",
    nothing: "There is nothing here.",
    onlyLocal: "Only the local user of this machine sees this.",
    size: (bytes) => `${(bytes / 1e6).toFixed(1)} MB`,
  },

  key: {
    heading: "A key is needed",
    hint: "This service answers only those who have one. It is kept until this tab is closed.",
    label: "Key",
    send: "Open",
    wrong: "That key opens nothing here.",
  },

  error: {
    heading: "That did not work",
    away: "The service does not answer. Is it still running?",
    back: "Back to the start",
    busy: (s) => `Try again in ${s} s.`,
  },
};
