// What the reader has chosen, and the address that says so: every state of the page can be linked to.

const CHOICES = ["policy", "by", "find", "family", "api", "kind", "part", "strategy", "outcome", "verdict", "first_stage", "final_stage", "sort", "keys"]; // they stay while one reads on
const PLACES = ["view", "tab", "at", "compare", "to", "case", "attempt", "against", "trial"]; // where one is

function stateOf(run) {
  const none = Object.fromEntries([...CHOICES, ...PLACES].map((name) => [name, ""]));
  return { ...none, policy: run.policies[0]?.label || "", by: run.solvers[0]?.label || "", part: run.shownPart, sort: "family" };
}

function parsed(hash, start, before) {
  // An address of a trial alone keeps what was chosen before; any other says everything, and what it leaves out is as at the start.
  const asked = new URLSearchParams(hash === "#grid" ? "view=grid" : hash.slice(1).replaceAll("+", "%2B"));
  const deep = ["trial", "compare", "against"].some((name) => asked.get(name)) || String(asked) === "view=grid";
  const state = { ...start, ...(deep ? Object.fromEntries(CHOICES.map((name) => [name, before[name]])) : {}) };
  for (const name of [...CHOICES, ...PLACES]) if (asked.has(name)) state[name] = asked.get(name);
  return state;
}

function addressOf(state, start) {
  const own = state.trial && !state.compare ? new Set(["policy", "by"]) : new Set(); // a trial's key says them
  return `#${[...CHOICES, ...PLACES]
    .filter((name) => state[name] !== start[name] && !own.has(name))
    .map((name) => `${name}=${encodeURIComponent(state[name])}`).join("&")}`;
}

function elsewhere(state) {
  return { ...state, ...Object.fromEntries(PLACES.map((name) => [name, ""])) };
}

function knownOnly(state, start, run) {
  const known = (name, list) => { if (!list.includes(state[name])) state[name] = start[name]; };
  known("policy", run.policies.map((one) => one.label));
  known("by", run.solvers.map((one) => one.label));
  const sorts = ["family", "name", "disagreement", ...run.columns.map((column) => `column ${column.name}`)];
  known("sort", sorts);
  return state;
}

function trialLink(key) {
  return `#trial=${encodeURIComponent(key)}`;
}

function compareLink(a, b, name) {
  return `#compare=${encodeURIComponent(a)}&to=${encodeURIComponent(b)}${name ? `&case=${encodeURIComponent(name)}` : ""}`;
}
