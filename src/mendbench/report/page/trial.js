// One trial: its verdict and why, its workflow as a graph, and in tabs what happened, what was sent, what is true and what is kept.

const TABS = [["", "What happened"], ["requests", "Requests"], ["truth", "Truth"], ["record", "Record"]];

function trialView(row, run, state, app) {
  const parts = { "": () => timeline(row, run), requests: () => worldPart(row), truth: () => truthPart(row), record: () => recordPart(row) };
  return el("article", { class: "trial" },
    trialHead(row, run, neighbours(run, state, row)), verdictCard(row), commandPart(row, run), siblings(row, run), graphPart(row, state, app), tabsPart(row, state, parts, app));
}

function crumb() {
  return el("a", { href: "#", id: "back" }, "← All trials");
}

function trialHead(row, run, near) {
  const facts = [
    ["Strategy", row.strategy], ["Policy", row.policy], ["Detector", row.detector || "none"], ["Answered by", row.model || row.repairer],
    ["Sample", row.sample || null], ["Engine", row.engine === "mendbench" ? null : row.engine], ["Family", row.family],
    ["Kind", el("span", { title: KINDS[row.kind] || null }, words(row.kind))], ["Part", row.part], ["Level", row.level],
    ["World", Object.entries(row.recorded_from || {}).map(([name, source]) => `${name} (${SOURCES[source] || source})`).join(", ")],
  ];
  const step = (key, letter, title) => (key ? el("a", { href: trialLink(key), class: "step", "data-step": letter, title }, el("kbd", null, letter), ` ${title}`) : null);
  return el("header", null,
    el("nav", { class: "crumb", "aria-label": "Trials beside this one" }, crumb(), el("span", { class: "steps-beside" },
      near.of ? note(`case ${near.place} of ${near.of}`) : null,
      step(near.before, "k", "case before"), step(near.after, "j", "next case"), step(near.left, "h", "strategy before"), step(near.right, "l", "next strategy"))),
    el("p", { class: "brand" }, row.case),
    el("h1", null, row.title),
    el("dl", { class: "chips" }, facts.filter(([, value]) => value).map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))),
    el("p", { class: "request" }, note("The request: "), row.request));
}

function verdictCard(row) {
  const { name, tone } = outcomeOf(row), failed = row.checks.filter((check) => !check.held && !check.harm);
  const top = row.progress === null || row.progress === undefined ? null : `Best progress level: ${row.progress} of 7, ${LEVELS[row.progress]}.`;
  const tokens = row.prompt_tokens === null ? null : `${grouped(row.prompt_tokens)} prompt and ${row.completion_tokens === null ? "an unknown number of" : grouped(row.completion_tokens)} response tokens.`;
  const recall = row.context_recall === null ? null : `Context recall ${Math.round(row.context_recall * 100)}\u202f%.`;
  const wasted = row.attempts.length ? `${many(row.attempts.length, "attempt")}${row.wasted_attempts === null ? "" : `, ${row.wasted_attempts} wasted`}.` : "No attempt was made.";
  return el("section", { class: `verdict ${tone}`, "aria-label": "Verdict" },
    el("p", { class: "result" }, badge(row), row.outcome ? el("span", { class: "verdict-name" }, row.verdict) : null),
    el("p", null, sentence(OUTCOMES[name] || words(name)), row.outcome
      ? [` It stopped because ${STOPS[row.stop_reason] || words(row.stop_reason)} (`, el("code", null, row.stop_reason), ")."] : null),
    problemPart(row.problem),
    harmPart(row),
    failed.length ? el("ul", { class: "checks" }, failed.slice(0, 4).map((check) => checkItem(check))) : null,
    failed.length > 4 ? el("p", { class: "note" }, `and ${failed.length - 4} more, under Truth`) : null,
    el("p", { class: "note" }, [wasted, top, tokens, recall].filter(Boolean).join(" ")));
}

function harmPart(row) {
  const harms = row.checks.filter((check) => check.harm && !check.held);
  if (!harms.length && !row.repeated_side_effects.length) return null;
  const sent = (wanted, where = "Sent") => row.requests.filter((one) => one.body && wanted(one))
    .map((one) => el("p", { class: "why" }, note(`${where}: `), el("code", null, `${one.method} ${one.url} ${one.body}`), note(one.accepted ? " accepted" : " refused")));
  // What the broken workflow sent by itself is no harm of a repair; what may not be sent at all is harm though it is refused.
  const by = (check) => (one) => one.phase > 0 && (one.accepted || check.check.startsWith("no_request")) 
    && [" ", ",", ";"].some((end) => `${check.check} ${check.why} `.includes(`${one.method} ${one.url}${end}`));
  return el("section", { class: "harm-shown", "aria-label": "What the harm was" }, el("h2", null, "What the harm was"), el("ul", { class: "checks" },
    harms.map((check) => el("li", null, checkItem({ ...check, harm: false }, "div"), sent(by(check), check.variant ? "In the trial itself it sent" : "Sent"))),
    row.repeated_side_effects.map((effect) => el("li", null, repeatedEffect(effect), sent((one) => one.accepted && one.method === effect.method && one.url === effect.url)))));
}

function repeatedEffect(effect) {
  return el("span", null, "Done more than once: ", el("code", null, `${effect.method} ${effect.url}`), ` accepted in executions ${effect.phases.map((number) => number + 1).join(", ")}`);
}

function problemPart(problem) {
  if (!problem) return null;
  const detail = problem.detail || {};
  const lines = [
    ["Asked for", detail.request], ["Nearest recorded", detail.nearest],
    ["Differs in", (detail.differs || []).join(", ")], ["Record it with", detail.record],
  ].filter(([, value]) => value);
  return lines.length ? facts(lines.map(([name, value]) => [name, el("code", null, value)])) : block(problem.message);
}

function commandPart(row, run) {
  const command = run.command(row);
  return el("section", { class: "again", "aria-label": "Replay this trial" }, el("p", { class: "note" }, "Replays this trial"),
    el("pre", { class: "command", tabindex: "0" }, command), copyButton("command", command), copyButton("key", row.key));
}

function siblings(row, run) {
  const columns = run.columns.map((column) => column.name), all = run.byCase.get(row.case);
  const place = (other) => [columns.indexOf(run.columnOf(other)), other.sample];
  const alike = all.filter((other) => run.isBound(other) || (run.isBound(row) ? run.sameView(other, { ...run.policies[0], ...run.solvers[0] }) : run.sameView(row, other)));
  alike.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
  const policies = all.filter((other) => other.strategy === row.strategy && other.sample === row.sample && run.sameSolver(row, other));
  const order = (other) => run.policies.indexOf(run.policyOf(other));
  policies.sort((a, b) => order(a) - order(b));
  const link = (label) => (other) => el("a", { href: trialLink(other.key), class: "sibling", "aria-current": other.key === row.key ? "page" : null },
    `${label(other)} `, badge(other));
  const line = (title, list, label) => list.length > 1 && el("div", { class: "siblings" }, note(title), list.map(link(label)));
  return el("nav", { "aria-label": "The same case otherwise" },
    line("Strategies", alike, (other) => `${run.columnOf(other)}${other.sample ? ` #${other.sample}` : ""}`),
    line("Under", policies, (other) => run.policyOf(other)?.label || other.policy));
}

function graphPart(row, state, app) {
  const steps = stepsOf(row);
  if (!steps.length) return null;
  const step = steps.find((one) => one.at === state.at) || steps[0];
  const place = el("div", { class: "drawn" }), shown = el("div", { class: "node-shown", "aria-live": "polite" });
  const states = new Map((step.execution?.nodes || []).map((node) => [node.node, node]));
  const edited = new Set(step.edits.map((path) => /^\/nodes\/([^/]+)/.exec(path)?.[1]).filter(Boolean));
  const draw = (chosen) => place.replaceChildren(graphView(step.workflow, { states, edited, expected: row.nodes, chosen, onChoose: choose }));
  const choose = (id) => {
    draw(id);
    app.fit();
    place.querySelector(`[data-node="${CSS.escape(id)}"]`)?.focus();
    shown.replaceChildren(nodeShown(id, step, states.get(id), row.nodes[id]));
  };
  draw(null);
  return el("section", { "aria-labelledby": "graph-title" }, el("h2", { id: "graph-title" }, "The workflow"),
    stepsBar(row, step.at, (at) => app.change({ at: at === "0" ? "" : at }, `[data-step="${at}"]`)), place, shown);
}

function nodeShown(id, step, ran, labelled) {
  const node = documentOf(step.workflow)?.nodes.find((one) => one.id === id) || {};
  return el("div", { class: "node-card" }, el("h3", null, id, note(` ${node.type ?? ""}`)),
    facts([["State", stateBadge(ran?.state || "not_run")], ["Labelled", labelled ? el("span", null, stateBadge(labelled.expected), note(" in the first execution")) : null],
      ["Said", ran?.message ? el("span", { class: "as-said" }, ran.message) : null], ["Confidence", ran?.confidence ? `${Math.round(ran.confidence * 100)} %` : null], ["Evidence", ran?.evidence ? el("ul", { class: "evidence" }, ran.evidence.map(evidenceItem)) : null], ["Took", ran ? `${ran.ms} ms on the virtual clock${ran.cached ? ", from the checkpoint" : ""}` : null], ["Purpose", node.purpose]]),
    node.params ? block(JSON.stringify(node.params, null, 1)) : null);
}

function evidenceItem({ path, found, weight }) {
  const side = weight > 0 ? "an edit could help" : "only the user can help";
  return el("li", { title: side }, `${weight > 0 ? "+" : "−"}${Math.abs(weight).toFixed(1)} ${path}: `, el("span", { class: "as-said" }, found));
}

function tabsPart(row, state, parts, app) {
  const counts = { requests: row.requests.length, truth: row.checks.length };
  const chosen = Object.hasOwn(parts, state.tab) ? state.tab : "";
  const open = (name) => app.change({ tab: name }, `[data-tab="${name}"]`);
  const move = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = TABS.findIndex(([name]) => name === chosen);
    if (by) open(TABS[(at + by + TABS.length) % TABS.length][0]);
  };
  const tab = ([name, title]) => button([title, counts[name] === undefined ? null : note(` ${counts[name]}`)], () => open(name),
    { role: "tab", id: `tab-${name}`, "data-tab": name, "aria-controls": `panel-${name}`, "aria-selected": String(name === chosen), tabindex: name === chosen ? "0" : "-1" });
  const panel = ([name, title]) => el("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: name !== chosen, class: "tab-panel" },
    el("h2", { class: "paper-only" }, title), parts[name]());
  const tabs = el("div", { role: "tablist", class: "tabs-of-trial", "aria-label": "Parts of the trial" }, TABS.map(tab));
  tabs.addEventListener("keydown", move);
  return el("div", null, tabs, TABS.map(panel));
}

function checkItem(check, name = "li") {
  return el(name, { class: check.held ? "held" : "failed" },
    el("span", { class: "glyph", role: "img", "aria-label": check.held ? "held" : "failed" }, check.held ? "✓" : "✗"), " ", check.check,
    check.variant ? note(` on the variant “${check.variant}”`) : null,
    check.harm && !check.held ? [" ", el("span", { class: "badge harm" }, "harm")] : null,
    check.why ? el("p", { class: "why" }, check.why) : null);
}
