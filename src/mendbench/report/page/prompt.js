// One prompt: what every strategy says alike, and then the context block, section by section, with the facts where they stand.

function userText(attempt) {
  const context = attempt.sections.map((section) => section.text).filter(Boolean).join("\n\n");
  return context ? `${attempt.frame}\n\n${context}` : attempt.frame;
}

function promptPart(attempt, row, run) {
  const sections = attempt.sections.filter((section) => section.text || section.cut);
  const sized = `${many(attempt.context_tokens, "token")}, estimated${attempt.truncated ? ", cut to the budget" : ""}`;
  return el("div", { class: "prompt" },
    el("h4", null, "Prompt ", copyButton("prompt", () => `${attempt.system}\n\n${userText(attempt)}`)),
    fold(false, "System", block(attempt.system)),
    fold(false, "Frame: the same for every strategy", block(attempt.frame)),
    sections.length
      ? el("div", { class: "context", role: "group", "aria-label": "Context block" },
        el("p", { class: "context-name" }, "Context block", note(` as rendered by ${row.strategy}, ${sized}`)),
        sections.map((section) => sectionPart(section, attempt.marks || [])))
      : el("p", { class: "explain" }, "No error context: the frame alone."),
    factsPart(attempt),
    otherPrompts(attempt, row, run));
}

function sectionPart(section, marks) {
  return el("div", { class: `section from-${section.label}` },
    el("p", { class: "section-name" }, el("span", { class: `source ${section.label}`, title: LABELS[section.label] || "" }, section.label), " ", words(section.name),
      section.cut ? el("span", { class: "label" }, "cut") : null),
    section.text ? block(section.text, marks) : null);
}

function readFact(pattern) {
  // About what a pattern looks for, for the eye: without what may be left out, one of each choice of letters. The title has it as it is.
  return pattern.replace(/\(\?[a-z]+\)|\\b/g, "").replace(/(\\.|[^\\])\?/g, "").replace(/\[(\w)[^\]]*\]/g, "$1").replaceAll("|", " or ").replace(/\\(\W)/g, "$1") || pattern;
}

function factsPart({ facts: { found, missing }, words: quotes = [], leaks }) {
  const where = leaks && el("p", { class: "note" }, leaks === "nowhere" ? "It did not contain the fix's new value." : `The fix's new value stood in: ${leaks}.`);
  if (!found.length && !missing.length) return where;
  return el("div", null, el("p", { class: "note" }, `${found.length} of ${many(found.length + missing.length, "fact")} that the fix needs: `,
    found.map((fact, at) => el("code", { class: "fact found", title: `found by the pattern ${fact}` }, `✓ ${quotes[at]?.length ? quotes[at].join(", ") : readFact(fact)}`)),
    missing.map((fact) => el("code", { class: "fact missing", title: `looked for by the pattern ${fact}` }, `✗ ${readFact(fact)}`))), where);
}

function otherPrompts(attempt, row, run) {
  const others = run.strategies().filter((name) => name !== row.strategy);
  if (run.isBound(row) || attempt.number > 1 || !others.length) return null;
  return el("p", { class: "note" }, "Beside the prompt of ", others.map((name) => [el("a", { href: compareLink(row.strategy, name, row.case) }, name), " "]));
}
