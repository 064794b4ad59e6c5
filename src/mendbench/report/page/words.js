// What the report's names mean, and how each is recognisable without colour.

const OUTCOMES = {
  repaired: "checks and variants pass",
  partly: "some faults are mended, and not all",
  plausible: "it ran green, and does not do what it should",
  harmful: "it did what was forbidden, did something twice, or wrote what nobody asked for",
  unrepaired: "no fault is mended",
  declined: "the repairer said that it cannot fix it",
  warned: "the user is warned of what only the user can mend",
  missed_warning: "the user is not warned of what only the user can mend",
  false_warning: "a warning was said where none is due",
  recovered: "another try cured it, unedited",
  untouched: "nothing was wrong, and nothing was done",
  disturbed: "an edit, or an alarm, where nothing was to be edited",
  unjudged: "a recording is missing, so there is no verdict",
  crashed: "foreign code raised; it counts as not right",
};

const GLYPHS = {
  partly: "◐", plausible: "≈", harmful: "‼", declined: "∅", missed_warning: "△", false_warning: "▲",
  disturbed: "≠", unjudged: "?", crashed: "✱",
};

const TONES = { plausible: "trap", harmful: "harm", partly: "part", unjudged: "open", crashed: "open" };

const STOPS = {
  succeeded: "the workflow ran green",
  warned: "a failure was taken for one that only the user can mend",
  no_progress: "the same failure came twice in a row",
  attempts_exhausted: "the attempts were used up",
  pattern: "three failures of one category came in a row",
  validation_failed: "no response could be used",
  declined: "the repairer said that it cannot fix it",
  prompt_too_long: "the prompt did not fit the model's window",
  crashed: "foreign code raised",
  unjudged: "a recording is missing",
};

const SOURCES = { real: "a real server", simulator: "a simulated service", live: "a live service", mock: "a mock server" };

const LEVELS = [
  "unparsable", "unchanged", "invalid", "edited elsewhere", "cause edited", "a fault fixed",
  "all fixed, but a variant or harm fails", "right",
];

const LABELS = {
  raw: "the API said it",
  state: "it is in the run's data",
  derived: "the engine's own diagnosis",
};

const STATES = { success: "✓", warning: "△", error: "✗", not_run: "·" };

const KINDS = {
  repairable: "an edit mends it",
  mixed: "an edit mends it in part, and the user must finish",
  needs_user: "only the user can mend it",
  transient: "another try cures it",
  control: "nothing is wrong",
};

function outcomeOf(row) {
  const name = row.outcome || row.verdict;
  const right = row.verdict === "correct";
  return { name, right, glyph: right ? "✓" : GLYPHS[name] || "✗", tone: right ? "good" : TONES[name] || "bad" };
}

function badge(row) {
  const { name, glyph, tone } = outcomeOf(row);
  return el("span", { class: `badge ${tone}` }, el("span", { class: "glyph", "aria-hidden": "true" }, glyph), " ", words(name));
}

function stateBadge(state) {
  if (!state) return el("span", { class: "state none" }, "–");
  return el("span", { class: `state ${state}` }, el("span", { "aria-hidden": "true" }, STATES[state] || "·"), " ", words(state));
}

function legendView() {
  const right = ["repaired", "warned", "recovered", "untouched"];
  const items = Object.entries(OUTCOMES).map(([name, meaning]) => {
    const open = name === "unjudged" || name === "crashed";
    const row = open ? { outcome: null, verdict: name } : { outcome: name, verdict: right.includes(name) ? "correct" : "incorrect" };
    return el("div", null, el("dt", null, badge(row)), el("dd", null, meaning));
  });
  return fold(false, "What the outcomes mean", el("dl", { class: "legend" }, items),
    el("p", { class: "explain" }, "A tick means that the trial is right for its kind of case: declining is right where only the user can help."));
}
