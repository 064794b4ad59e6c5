// One trial: its verdict and why, then what happened, in order.

function trialView(row, run) {
  return el("article", { class: "trial" },
    trialHead(row, run), verdictCard(row), siblings(row, run), checksPart(row), timeline(row), worldPart(row), sidePart(row));
}

function trialHead(row) {
  const who = row.model ? `${row.model}` : row.repairer;
  const facts = [
    ["Strategy", row.strategy], ["Policy", row.policy], ["Detector", row.detector || "none"], ["Answered by", who],
    ["Sample", row.sample ? row.sample : null], ["Engine", row.engine === "mendbench" ? null : row.engine],
    ["Kind", words(row.kind)], ["Difficulty", row.difficulty],
    ["World", Object.entries(row.recorded_from || {}).map(([name, source]) => `${name} from ${source}`).join(", ")],
  ];
  return el("header", null,
    el("p", { class: "crumb" }, el("a", { href: "#", id: "back" }, "← All trials"), " ", el("kbd", null, "Esc")),
    el("p", { class: "brand" }, row.case),
    el("h1", null, row.title),
    el("dl", { class: "chips" }, facts.filter(([, value]) => value).map(([name, value]) =>
      el("div", null, el("dt", null, name), el("dd", null, String(value))))),
    el("p", { class: "request" }, el("span", { class: "note" }, "The request: "), row.request));
}

function verdictCard(row) {
  const { name, tone } = outcomeOf(row);
  const top = row.ladder === null || row.ladder === undefined ? null : `Best rung: ${row.ladder} of 7, ${RUNGS[row.ladder]}.`;
  const tokens = row.prompt_tokens === null ? null : `${row.prompt_tokens} prompt and ${row.completion_tokens ?? 0} answer tokens.`;
  const recall = row.context_recall === null ? null : `Context recall ${Math.round(row.context_recall * 100)} %`;
  const where = row.leaks ? `the fix's new value stood in: ${row.leaks}` : null;
  const wasted = row.attempts.length
    ? `${many(row.attempts.length, "attempt")}${row.wasted_attempts === null ? "" : `, ${row.wasted_attempts} wasted`}.`
    : "No attempt was made.";
  return el("section", { class: `verdict ${tone}`, "aria-label": "Verdict" },
    el("p", { class: "result" }, badge(row), row.outcome ? el("span", { class: "verdict-name" }, row.verdict) : null),
    el("p", null, sentence(OUTCOMES[name] || words(name)), row.outcome
      ? [` It stopped because ${STOPS[row.stop_reason] || words(row.stop_reason)} (`, el("code", null, row.stop_reason), ")."] : null),
    problemPart(row.problem),
    el("p", { class: "note" }, [wasted, top, tokens, [recall, where].filter(Boolean).join("; ") || null]
      .filter(Boolean).map((text) => sentence(text)).join(" ")));
}

function problemPart(problem) {
  if (!problem) return null;
  const detail = problem.detail || {};
  const lines = [
    ["Asked for", detail.request], ["Nearest recorded", detail.nearest],
    ["Differs in", (detail.differs || []).join(", ")], ["Record it with", detail.record],
  ].filter(([, value]) => value);
  if (!lines.length) return block(problem.message);
  return el("dl", { class: "facts" }, lines.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, el("code", null, value)))));
}

function siblings(row, run) {
  const columns = run.columnNames();
  const place = (other) => [columns.indexOf(run.columnOf(other)), other.sample];
  const alike = run.rows.filter((other) => other.case === row.case && (run.isBound(other) || run.isBound(row) || run.sameView(row, other)));
  alike.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
  const policies = run.rows.filter((other) => other.case === row.case && other.strategy === row.strategy
    && other.sample === row.sample && run.sameSolver(row, other));
  policies.sort((a, b) => run.policyAt(a) - run.policyAt(b));
  const link = (label) => (other) => el("a", { href: trialLink(other.key), class: "sibling", "aria-current": other.key === row.key ? "page" : null },
    `${label(other)} `, badge(other));
  const strategies = alike.length > 1 && el("div", { class: "siblings" }, el("span", { class: "note" }, "Told by"),
    alike.map(link((other) => `${run.columnOf(other)}${other.sample ? ` #${other.sample}` : ""}`)));
  const stops = policies.length > 1 && el("div", { class: "siblings" }, el("span", { class: "note" }, "Under"), policies.map(link((other) => run.policies[run.policyAt(other)]?.label || other.policy)));
  return el("nav", { "aria-label": "The same case otherwise" }, strategies, stops);
}

function checksPart(row) {
  const failed = row.checks.filter((check) => !check.held), held = row.checks.filter((check) => check.held);
  const item = (check) => el("li", { class: check.held ? "held" : "failed" },
    el("span", { class: "glyph" }, check.held ? "✓" : "✗"), " ", check.check,
    check.variant ? el("span", { class: "note" }, ` variant ${check.variant}`) : null,
    check.harm && !check.held ? el("span", { class: "badge harm" }, "harm") : null,
    check.why ? el("p", { class: "why" }, check.why) : null);
  const wrong = Object.entries(row.nodes).filter(([, node]) => node.expected !== "not_run" && node.expected !== node.got);
  return el("section", null, el("h2", null, "Why"),
    failed.length ? el("ul", { class: "checks" }, failed.map(item)) : el("p", { class: "explain" }, row.checks.length ? "Every check held." : "No check was judged."),
    held.length ? fold(!failed.length && held.length < 8, `${many(held.length, "check")} held`, el("ul", { class: "checks" }, held.map(item))) : null,
    wrong.length ? el("div", null, el("h3", null, "States of the first execution that are not as labelled"),
      table(["Node", "Labelled", "Got"], wrong.map(([name, node]) => [name, stateBadge(node.expected), stateBadge(node.got)]), "Node states")) : null,
    row.warnings.length ? el("div", null, el("h3", null, "What the user was told at the end"),
      el("ul", { class: "said" }, row.warnings.map((said) => el("li", null, el("b", null, said.node_id), `: ${said.message}`)))) : null);
}

function timeline(row) {
  const first = row.first ? el("li", { class: "event" }, el("h3", null, "First execution ", stateBadge(row.first.outcome)), executionPart(row.first, true)) : null;
  return el("section", null, el("h2", null, "What happened"),
    fold(false, "The broken workflow", block(row.workflow)),
    el("ol", { class: "timeline" }, first, row.attempts.map((attempt) => attemptPart(attempt, row))));
}

function executionPart(execution, open) {
  const seen = execution.nodes.map((node) => [
    el("span", null, el("b", null, node.node), el("span", { class: "note" }, ` ${node.type}`)),
    el("span", null, stateBadge(node.state), node.cached ? el("span", { class: "note" }, " from checkpoint") : null,
      node.modified ? el("span", { class: "note" }, " run again") : null),
    node.message || "",
  ]);
  const failures = execution.failures.map((failure) => el("li", null,
    el("b", null, failure.node || "workflow"), ` ${words(failure.category || "")}`,
    failure.status ? el("span", { class: "note" }, ` status ${failure.status}`) : null,
    el("span", { class: "note" }, failure.fixable ? " fixable" : " not fixable"),
    el("p", { class: "why" }, failure.message),
    failure.suggestion ? el("p", { class: "why" }, el("span", { class: "note" }, "Suggests: "), failure.suggestion) : null));
  return [
    fold(open, `${many(execution.nodes.length, "node")}, ${execution.duration_ms} ms on the virtual clock`, table(["Node", "State", "Message"], seen, "Nodes")),
    failures.length ? fold(open, many(failures.length, "failure"), el("ul", { class: "failures" }, failures)) : null,
  ];
}

function attemptPart(attempt, row) {
  const counts = attempt.prompt_tokens === null ? "" : `${attempt.prompt_tokens} prompt tokens, ${attempt.completion_tokens ?? 0} in the answer`;
  const rung = attempt.ladder === null ? null : el("span", { class: "note" }, `rung ${attempt.ladder}: ${RUNGS[attempt.ladder]}`);
  return el("li", { class: "event" },
    el("h3", null, `Attempt ${attempt.number} `, el("span", { class: `label ${attempt.label || ""}` }, attempt.label || "not labelled"), " ",
      el("span", { class: "label" }, words(attempt.status)), attempt.repeat ? el("span", { class: "label" }, "prompt repeated") : null, " ", rung),
    attempt.repeat ? fold(false, "The same prompt as before", promptPart(attempt)) : promptPart(attempt),
    el("h4", null, "Answer ", el("span", { class: "note" }, [counts, attempt.reply === "answered" ? "" : words(attempt.reply)].filter(Boolean).join(", "))),
    attempt.answer ? block(attempt.answer) : el("p", { class: "explain" }, "An empty answer."),
    attempt.problem ? el("p", { class: "why" }, el("span", { class: "note" }, "What was wrong with it: "), attempt.problem) : null,
    attempt.workflow === null || attempt.workflow === row.workflow ? null : [el("h4", null, "Edit ", el("span", { class: "note" }, "broken workflow → candidate")), diffView(row.workflow, attempt.workflow)],
    attempt.execution ? [el("h4", null, "Resumed execution ", stateBadge(attempt.execution.outcome)), executionPart(attempt.execution, true)]
      : el("p", { class: "explain" }, attempt.workflow === null ? "No workflow came of it, so nothing ran." : attempt.workflow === row.workflow ? "The workflow is unchanged, so nothing ran." : "The candidate did not run."));
}

function promptPart(attempt) {
  const sections = attempt.sections.filter((section) => section.text || section.cut);
  const told = attempt.facts.found.length + attempt.facts.missing.length
    ? el("p", { class: "note" }, "Facts that one has to be told: ",
      attempt.facts.found.map((fact) => el("code", { class: "fact found" }, `✓ ${fact}`)), " ",
      attempt.facts.missing.map((fact) => el("code", { class: "fact missing" }, `✗ ${fact}`))) : null;
  return el("div", null,
    el("h4", null, "Prompt ", el("span", { class: "note" }, `context of ${attempt.context_tokens} tokens, estimated${attempt.truncated ? ", cut to the budget" : ""}`)),
    fold(false, "System", block(attempt.system)),
    fold(false, "Frame: the same for every strategy", block(attempt.frame)),
    sections.length ? el("div", { class: "context" }, sections.map((section) => el("div", { class: `section from-${section.label}` },
      el("p", { class: "section-name" }, el("span", { class: `source ${section.label}`, title: LABELS[section.label] || "" }, section.label), " ", words(section.name),
        section.cut ? el("span", { class: "label" }, "cut") : null),
      section.text ? block(section.text) : null)))
      : el("p", { class: "explain" }, "No error context: the frame alone."),
    told);
}

function worldPart(row) {
  if (!row.requests.length) return el("section", null, el("h2", null, "Requests sent"), el("p", { class: "explain" }, "None."));
  const phase = (number) => (number === 0 ? "first" : `attempt ${number}`);
  const rows = row.requests.map((sent) => [
    phase(sent.phase), sent.node || "", el("code", null, `${sent.method} ${sent.url}`),
    el("span", { class: sent.accepted ? "state success" : "state error" }, sent.fault ? sent.fault : String(sent.status), sent.accepted ? " accepted" : " refused"),
    el("span", { class: `origin ${sent.origin}` }, sent.origin),
    el("div", null, sent.body ? fold(false, "sent", block(sent.body)) : null, sent.answer ? fold(false, "answered", block(sent.answer)) : null),
  ]);
  return el("section", null, el("h2", null, "Requests sent ", el("span", { class: "note" }, row.derived ? `${row.derived} derived, over the trial and its clean runs` : "all from recordings")),
    table(["Execution", "Node", "Request", "Answer", "Origin", "Bodies"], rows, "Requests"));
}

function sidePart(row) {
  const repeated = row.repeated_side_effects.map((effect) => el("li", null, el("code", null, `${effect.method} ${effect.url}`),
    ` accepted in executions ${effect.phases.map((number) => number + 1).join(", ")}`));
  const outputs = Object.keys(row.outputs).length ? block(JSON.stringify(row.outputs, null, 1)) : null;
  const variants = row.variants.map((variant) => [variant.name, stateBadge(variant.outcome),
    el("span", null, Object.entries(variant.nodes).map(([name, state]) => el("span", { class: "pair" }, `${name} `, stateBadge(state))))]);
  const paths = (list) => el("ul", { class: "paths" }, list.map((path) => el("li", null, el("code", null, path))));
  return el("section", null, el("h2", null, "Besides"),
    variants.length ? [el("h3", null, "Variants: the same workflow on other inputs"), table(["Variant", "Outcome", "Nodes"], variants, "Variants")] : null,
    repeated.length ? [el("h3", null, "Side effects that happened twice"), el("ul", null, repeated)] : null,
    row.collateral_edits.length ? [el("h3", null, "Edits beside the fix"), paths(row.collateral_edits)] : null,
    row.edits.length ? fold(false, `${many(row.edits.length, "place")} edited${row.edited ? "" : ", none left applied"}`, paths(row.edits)) : null,
    outputs ? fold(false, "Outputs", outputs) : null,
    fold(false, "Key and evidence", el("dl", { class: "facts" }, [["key", row.key], ["case", row.case_digest], ["asks", row.evidence.asks], ["world", row.evidence.world]]
      .map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, el("code", null, value)))))));
}

function sentence(text) {
  const said = String(text);
  return said ? said[0].toUpperCase() + said.slice(1) + (/[.!?]$/.test(said) ? "" : ".") : said;
}
