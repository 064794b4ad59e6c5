// Two strategies side by side, or two runs: how often each was right where the other was not, and the trials that differ.

const MANY = 200; // pairs that are listed before one asks for the rest
const SIDES = { onlyA: "Only {a} right", onlyB: "Only {b} right", both: "Both right", neither: "Neither right", open: "One has no verdict" };
const TURNS = { right: "Newly right", wrong: "Newly wrong", outcome: "Another outcome", open: "No verdict any more", judged: "A verdict now", onlyHere: "Only in this run", onlyThere: "Only in the other run", same: "The same" };

function sideOf(a, b) {
  if (a.verdict === "unjudged" || b.verdict === "unjudged") return "open";
  const right = [a, b].map((row) => row.verdict === "correct");
  if (right[0] !== right[1]) return right[0] ? "onlyA" : "onlyB";
  return right[0] ? "both" : "neither";
}

function turnOf(now, before) {
  if (!before) return "onlyHere";
  if (!now) return "onlyThere";
  if (now.verdict === before.verdict) return outcomeOf(now).name === outcomeOf(before).name ? "same" : "outcome";
  if (now.verdict === "unjudged" || before.verdict === "unjudged") return now.verdict === "unjudged" ? "open" : "judged";
  return now.verdict === "correct" ? "right" : before.verdict === "correct" ? "wrong" : "outcome";
}

function strategyPairs(run, state) {
  const found = [];
  for (const { row, cells } of casesOf(run, state).filter((one) => ofCase(one.row, state)))
    for (const a of cells.get(state.compare) || []) {
      const b = (cells.get(state.to) || []).find((other) => other.sample === a.sample || run.isBound(other));
      if (b) found.push({ row, a, b, group: sideOf(a, b) });
    }
  return found;
}

function runPairs(run, state) {
  const before = new Map(run.against.rows.map((row) => [row.key, row]));
  const here = run.rows.map((row) => ({ row, a: before.get(row.key), b: row, group: turnOf(row, before.get(row.key)) }));
  const gone = run.against.rows.filter((row) => !run.byKey.has(row.key)).map((row) => ({ row, a: row, b: null, group: "onlyThere" }));
  return [...here, ...gone].filter(({ row }) => ofCase(row, { ...state, part: state.part === run.shownPart ? "" : state.part }));
}

function countsTable(pairs, groups, name) {
  const counted = (list, group) => list.filter((pair) => pair.group === group).length;
  const shown = Object.keys(groups).filter((group) => counted(pairs, group) || SIDES[group] && group !== "open");
  const cases = (list) => new Set(list.map(({ row }) => row.case)).size, several = cases(pairs) < pairs.length;
  const line = ([kind, list]) => el("tr", { class: "line" }, el("th", { scope: "row" }, words(kind)),
    el("td", { class: "figure", "data-name": "Cases" }, cases(list)), several && el("td", { class: "figure", "data-name": "Trials" }, list.length),
    shown.map((group) => el("td", { class: counted(list, group) ? "figure" : "figure zero", "data-name": groups[group] }, counted(list, group))));
  return el("table", { class: "totals counts" }, el("caption", null, name),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "Kind"), ["Cases", several && "Trials", ...shown.map((group) => groups[group])].filter(Boolean).map((title) => el("th", { scope: "col", class: "figure" }, title)))),
    el("tbody", null, [...groupBy(pairs, ({ row }) => row.kind)].sort().map(line)));
}

function pairsPart(pairs, group, title, item, all = pairs.length) {
  const members = pairs.filter((pair) => pair.group === group), first = members.slice(0, MANY);
  if (!members.length) return null;
  const list = el("ul", { class: "pairs" }, first.map(item));
  const more = members.length > first.length && button(`Show all ${members.length}`, (event) => { list.append(...members.slice(MANY).map(item)); event.target.remove(); }, { class: "more" });
  return el("section", { class: "pairs-of" }, el("h2", null, title, note(` ${grouped(members.length)} of ${many(all, "trial")}`)), list, more);
}

function pairTitle(row) {
  return el("div", { class: "pair-title" }, el("span", { class: "case-title" }, row.title), note(`${row.case} · ${words(row.kind)}`));
}

function sided(row, name) {
  return row ? el("a", { href: trialLink(row.key), class: "side" }, note(name), " ", badge(row)) : el("span", { class: "side" }, note(`${name}: none`));
}

function strategiesView(run, state, change) {
  const a = state.compare, b = state.to, pairs = strategyPairs(run, state);
  const differing = pairs.filter((pair) => outcomeOf(pair.a).name !== outcomeOf(pair.b).name);
  const named = Object.fromEntries(Object.entries(SIDES).map(([name, title]) => [name, title.replace("{a}", () => a).replace("{b}", () => b)]));
  const names = run.columns.map(({ name }) => ({ value: name, label: name }));
  const bar = el("div", { class: "filters" }, picked("compare", "Compare", names, change), picked("to", "with", names, change),
    button("Swap", () => change({ compare: b, to: a }), { class: "swap" }));
  const item = ({ row, a: one, b: other }) => el("li", { class: "pair-of" }, pairTitle(row), sided(one, a), sided(other, b),
    run.isBound(one) || run.isBound(other) ? null : el("a", { href: compareLink(a, b, row.case) }, "prompts"));
  return [bar, a === b ? el("p", { class: "explain" }, "Choose two that differ.") : pairs.length ? [
    countsTable(pairs, named, [el("b", null, a), " against ", el("b", null, b), `, under ${state.policy}, answered by ${state.by}, on the cases that both have.`]),
    ["onlyA", "onlyB", "open"].map((group) => pairsPart(pairs, group, named[group], item)),
    ["neither", "both"].map((group) => pairsPart(differing, group, `${named[group]}, in different ways`, item, pairs.length)),
  ] : el("p", { class: "explain" }, "No common case matches these filters.")];
}

function runsView(run, state) {
  const pairs = runPairs(run, state), other = run.against.name;
  const item = ({ row, a, b }) => el("li", { class: "pair-of" }, el("div", null, pairTitle(row), note([row.strategy, row.policy, row.model || row.repairer, row.sample ? `#${row.sample}` : null].filter(Boolean).join(" · "))),
    el("span", { class: "side" }, note("before"), " ", a ? badge(a) : "–"), sided(b, "now"));
  const turns = Object.keys(TURNS).filter((group) => group !== "same");
  return [countsTable(pairs, TURNS, ["This run against ", el("b", null, other), ", trial by trial."]),
    turns.some((group) => pairs.some((pair) => pair.group === group)) ? turns.map((group) => pairsPart(pairs, group, TURNS[group], item))
      : el("p", { class: "explain" }, "Every trial has the same result there.")];
}

async function promptsView(run, state, change) {
  const [a, b] = [state.compare, state.to].map((name) => casesOf(run, state).find(({ row }) => row.case === state.case)?.cells.get(name)?.[0]);
  const back = el("p", { class: "crumb" }, el("a", { href: compareLink(state.compare, state.to) }, `← ${state.compare} against ${state.to}`));
  if (!a || !b) return [back, el("p", { class: "explain" }, "One of the two has no trial of this case under this policy.")];
  const records = await Promise.all([run.record(a), run.record(b)]), numbers = Math.max(...records.map(({ attempts }) => attempts.length));
  const number = Math.min(Math.max(Number(state.attempt) || 1, 1), Math.max(numbers, 1)), attempts = records.map((record) => record.attempts[number - 1]);
  const choose = numbers > 1 && picked("attempt", "Attempt", Array.from({ length: numbers }, (_, at) => ({ value: at ? String(at + 1) : "", label: String(at + 1) })), change);
  const answer = (attempt) => (attempt ? block(attempt.response || "(empty)") : el("p", { class: "explain" }, "No such attempt."));
  const edit = (attempt, record) => (attempt?.workflow ? diffView(record.workflow, attempt.workflow) : el("p", { class: "explain" }, "No workflow came of it."));
  const besides = (title, part) => el("section", null, el("h2", null, title), el("div", { class: "two-sides" }, attempts.map((attempt, at) =>
    el("div", null, el("h3", null, [state.compare, state.to][at]), part(attempt, records[at])))));
  return [back, pairTitle(a), el("div", { class: "filters" }, sided(a, state.compare), sided(b, state.to), choose),
    el("section", null, el("h2", null, "Their prompts"), attempts.every(Boolean)
      ? diffView(userText(attempts[0]), userText(attempts[1]), "The prompts are the same, line by line.", [state.compare, state.to])
      : el("p", { class: "explain" }, attempts.some(Boolean) ? "Only one of the two reached this attempt." : "Neither made an attempt.")),
    attempts.some(Boolean) ? [besides("What was answered", answer), besides("What was edited", edit)] : null];
}
