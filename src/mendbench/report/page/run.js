// The run in the page: light rows of all trials at once, and a trial's whole record when somebody opens it.

async function unpacked(line) {
  const bytes = Uint8Array.from(atob(line), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function readRun() {
  const lines = document.getElementById("data").textContent.split("\n");
  return new Run(await unpacked(lines[0]), lines);
}

function rowsOf(columns) {
  const names = Object.keys(columns), count = columns.case.at.length, rows = [], seenOf = new Map();
  for (let at = 0; at < count; at++) {
    const row = {};
    for (const name of names) row[name] = columns[name].values[columns[name].at[at]];
    row.key = keyOf(row);
    row.place = seenOf.get(row.case) || 0; // among the trials of its case
    seenOf.set(row.case, row.place + 1);
    rows.push(row);
  }
  return rows;
}

function keyOf({ engine, repairer, model, strategy, policy, detector, sample, ...row }) {
  const parts = [row.case, engine, repairer, model, strategy, policy, detector, String(sample).padStart(6, "0")];
  return parts.map((part) => part || "-").join(" | ");
}

class Run {
  constructor({ columns, views, part, detectors, cases, shapes, against }, lines) {
    this.columns = views.columns;
    this.solvers = views.solvers;
    this.policies = views.policies;
    this.shownPart = part; // of a split corpus, the one that the report covers
    this.detectors = detectors;
    this.bounds = new Set(views.columns.filter((column) => column.group === "bound").map((column) => column.name));
    this.rows = rowsOf(columns);
    this.endsUnder = new Map(this.rows.filter((row) => this.isBound(row)).map((row) => [row.repairer, row.policy]));
    this.byKey = new Map(this.rows.map((row) => [row.key, row]));
    this.byCase = groupBy(this.rows, (row) => row.case);
    this.against = against && { name: against.name, rows: rowsOf(against.columns) };
    this.lines = lines;
    this.lineOf = new Map(cases.map((name, at) => [name, at + 2]));
    this.shapes = shapes;
    this.common = null;
    this.parts = new Map();
    this.looked = new Map();
  }

  async record(row) {
    const [common, part] = await Promise.all([this.common ||= unpacked(this.lines[1]), this.part(row.case)]);
    return { ...this.value(part.rows[row.place], common, part.pool), ...row };
  }

  part(name) {
    if (!this.parts.has(name)) this.parts.set(name, unpacked(this.lines[this.lineOf.get(name)]));
    return this.parts.get(name);
  }

  value(ref, common, pool) {
    const entry = ref < common.length ? common[ref] : pool[ref - common.length];
    if (!Array.isArray(entry)) return entry;
    const values = entry.slice(1).map((one) => this.value(one, common, pool));
    if (entry[0] < 0) return values.join("\n");
    return entry[0] ? Object.fromEntries(this.shapes[entry[0] - 1].map((name, at) => [name, values[at]])) : values;
  }

  isBound(row) { return this.bounds.has(row.repairer); }
  columnOf(row) { return this.isBound(row) ? row.repairer : row.strategy; }
  isOwn(row) { return this.columns.some((column) => column.group === "strategy" && column.name === this.columnOf(row)); }
  strategies() { return this.columns.filter((column) => column.group !== "bound").map((column) => column.name); }
  sameSolver(a, b) { return a.engine === b.engine && a.repairer === b.repairer && a.model === b.model; }
  sameView(a, b) { return this.sameSolver(a, b) && a.policy === b.policy && a.detector === b.detector; }

  solverOf(row) { return this.solvers.find((one) => this.sameSolver(one, row)); }
  policyOf(row) { return this.policies.find((one) => one.policy === row.policy && one.detector === row.detector); }

  inView(solver, policy) {
    // The trials of one solver under one policy, and those of floor and ceiling, which stand beside every one.
    const name = JSON.stringify([solver, policy]);
    if (!this.looked.has(name)) {
      const view = { ...this.policies.find((one) => one.label === policy), ...this.solvers.find((one) => one.label === solver) };
      this.looked.set(name, this.rows.filter((row) => this.isBound(row) || this.sameView(row, view)));
    }
    return this.looked.get(name);
  }

  command(row) {
    const own = this.detectors[row.policy];
    const parts = ["mendbench", "run", row.case, "--strategy", row.strategy, "--policy", row.policy, "--repairer", row.repairer];
    if (row.model) parts.push("--model", row.model);
    if (row.detector && row.detector !== own) parts.push("--detector", row.detector);
    if (row.engine !== "mendbench") parts.push("--engine", row.engine);
    if (row.sample) parts.push("--samples", String(row.sample + 1));
    return [...parts, "--out", "reports/again"].map(quoted).join(" "); // a folder of its own: a run replaces the one that it writes to
  }
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function groupBy(items, key) {
  const found = new Map();
  for (const item of items) {
    const name = key(item);
    if (found.has(name)) found.get(name).push(item);
    else found.set(name, [item]);
  }
  return found;
}
