// What happened, in order: the first execution, then each attempt with its prompt, answer, edit and execution.

function stepsOf(row) {
  const first = row.first && { at: "0", name: "First execution", execution: row.first, workflow: row.workflow, edits: [] };
  return [first, ...row.attempts.map((attempt) => ({ at: String(attempt.number), name: `Attempt ${attempt.number}`, attempt,
    execution: attempt.execution, workflow: attempt.workflow ?? row.workflow, edits: attempt.edits }))].filter(Boolean);
}

function stepsBar(row, chosen, choose) {
  const item = (step) => el("li", null, button([
    el("b", null, step.name), step.attempt ? el("span", { class: `label ${step.attempt.label || ""}` }, step.attempt.label || words(step.attempt.status)) : null,
    step.execution ? stateBadge(step.execution.outcome) : note("did not run"),
  ], () => choose(step.at), { "aria-pressed": String(step.at === chosen), "data-step": step.at }));
  return el("ol", { class: "steps", "aria-label": "Steps of the trial" }, stepsOf(row).map(item),
    el("li", { class: "stop" }, note(`stopped: ${STOPS[row.stop_reason] || words(row.stop_reason)}`)));
}

function timeline(row, run) {
  const first = row.first && el("li", { class: "event" }, el("h3", null, "First execution ", stateBadge(row.first.outcome)), executionPart(row.first, "first execution"));
  return [
    fold(false, "The broken workflow", block(row.workflow)),
    el("ol", { class: "timeline" }, first, row.attempts.map((attempt, at) => attemptPart(attempt, row.attempts[at - 1], row, run)),
      el("li", { class: "event end" }, el("h3", null, "Stopped"), el("p", null, sentence(STOPS[row.stop_reason] || words(row.stop_reason)), " ", el("code", null, row.stop_reason)))),
  ];
}

function executionPart(execution, name) {
  const ran = execution.nodes.map((node) => [
    el("span", null, el("b", null, node.node), note(` ${node.type}`)),
    el("span", null, stateBadge(node.state), node.cached ? note(" from checkpoint") : null, node.modified ? note(" run again") : null),
    node.message || "",
  ]);
  const failures = execution.failures.map((failure) => el("li", null,
    el("b", null, failure.node || "workflow"), ` ${words(failure.category || "")}`,
    failure.status ? note(` status ${failure.status}`) : null, note(failure.fixable ? " fixable" : " not fixable"),
    el("p", { class: "why" }, failure.message),
    failure.suggestion ? el("p", { class: "why" }, note("Suggests: "), failure.suggestion) : null));
  return [
    fold(!failures.length, `${many(execution.nodes.length, "node")}, ${execution.duration_ms} ms on the virtual clock`, table(["Node", "State", "Message"], ran, `Nodes of the ${name}`)),
    failures.length ? fold(true, many(failures.length, "failure"), el("ul", { class: "failures" }, failures)) : null,
  ];
}

function attemptPart(attempt, before, row, run) {
  const counts = attempt.prompt_tokens === null ? "" : `${attempt.prompt_tokens} prompt tokens, ${attempt.completion_tokens ?? "an unknown number"} in the response`;
  const level = attempt.progress === null ? null : note(`level ${attempt.progress} of 7: ${LEVELS[attempt.progress]}`);
  return el("li", { class: "event" },
    el("h3", null, `Attempt ${attempt.number} `, el("span", { class: `label ${attempt.label || ""}` }, attempt.label || "not labelled"), " ",
      el("span", { class: "label" }, words(attempt.status)), attempt.repeat ? el("span", { class: "label" }, "prompt repeated") : null, " ", level),
    attempt.repeat ? fold(false, "The same prompt as before", promptPart(attempt, row, run)) : promptPart(attempt, row, run),
    el("h4", null, "Response ", note([counts, attempt.reply === "answered" ? "" : words(attempt.reply)].filter(Boolean).join(", ")), " ", attempt.response ? copyButton("response", attempt.response) : null),
    attempt.response ? block(attempt.response) : el("p", { class: "explain" }, "An empty response."),
    attempt.problem ? el("p", { class: "why" }, note("What was wrong with it: "), attempt.problem) : null,
    editPart(attempt, before, row),
    attempt.execution ? [el("h4", null, "Resumed execution ", stateBadge(attempt.execution.outcome)), executionPart(attempt.execution, `execution after attempt ${attempt.number}`)]
      : el("p", { class: "explain" }, attempt.workflow === null ? "There is no workflow, so nothing ran." : "The candidate did not run."));
}

function editPart(attempt, before, row) {
  const since = before?.workflow ?? row.workflow;
  if (attempt.workflow === null) return null;
  if (attempt.workflow === since) return el("p", { class: "explain" }, "The workflow is unchanged.");
  const change = before?.workflow ? "what the attempt before left → candidate" : "broken workflow → candidate";
  return [el("h4", null, "Edit ", note(change)), diffView(since, attempt.workflow),
    before?.workflow && attempt.workflow !== row.workflow ? fold(false, "All edits since the broken workflow", diffView(row.workflow, attempt.workflow)) : null];
}
