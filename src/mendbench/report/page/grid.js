// The grid: a row for each case, by family; a column for each strategy, then the controls, then floor and ceiling.

function gridView(run, state) {
  const columns = run.columns;
  const cases = new Map();
  for (const row of run.rows) {
    const column = run.columnOf(row);
    if (!run.isBound(row) && !run.inView(row, state)) continue;
    if (!cases.has(row.case)) cases.set(row.case, { row, cells: new Map() });
    const cells = cases.get(row.case).cells;
    cells.set(column, [...(cells.get(column) || []), row]);
  }
  const wanted = state.find.trim().toLowerCase();
  const shown = [...cases.values()].filter(({ row }) => !wanted || `${row.case} ${row.title} ${row.kind}`.toLowerCase().includes(wanted));
  if (!shown.length) return el("p", { class: "explain" }, `No case has ${JSON.stringify(state.find.trim())} in its name, title or kind.`);
  const families = groupBy(shown, ({ row }) => row.family);
  const head = el("tr", { role: "row" }, el("th", { scope: "col", role: "columnheader" }, "Case"),
    columns.map((column, at) => el("th", { scope: "col", role: "columnheader", class: edge(columns, at) }, el("span", null, column.name))));
  const grid = el("table", { class: "grid", role: "grid", "aria-labelledby": "grid-title" }, el("thead", { role: "rowgroup" }, head),
    [...families].map(([family, members]) => familyPart(family, members, columns)));
  grid.addEventListener("keydown", moveInGrid);
  grid.addEventListener("focusin", (event) => event.target.matches("a.cell") && rove(grid, event.target));
  const first = grid.querySelector("a.cell");
  if (first) rove(grid, first);
  return el("div", { class: "scroll grid-scroll" }, grid);
}

function groupBy(items, key) {
  const found = new Map();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) || []), item]);
  return found;
}

function edge(columns, at) {
  return at && columns[at].group !== columns[at - 1].group ? `${columns[at].group} edge` : columns[at].group;
}

function familyPart(family, members, columns) {
  return el("tbody", { role: "rowgroup" },
    el("tr", { class: "group", role: "row" }, el("th", { colspan: columns.length + 1, scope: "rowgroup", role: "rowheader" }, family,
      el("span", { class: "note" }, ` ${many(members.length, "case")}`))),
    members.map(({ row, cells }) => el("tr", { role: "row", class: "case" },
      el("th", { scope: "row", role: "rowheader" }, el("span", { class: "case-title" }, row.title),
        el("span", { class: "note" }, `${row.case.split("/").pop()} · `, el("span", { class: "kind" }, words(row.kind)))),
      columns.map((column, at) => el("td", { role: "gridcell", class: edge(columns, at), "data-name": column.name }, cellPart(cells.get(column.name)))))));
}

function cellPart(rows) {
  if (!rows) return el("span", { class: "note" }, "–");
  const { glyph, tone, name } = outcomeOf(rows[0]);
  const right = rows.filter((row) => row.verdict === "correct").length;
  const several = rows.length > 1;
  const look = several && right && right < rows.length ? "part" : tone;
  return el("a", { class: `cell ${look}`, href: trialLink(rows[0].key), "data-key": rows[0].key, tabindex: "-1" },
    el("span", { class: "glyph", "aria-hidden": "true" }, several ? "" : glyph), el("span", null, several ? `${right} of ${rows.length} right` : words(name)));
}

function rove(grid, chosen) {
  for (const cell of grid.querySelectorAll('a.cell[tabindex="0"]')) cell.tabIndex = -1;
  chosen.tabIndex = 0;
}

function moveInGrid(event) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = event.target.closest("td");
  const end = { Home: 0, End: -1 }[event.key];
  if (!cell || (!step && end === undefined) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll("tr.case")];
  let at = rows.indexOf(cell.parentElement), column = cell.cellIndex;
  const links = (row) => [...row.cells].map((one) => one.querySelector("a.cell"));
  if (!step) return links(rows[at]).filter(Boolean).at(end).focus();
  for (;;) {
    at += step[0];
    column += step[1];
    if (at < 0 || at >= rows.length || column < 1 || column >= rows[at].cells.length) return;
    const found = links(rows[at])[column];
    if (found) return found.focus();
  }
}

function legendView() {
  const sample = (outcome, verdict) => ({ outcome: verdict ? null : outcome, verdict: verdict || "incorrect" });
  const right = ["repaired", "warned", "recovered", "untouched"];
  const items = Object.keys(OUTCOMES).map((name) => {
    const row = name === "unjudged" || name === "crashed" ? sample(name, name) : { outcome: name, verdict: right.includes(name) ? "correct" : "incorrect" };
    return el("div", null, el("dt", null, badge(row)), el("dd", null, OUTCOMES[name]));
  });
  return fold(false, "What the outcomes mean", el("dl", { class: "legend" }, items),
    el("p", { class: "explain" }, "A tick means that the trial came out right for its kind of case: declining, for one, is right where only the user can help."));
}
