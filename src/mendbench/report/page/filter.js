// Which cases and trials are in sight, and in which order.

const EDIT_KINDS = ["repairable", "mixed"], EDITED = "edit", UNCONTROLLED = "*"; // the headline's cases: those with a fault that an edit mends
const FIELDS = ["family", "api", "kind", "part", "strategy", "outcome", "verdict", "first_stage", "final_stage"];

function casesOf(run, state) {
  // Every case with a trial in view: its row, its cells by column, and which of them the reader asked for.
  const cases = new Map();
  for (const row of run.inView(state.by, state.policy)) {
    if (!cases.has(row.case)) cases.set(row.case, { row, cells: new Map() });
    const cells = cases.get(row.case).cells, column = run.columnOf(row);
    if (cells.has(column)) cells.get(column).push(row);
    else cells.set(column, [row]);
  }
  return [...cases.values()];
}

function ofCase(row, state) {
  const wanted = state.find.trim().toLowerCase();
  if (["family", "api", "part"].some((name) => state[name] && row[name] !== state[name])) return false;
  if (state.kind && (state.kind === EDITED ? !EDIT_KINDS.includes(row.kind) : row.kind !== state.kind)) return false;
  return !wanted || `${row.case} ${row.title} ${row.kind} ${row.request} ${row.group}`.toLowerCase().includes(wanted);
}

function ofTrial(row, state, run) {
  return (!state.strategy || (state.strategy === UNCONTROLLED ? run.isOwn(row) : run.columnOf(row) === state.strategy))
    && (!state.outcome || outcomeOf(row).name === state.outcome) && ["verdict", "first_stage", "final_stage"].every((name) => !state[name] || row[name] === state[name]);
}

function narrowed(state, run) {
  return Boolean(state.find.trim()) || FIELDS.some((name) => state[name] && !(name === "part" && state.part === run.shownPart));
}

function unfiltered(state) {
  return { ...state, find: "", ...Object.fromEntries(FIELDS.map((name) => [name, ""])) };
}

function columnsInSight(run, state) {
  // A strategy that has no trial under this policy by this model has no column.
  const there = new Set(run.inView(state.by, state.policy).map((row) => run.columnOf(row)));
  return run.columns.filter((column) => there.has(column.name)).filter((column) => column.group === "bound" || !state.strategy || (state.strategy === UNCONTROLLED ? column.group === "strategy" : column.name === state.strategy));
}

function inSight(run, state) {
  // Floor and ceiling are there to be compared with: an outcome of theirs alone shows no case.
  const wanted = ["outcome", "verdict", "strategy", "first_stage", "final_stage"].some((name) => state[name]);
  const found = casesOf(run, state).filter(({ row, cells }) => ofCase(row, state)
    && (!wanted || [...cells.values()].flat().some((one) => !run.isBound(one) && ofTrial(one, state, run))));
  return sorted(found, run, state);
}

function sorted(cases, run, state) {
  const byName = (a, b) => (a.row.case < b.row.case ? -1 : a.row.case > b.row.case ? 1 : 0);
  const byFigure = (figure) => cases.map((one) => [figure(one), one]).sort((a, b) => a[0] - b[0] || byName(a[1], b[1])).map(([, one]) => one);
  if (state.sort === "name") return [...cases].sort((a, b) => (a.row.title < b.row.title ? -1 : a.row.title > b.row.title ? 1 : byName(a, b)));
  if (state.sort === "disagreement") return byFigure((one) => -disagreement(one, run));
  if (state.sort.startsWith("column ")) return byFigure(({ cells }) => rank(cells.get(state.sort.slice(7))));
  return [...cases].sort((a, b) => (a.row.family < b.row.family ? -1 : a.row.family > b.row.family ? 1 : byName(a, b)));
}

function disagreement({ cells }, run) {
  // How evenly the strategies' trials fall into right and not right; then by how many outcomes they have.
  const own = [...cells.values()].flat().filter((row) => !run.isBound(row));
  const right = own.filter((row) => row.verdict === "correct").length;
  return Math.min(right, own.length - right) * 100 + new Set(own.map((row) => outcomeOf(row).name)).size;
}

function rank(rows) {
  // Right first, then as the outcomes are listed; a case that the column does not have comes last.
  if (!rows) return 1000;
  const right = rows.filter((row) => row.verdict === "correct").length / rows.length;
  return (1 - right) * 100 + Object.keys(OUTCOMES).indexOf(outcomeOf(rows[0]).name);
}

function mixedWithControls(run) {
  return ["strategy", "control"].every((group) => run.columns.some((column) => column.group === group));
}

function partNote(run, state, change) {
  // A report on a split corpus covers one part: the grid and the comparison begin with it, and say so.
  if (!run.shownPart || (state.part && state.part !== run.shownPart)) return null;
  const count = (part) => new Set(run.rows.filter((row) => !part || row.part === part).map((row) => row.case)).size;
  return el("p", { class: "explain part-note" }, state.part ? `The ${many(count(run.shownPart), "case")} of the ${run.shownPart} part, which the report covers. ` : `All ${count()} cases; the report covers the ${run.shownPart} part alone. `,
    button(state.part ? `Show all ${many(count(), "case")}` : `Show the ${run.shownPart} part`, () => change({ part: state.part ? "" : run.shownPart }), { class: "more" }));
}

function filterBar(run, change) {
  const values = (name) => [...new Set(run.rows.filter((row) => !run.isBound(row)).map((row) => (name === "strategy" ? run.columnOf(row) : name === "outcome" ? outcomeOf(row).name : row[name])))]
    .filter(Boolean).sort();
  const choice = (name, title, options, all) => (options.length < 2 ? null : picked(name, title, [...(all ? [{ value: "", label: all }] : []), ...options], change));
  const plain = (list) => list.map((value) => ({ value, label: words(value) }));
  const exact = (list) => list.map((value) => ({ value, label: value }));
  return [
    el("label", { class: "pick find" }, note("Find a case"),
      el("input", { type: "search", id: "find-box", "data-state": "find", placeholder: "name, title, request", autocomplete: "off", on: { input: (event) => change({ find: event.target.value }) } })),
    choice("policy", "Policy", exact(run.policies.map((one) => one.label))),
    choice("by", "Answered by", exact(run.solvers.map((one) => one.label))),
    choice("strategy", "Strategy", [...(mixedWithControls(run) ? [{ value: UNCONTROLLED, label: "without controls" }] : []), ...exact(run.strategies())], "all"),
    choice("family", "Family", plain(values("family")), "all"),
    choice("api", "APIs", exact(values("api")), "all"),
    choice("kind", "Kind", [...plain(values("kind")), { value: EDITED, label: "with an edit fault" }], "all"),
    choice("part", "Part", plain(values("part")), "all"),
    choice("outcome", "Outcome", plain(Object.keys(OUTCOMES).filter((name) => values("outcome").includes(name))), "any"),
    choice("verdict", "Verdict", plain(values("verdict")), "any"),
    choice("first_stage", "First response", exact(values("first_stage")), "any"),
    choice("final_stage", "Stopped at", exact(values("final_stage")), "any"),
    picked("sort", "Sort by", [{ value: "family", label: "family" }, { value: "name", label: "title" }, { value: "disagreement", label: "disagreement" },
      ...run.columns.map(({ name }) => ({ value: `column ${name}`, label: `outcome of ${name}` }))], change),
    button("Clear filters", () => change({ ...unfiltered({}), part: run.shownPart }), { id: "clear", hidden: true }),
  ];
}

function picked(name, title, options, change) {
  return el("label", { class: "pick" }, note(title),
    el("select", { "data-state": name, on: { change: (event) => change({ [name]: event.target.value }) } },
      options.map(({ value, label }) => el("option", { value }, label))));
}
