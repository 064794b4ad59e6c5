// The grid: a row for each case; a column for each strategy, then the controls, then floor and ceiling.

function gridView(run, state, change) {
  const columns = columnsInSight(run, state), shown = inSight(run, state);
  if (!shown.length) return el("p", { class: "explain" }, "No case matches these filters.");
  const families = state.sort === "family" ? groupBy(shown, ({ row }) => row.family) : new Map([["", shown]]);
  const grid = el("table", { class: "grid", role: "grid", "aria-labelledby": "grid-title" },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, headOf("Case", state.sort === "name" ? "family" : "name", state, change, ""),
      columns.map((column, at) => headOf(column.name, `column ${column.name}`, state, change, edge(columns, at), run.endsUnder.get(column.name))))),
    [...families].map(([family, members]) => familyPart(family, members, columns, run, state)));
  grid.addEventListener("keydown", moveInGrid);
  grid.addEventListener("keydown", moveInHead);
  if (!grid.querySelector('.sort[tabindex="0"]')) grid.querySelector(".sort").tabIndex = 0;
  grid.addEventListener("focusin", (event) => event.target.matches("a.cell") && rove(grid, event.target));
  const first = grid.querySelector("a.cell");
  if (first) rove(grid, first);
  return el("div", { class: "grid-scroll" }, grid);
}

function headOf(name, sort, state, change, edged, under = null) {
  const own = name === "Case" ? ["name", "family"].includes(state.sort) : state.sort === sort;
  return el("th", { scope: "col", role: "columnheader", class: edged, "aria-sort": own ? "ascending" : null },
    button(name, () => change({ sort: own && name !== "Case" ? "family" : sort }, name), { class: "sort", "data-sort": sort, "data-head": name, tabindex: own ? "0" : "-1",
      title: name === "Case" ? `Sort by ${sort === "name" ? "title" : "family"}` : `Sort by the outcome under ${name}` }),
    under && el("span", { class: "under" }, `under ${under}`));
}

function edge(columns, at) {
  return at && columns[at].group !== columns[at - 1].group ? `${columns[at].group} edge` : columns[at].group;
}

function familyPart(family, members, columns, run, state) {
  return el("tbody", { role: "rowgroup" },
    family && el("tr", { class: "group", role: "row" }, el("th", { colspan: columns.length + 1, scope: "rowgroup", role: "rowheader" },
      el("span", { class: "family" }, family, note(` ${many(members.length, "case")}`)))),
    members.map(({ row, cells }) => el("tr", { role: "row", class: "case" },
      el("th", { scope: "row", role: "rowheader" }, el("span", { class: "case-title" }, row.title),
        note(`${family ? row.case.split("/").pop() : row.case} · `, el("span", { class: "kind" }, words(row.kind)))),
      columns.map((column, at) => el("td", { role: "gridcell", class: edge(columns, at), "data-name": column.name }, cellPart(cells.get(column.name), run, state))))));
}

function cellPart(rows, run, state) {
  if (!rows) return note("–");
  const right = rows.filter((row) => row.verdict === "correct").length, several = rows.length > 1;
  const { glyph, tone, name } = outcomeOf(rows[0]);
  const look = several ? (right === rows.length ? "good" : right ? "part" : tone) : tone;
  const meant = run.isBound(rows[0]) || rows.some((row) => ofTrial(row, state, run));
  return el("a", { class: `cell ${look}${meant ? "" : " aside"}`, href: trialLink(rows[0].key), "data-key": rows[0].key, tabindex: "-1" },
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

function moveInHead(event) {
  // The head is one stop for the tabulator; arrows lead from column to column, and down into the grid.
  const heads = [...event.currentTarget.querySelectorAll(".sort")], at = heads.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: heads.length - 1 }[event.key];
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const next = event.key === "ArrowDown" ? event.currentTarget.querySelector('a.cell[tabindex="0"]') : heads[to];
  if (!next) return;
  event.preventDefault();
  if (heads.includes(next)) for (const one of heads) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

function neighbours(run, state, row) {
  // Where j and k lead (the same column, the case before and after), and h and l (the same case, the columns beside).
  const placed = (list) => list.findIndex((one) => one.row.case === row.case);
  const narrow = inSight(run, state), shown = placed(narrow) < 0 ? inSight(run, unfiltered(state)) : narrow;
  const columns = run.columns.map((column) => column.name), own = run.columnOf(row), at = placed(shown);
  const keyIn = (one, column) => (one?.cells.get(column)?.find((other) => other.sample === row.sample) || one?.cells.get(column)?.[0])?.key;
  const along = (list) => list.find(Boolean);
  const cases = shown.length && at >= 0 ? shown : [];
  const beside = cases[at] ? columns.map((column) => keyIn(cases[at], column)) : [], column = columns.indexOf(own);
  return {
    before: along(cases.slice(0, Math.max(at, 0)).reverse().map((one) => keyIn(one, own))),
    after: along(cases.slice(at + 1).map((one) => keyIn(one, own))),
    left: along(beside.slice(0, column).reverse()),
    right: along(beside.slice(column + 1)),
    place: at + 1, of: cases.length,
  };
}
