"use strict";
// Building blocks. Data becomes text nodes and nothing else; no markup is ever parsed.

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const OUTCOMES = {
  repaired: "checks and variants pass",
  partly: "some faults are mended, and not all",
  plausible: "it ran green, and does not do what it should",
  harmful: "it did what was forbidden, did something twice, or wrote what nobody asked for",
  unrepaired: "no fault is mended",
  declined: "the repairer said that it cannot fix it",
  warned: "the user is told what only the user can mend",
  missed_warning: "the user is not told what only the user can mend",
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
  validation_failed: "no answer could be used",
  declined: "the repairer said that it cannot fix it",
  prompt_too_long: "the prompt did not fit the model's window",
  crashed: "foreign code raised",
  unjudged: "a recording is missing",
};

const RUNGS = [
  "unparsable", "unchanged", "invalid", "edited elsewhere", "cause edited", "a fault fixed",
  "all fixed, but a variant or harm fails", "right",
];

const LABELS = {
  raw: "the API said it",
  state: "it is in the run's data",
  derived: "the engine's own diagnosis",
};

const STATES = { success: "✓", warning: "△", error: "✗", not_run: "·" };

function words(name) {
  return String(name).replaceAll("_", " ");
}

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

function trialLink(key) {
  return `#trial=${encodeURIComponent(key)}`;
}

function many(count, one, more) {
  return `${count} ${count === 1 ? one : more || `${one}s`}`;
}

function block(text, attributes) {
  return el("pre", { class: "text", tabindex: "0", ...attributes }, String(text));
}

function fold(open, title, ...content) {
  return el("details", { open }, el("summary", null, title), ...content);
}

function table(head, rows, name) {
  return el(
    "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    el("table", { class: "plain" },
      el("thead", null, el("tr", null, head.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", null, rows.map((cells) => el("tr", null, cells.map((cell, at) => el("td", { "data-name": head[at] }, cell)))))),
  );
}
