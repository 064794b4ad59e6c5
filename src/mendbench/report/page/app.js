// The page: unpacks the run, keeps the choices and the address in step, and shows the grid or one trial.

async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Run {
  constructor({ rows, texts, views }) {
    this.texts = texts;
    this.columns = views.columns;
    this.solvers = views.solvers;
    this.policies = views.policies;
    this.bounds = new Set(views.columns.filter((column) => column.group === "bound").map((column) => column.name));
    this.rows = rows.map((row) => ({ ...row, title: this.whole(row.title) }));
    this.byKey = new Map(this.rows.map((row) => [row.key, row]));
  }

  whole(value) {
    if (Array.isArray(value)) return value.map((item) => this.whole(item));
    if (value === null || typeof value !== "object") return value;
    const names = Object.keys(value);
    if (names.length === 1 && names[0] === "$text" && Object.hasOwn(this.texts, value.$text)) return this.texts[value.$text];
    return Object.fromEntries(names.map((name) => [name, this.whole(value[name])]));
  }

  isBound(row) { return this.bounds.has(row.repairer); }
  columnOf(row) { return this.isBound(row) ? row.repairer : row.strategy; }
  columnNames() { return this.columns.map((column) => column.name); }
  sameSolver(a, b) { return a.engine === b.engine && a.repairer === b.repairer && a.model === b.model; }
  sameView(a, b) { return this.sameSolver(a, b) && a.policy === b.policy && a.detector === b.detector; }

  policyAt(row) { return this.policies.findIndex((one) => one.policy === row.policy && one.detector === row.detector); }

  inView(row, { solver, policy }) {
    const who = this.solvers.find((one) => one.label === solver), how = this.policies.find((one) => one.label === policy);
    return this.sameSolver(row, who) && row.policy === how.policy && row.detector === how.detector;
  }
}

class App {
  constructor(run) {
    this.run = run;
    this.state = { solver: run.solvers[0]?.label, policy: run.policies[0]?.label, find: "" };
    this.overview = document.getElementById("overview");
    this.trial = document.getElementById("trial");
    this.scroll = 0;
    this.opened = null;
    this.fromHere = false;
    this.choices();
    document.getElementById("legend").append(legendView());
    document.getElementById("grid-help").hidden = false;
    window.addEventListener("hashchange", () => this.route());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.opened && this.leave(event));
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a");
      if (link?.id === "back") this.leave(event);
    });
    let folded = [];
    window.addEventListener("beforeprint", () => {
      folded = [...this.trial.querySelectorAll("details:not([open])")];
      for (const part of folded) part.open = true;
    });
    window.addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
    this.route();
  }

  choices() {
    const place = document.getElementById("choices");
    if (this.run.policies.length > 1) place.append(this.tabs("Policy", "policy", this.run.policies));
    if (this.run.solvers.length > 1) place.append(this.pick("Answered by", "solver", this.run.solvers));
    place.hidden = !place.childElementCount;
    const find = document.getElementById("find");
    const box = el("input", { type: "search", id: "find-box", placeholder: "name, title or kind", autocomplete: "off",
      on: { input: (event) => { this.state.find = event.target.value; this.showGrid(); } } });
    find.append(el("label", { for: "find-box" }, "Find a case"), box);
    find.hidden = false;
  }

  tabs(title, name, options) {
    return el("div", { class: "tabs", role: "group", "aria-label": title }, el("span", { class: "note" }, title),
      options.map(({ label }) => el("button", { type: "button", "data-choice": name, "data-value": label, on: { click: () => this.choose(name, label) } }, label)));
  }

  pick(title, name, options) {
    const select = el("select", { id: `pick-${name}`, "data-choice": name, on: { change: (event) => this.choose(name, event.target.value) } },
      options.map(({ label }) => el("option", { value: label }, label)));
    return el("label", { class: "pick" }, el("span", { class: "note" }, title), select);
  }

  choose(name, value) {
    this.state[name] = value;
    const { policy, solver } = this.state;
    history.replaceState(null, "", `#policy=${encodeURIComponent(policy)}&by=${encodeURIComponent(solver)}`);
    this.showOverview();
  }

  route() {
    const asked = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const wanted = asked.get("trial");
    if (wanted) return this.showTrial(wanted);
    if (this.run.policies.some(({ label }) => label === asked.get("policy"))) this.state.policy = asked.get("policy");
    if (this.run.solvers.some(({ label }) => label === asked.get("by"))) this.state.solver = asked.get("by");
    this.showOverview();
  }

  showOverview() {
    const { policy, solver } = this.state;
    for (const panel of document.querySelectorAll(".panel")) panel.hidden = panel.dataset.policy !== policy || panel.dataset.solver !== solver;
    for (const one of document.querySelectorAll("[data-solver-table]")) one.hidden = one.dataset.solverTable !== solver;
    for (const button of document.querySelectorAll("button[data-choice]")) button.setAttribute("aria-pressed", String(button.dataset.value === this.state[button.dataset.choice]));
    for (const select of document.querySelectorAll("select[data-choice]")) select.value = this.state[select.dataset.choice];
    this.showGrid();
    const back = this.opened;
    this.opened = null;
    this.trial.hidden = true;
    this.trial.replaceChildren();
    this.overview.hidden = false;
    document.title = "mendbench: repair report";
    if (!back) return;
    window.scrollTo(0, this.scroll);
    const cell = [...document.querySelectorAll("a.cell")].find((one) => one.dataset.key === back);
    cell?.focus({ preventScroll: this.fromHere });
  }

  showGrid() {
    document.getElementById("trials").replaceChildren(this.run.solvers.length ? gridView(this.run, this.state) : el("p", { class: "explain" }, "No trials."));
  }

  showTrial(key) {
    if (!this.opened) { this.scroll = window.scrollY; this.fromHere = !this.overview.hidden && this.routed === true; }
    this.opened = key;
    const row = this.run.byKey.get(key);
    if (row && !this.run.isBound(row)) this.follow(row);
    const shown = row ? trialView(this.run.whole(row), this.run)
      : el("article", { class: "trial" }, el("p", { class: "crumb" }, el("a", { href: "#", id: "back" }, "← All trials")),
        el("h1", null, "No such trial in this run"), block(key));
    this.trial.replaceChildren(shown);
    this.overview.hidden = true;
    this.trial.hidden = false;
    document.title = row ? `${outcomeOf(row).name}: ${row.case}, ${this.run.columnOf(row)}` : "mendbench: no such trial";
    window.scrollTo(0, 0);
    this.trial.focus({ preventScroll: true });
  }

  follow(row) {
    // Coming back from a trial shows it among its own kind, wherever the reader came from.
    this.state.solver = this.run.solvers.find((one) => this.run.sameSolver(one, row)).label;
    this.state.policy = this.run.policies[this.run.policyAt(row)].label;
  }

  leave(event) {
    event.preventDefault();
    const { policy, solver } = this.state;
    location.hash = `policy=${encodeURIComponent(policy)}&by=${encodeURIComponent(solver)}`;
  }
}

unpack().then(
  (data) => { new App(new Run(data)).routed = true; },
  (error) => { document.getElementById("no-grid").textContent = `The trials could not be unpacked: ${error}`; },
);
