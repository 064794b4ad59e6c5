// What is known of a trial beside what happened in it: what is true, what was sent, and what is kept.

function truthPart(row) {
  const checks = [...row.checks].sort((a, b) => Number(a.held) - Number(b.held));
  const nodes = Object.entries(row.nodes).map(([name, { expected, got }]) => [name, stateBadge(expected), stateBadge(got),
    expected === "not_run" ? note("not scored") : expected === got ? "as labelled" : el("b", null, "not as labelled")]);
  const variants = row.variants.map((variant) => [variant.name, stateBadge(variant.outcome),
    Object.entries(variant.nodes).map(([name, state]) => el("span", { class: "pair" }, `${name} `, stateBadge(state)))]);
  const repeated = row.repeated_side_effects.map((effect) => el("li", null, repeatedEffect(effect)));
  const held = row.checks.filter((check) => check.held).length;
  return [
    facts([["Kind", `${words(row.kind)}: ${KINDS[row.kind] || ""}`], ["Ends", row.evidence.verdict ? [stateBadge(row.end), note(" labelled "), stateBadge(row.evidence.verdict.expected_final)] : stateBadge(row.end)],
      ["Faults mended", row.faults_fixed.length ? row.faults_fixed.join(", ") : "none"], ["Warnings", row.warnings.length ? null : "none"]]),
    row.warnings.length ? [el("h3", null, "Warnings at the end"), el("ul", { class: "said" }, row.warnings.map((said) => el("li", null, el("b", null, said.node_id), `: ${said.message}`)))] : null,
    el("h3", null, "Checks ", note(row.checks.length ? `${held} of ${row.checks.length} held` : "none was judged")),
    checks.length ? el("ul", { class: "checks" }, checks.map((check) => checkItem(check))) : null,
    nodes.length ? [el("h3", null, "Node states of the first execution"), table(["Node", "Labelled", "Got", "Agreement"], nodes, "Node states")] : null,
    variants.length ? [el("h3", null, "Variants: the same workflow on other inputs"), table(["Variant", "Outcome", "Nodes"], variants, "Variants")] : null,
    repeated.length ? [el("h3", null, "Side effects that happened twice"), el("ul", null, repeated)] : null,
  ];
}

function worldPart(row) {
  if (!row.requests.length) return el("p", { class: "explain" }, "No request was sent.");
  const phase = (number) => (number === 0 ? "first" : `attempt ${number}`);
  const rows = row.requests.map((sent) => [
    phase(sent.phase), sent.node || "", el("code", null, `${sent.method} ${sent.url}`),
    el("span", { class: sent.accepted ? "state success" : "state error" }, sent.fault ? sent.fault : String(sent.status), sent.accepted ? " accepted" : " refused"),
    el("span", { class: `origin ${sent.origin}` }, sent.origin),
    [sent.body ? fold(false, "sent", block(readable(sent.body))) : null, sent.response ? fold(false, "response", block(readable(sent.response))) : null],
  ]);
  return [el("p", { class: "explain" }, row.derived ? `${many(row.derived, "response")} derived by simulated services, over the trial and its clean runs; the others recorded.` : "All answered from recordings."),
    table(["Execution", "Node", "Request", "Answer", "Origin", "Bodies"], rows, "Requests")];
}

function readable(text) {
  // Laid out by its letters and not by its values: a number must be shown as it was sent.
  if (text.length > LONG || !/^\s*[[{]/.test(text)) return text;
  let depth = 0, laid = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[^\s"{}[\],:]+|[{}[\],:]/g)) {
    if (token === "}" || token === "]") depth--;
    if ((token === "}" || token === "]") && !/[{[]$/.test(laid)) laid += `\n${" ".repeat(Math.max(depth, 0))}`;
    else if (/[{[,]$/.test(laid) && token !== "," && token !== "}" && token !== "]") laid += `\n${" ".repeat(depth)}`;
    laid += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
  }
  return laid;
}

function recordPart(row) {
  const paths = (list) => el("ul", { class: "paths" }, list.map((path) => el("li", null, el("code", null, path))));
  const codes = [["Key", row.key], ["Case's digest", row.case_digest], ["Asks' digest", row.evidence.asks], ["World's digest", row.evidence.world],
    ["Asks", row.attempts.map((attempt) => attempt.ask).filter(Boolean).join(" ")]];
  return [
    el("h3", null, "Outputs"), Object.keys(row.outputs).length ? block(JSON.stringify(row.outputs, null, 1)) : el("p", { class: "explain" }, "None."),
    row.collateral_edits.length ? [el("h3", null, "Edits beside the fix"), paths(row.collateral_edits)] : null,
    row.edits.length ? [el("h3", null, `${many(row.edits.length, "place")} edited${row.edited ? "" : ", none left applied"}`), paths(row.edits)] : null,
    el("h3", null, "Key and evidence"), facts(codes.filter(([, value]) => value).map(([name, value]) => [name, el("code", null, value)])),
    el("h3", null, "All of it ", copyButton("record", () => JSON.stringify(row, null, 1))),
    el("p", { class: "explain" }, "The trial's line of trials.jsonl, with its texts, without values that depend on time."),
  ];
}
