// The page: unpacks the run, keeps the choices and the address in step, and shows the report, one trial, or two things side by side.

class App {
  constructor(run) {
    this.run = run;
    this.start = stateOf(run);
    this.state = { ...this.start };
    this.views = Object.fromEntries(["overview", "trial", "compare"].map((name) => [name, document.getElementById(name)]));
    this.place = null;      // what is shown: the overview, a trial, or a comparison
    this.home = null;       // the comparison that Esc and the link above a trial lead back to
    this.scroll = 0;
    this.turn = 0;          // of showing: what was unpacked for an earlier one is not shown
    this.furnish();
    window.addEventListener("hashchange", () => this.route());
    window.addEventListener("resize", () => this.fit());
    this.printing();
    this.route();
  }

  furnish() {
    const change = (choices) => this.change(choices), help = helpDialog(this);
    document.getElementById("filters").append(...filterBar(this.run, change).filter(Boolean));
    document.getElementById("grid").classList.add("live"); // as high as the window, so that a link to it has it in sight whole
    document.getElementById("legend").append(legendView());
    document.getElementById("bar").append(el("a", { href: "#", "data-view": "overview" }, "Report"), el("a", { href: "#view=grid", "data-view": "grid" }, "Trials"),
      this.run.columns.length > 1 ? el("a", { href: this.comparison(), "data-view": "compare" }, "Compare strategies") : "",
      this.run.against ? el("a", { href: "#against=1", "data-view": "against" }, "Compare runs") : "",
      button([el("kbd", null, "?"), " Keys"], () => help.show(), { class: "help" }));
    for (const part of document.querySelectorAll("[data-script]")) part.hidden = false;
    document.body.append(help);
    this.choices();
    listenToKeys(this, help);
    document.addEventListener("toggle", () => this.fit(), true); // what was folded had no width
    document.addEventListener("click", (event) => {
      if (event.target.closest?.("#back")) this.leave(event);
      if (event.target.closest?.("a.skip")) { event.preventDefault(); document.querySelector("main:not([hidden])").focus(); }
    });
  }

  choices() {
    const place = document.getElementById("choices"), { policies, solvers } = this.run;
    if (policies.length > 1) place.append(el("div", { class: "tabs", role: "group", "aria-label": "Policy" }, note("Policy"),
      policies.map(({ label }) => button(label, () => this.change({ policy: label }), { "data-pressed": "policy", "data-value": label }))));
    if (solvers.length > 1) place.append(picked("by", "Answered by", solvers.map(({ label }) => ({ value: label, label })), (one) => this.change(one)));
    place.hidden = !place.childElementCount;
  }

  comparison() {
    const own = this.run.strategies(), a = own.includes("full-context") ? "full-context" : own[0];
    const b = a !== "summary" && own.includes("summary") ? "summary" : own.find((name) => name !== a) || this.run.columns.at(-1).name;
    return compareLink(a, b);
  }

  change(choices, focused) {
    Object.assign(this.state, { view: "" }, choices);
    history.replaceState(null, "", addressOf(this.state, this.start));
    this.show().then(() => focused && document.querySelector(focused)?.focus());
  }

  route() {
    this.state = knownOnly(parsed(location.hash, this.start, this.state), this.start, this.run);
    const row = this.run.byKey.get(this.state.trial);
    if (row && !this.run.isBound(row)) Object.assign(this.state, { by: this.run.solverOf(row).label, policy: this.run.policyOf(row).label });
    const whole = addressOf(this.state, this.start);
    const section = location.hash.length > 1 && document.getElementById("overview").querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`);
    if (location.hash && location.hash !== whole && !section) history.replaceState(null, "", whole);
    this.show();
  }

  async show() {
    const { trial, compare, to, against } = this.state, turn = ++this.turn;
    const name = trial ? "trial" : (compare && to) || (against && this.run.against) ? "compare" : "overview";
    const before = this.place, place = name === "overview" ? "" : name === "trial" ? trial : `${name} ${this.state.case}`;
    const shown = name === "overview" ? (this.showOverview(), null) : await (name === "trial" ? this.trialParts() : this.compareParts());
    if (turn !== this.turn) return;
    if (before === "" && place) this.scroll = window.scrollY;
    if (shown) this.views[name].replaceChildren(...shown.flat(Infinity).filter(Boolean));
    if (name === "compare") this.inStep();
    for (const [own, view] of Object.entries(this.views)) view.hidden = own !== name;
    this.fit();
    this.place = place;
    this.named(name);
    if (name !== "trial") this.home = name === "compare" ? addressOf(this.state, this.start) : null;
    if (this.state.view === "grid" && !place) this.toGrid();
    else if (before !== null || place) this.arrive(name, before, place);
  }

  arrive(name, before, place) {
    if (before === place) return;
    if (name !== "overview") { window.scrollTo(0, 0); this.views[name].focus({ preventScroll: true }); return; }
    window.scrollTo(0, this.scroll);
    [...document.querySelectorAll("a.cell")].find((cell) => cell.dataset.key === before)?.focus({ preventScroll: this.scroll > 0 });
  }

  toGrid() {
    const grid = document.getElementById("grid");
    grid.scrollIntoView();
    grid.focus({ preventScroll: true });
  }

  named(name) {
    const row = this.run.byKey.get(this.state.trial);
    const current = name === "compare" && this.state.against ? "against" : name === "overview" && this.state.view ? "grid" : name;
    document.title = name === "trial" ? (row ? `${words(outcomeOf(row).name)}: ${row.case}, ${this.run.columnOf(row)}` : "mendbench: no such trial")
      : name === "compare" ? `mendbench: ${current === "against" ? "two runs" : `${this.state.compare} against ${this.state.to}`}` : "mendbench: repair report";
    for (const link of document.querySelectorAll("#bar a")) {
      if (link.dataset.view === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  showOverview() {
    const { policy, by } = this.state;
    const ran = new Set([...document.querySelectorAll(".panel")].filter((panel) => panel.dataset.solver === seen(by)).map((panel) => panel.dataset.policy));
    for (const one of document.querySelectorAll('#choices [data-pressed="policy"]')) one.hidden = !ran.has(seen(one.dataset.value)); // policies of other models alone
    for (const panel of document.querySelectorAll(".panel")) panel.hidden = panel.dataset.policy !== seen(policy) || panel.dataset.solver !== seen(by);
    for (const one of document.querySelectorAll("[data-solver-table]")) one.hidden = one.dataset.solverTable !== seen(by);
    const named = (one, who) => (this.run.solvers.length > 1 ? `${one}, answered by ${who}` : one);
    const own = policy === this.start.policy && by === this.start.by;
    document.getElementById("stays").textContent = own ? "" : `The table and the grid below are of ${named(policy, by)}. Findings and pictures stay with ${named(this.start.policy, this.start.by)}.`;
    document.getElementById("stays").hidden = own;
    this.inStep();
    const cases = this.run.solvers.length ? inSight(this.run, this.state).length : 0, of = casesOf(this.run, this.state).filter(({ row }) => !this.state.part || row.part === this.state.part).length;
    document.getElementById("part-note").replaceChildren(...[partNote(this.run, this.state, (choices) => this.change(choices, "#part-note button"))].filter(Boolean));
    document.getElementById("count").textContent = narrowed(this.state, this.run) ? `${cases} of ${many(of, "case")}` : many(of, "case");
    document.getElementById("trials").replaceChildren(this.run.solvers.length ? gridView(this.run, this.state, (choices, name) => this.resort(choices, name)) : el("p", { class: "explain" }, "No trials."));
  }

  fit() {
    // A grid that fits scrolls with the page, under its head; a wider one scrolls in a box of its own.
    const box = document.querySelector(".grid-scroll");
    box?.classList.toggle("fits", box.firstChild.offsetWidth <= box.clientWidth);
    for (const one of document.querySelectorAll("main:not([hidden]) .scroll")) one.classList.toggle("wider", one.scrollWidth > one.clientWidth + 1);
  }

  resort(choices, name) {
    this.change(choices, `button[data-head="${CSS.escape(name)}"]`);
  }

  inStep() {
    for (const one of document.querySelectorAll("[data-state]")) if (one !== document.activeElement || one.tagName === "SELECT") one.value = this.state[one.dataset.state];
    for (const one of document.querySelectorAll("[data-pressed]")) one.setAttribute("aria-pressed", String(one.dataset.value === seen(this.state[one.dataset.pressed])));
    document.getElementById("clear").hidden = !narrowed(this.state, this.run);
  }

  async trialParts() {
    const row = this.run.byKey.get(this.state.trial);
    return row ? [trialView(await this.run.record(row), this.run, this.state, this)]
      : [el("article", { class: "trial" }, el("p", { class: "crumb" }, crumb()), el("h1", null, "No such trial in this run"), block(this.state.trial))];
  }

  async compareParts() {
    const change = (choices) => this.change(choices, `#compare [data-state="${Object.keys(choices)[0]}"]`);
    if (this.state.against) return [el("h1", null, "Two runs"), runsView(this.run, this.state)];
    if (this.state.case) return [el("h1", null, `${this.state.compare} against ${this.state.to}`), await promptsView(this.run, this.state, change)];
    const bar = el("div", { class: "filters" }, filterBar(this.run, change).slice(1).filter((one) => one && !one.querySelector?.('[data-state="strategy"], [data-state="outcome"], [data-state="verdict"], [data-state="first_stage"], [data-state="final_stage"], [data-state="sort"]') && one.id !== "clear"));
    return [el("h1", null, "Two strategies"), partNote(this.run, this.state, (choices) => this.change(choices, "#compare .part-note button")), bar, strategiesView(this.run, this.state, change)];
  }

  find() {
    if (this.place) {
      history.pushState(null, "", addressOf(elsewhere(this.state), this.start));
      this.route();
    }
    const box = document.getElementById("find-box");
    box.focus({ preventScroll: true });
    document.getElementById("grid").scrollIntoView();
  }

  compare() {
    const row = this.run.byKey.get(this.state.trial);
    if (!row || this.run.isBound(row) || this.run.strategies().length < 2) { location.hash = this.comparison(); return; }
    const asked = new URLSearchParams(this.comparison().slice(1)), other = asked.get(row.strategy === asked.get("to") ? "compare" : "to");
    location.hash = compareLink(row.strategy, other, row.case);
  }

  leave(event) {
    if (!this.place) return;
    event.preventDefault();
    // One level up: from a trial to the comparison that led there, from one case's comparison to that of all, and then to the report.
    const { compare, to, trial } = this.state, up = !trial && this.state.case ? { ...elsewhere(this.state), compare, to } : elsewhere(this.state);
    location.hash = (trial && this.home) || addressOf(up, this.start);
  }

  printing() {
    let folded = [];
    window.addEventListener("beforeprint", () => {
      folded = [...document.querySelectorAll("main:not([hidden]) details:not([open])")];
      for (const part of folded) part.open = true;
    });
    window.addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
  }
}

readRun().then(
  (run) => { window.report = new App(run); },
  (error) => { document.getElementById("no-grid").textContent = `The trials could not be unpacked: ${error}`; },
);
