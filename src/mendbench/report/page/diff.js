// Lines removed and added between two texts: the longest common subsequence of their lines.

const DIFF_CELLS = 4000000; // above this many comparisons the middle is shown as replaced whole
const DIFF_CONTEXT = 3;
const SIDE_SIGNS = { first: "◂", second: "▸" };

function diffLines(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines) => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(a.slice(0, head)),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

function diffMiddle(a, b) {
  const signed = (sign) => (text) => ({ sign, text });
  if (!a.length || !b.length || a.length * b.length > DIFF_CELLS) return [...a.map(signed("-")), ...b.map(signed("+"))];
  const width = b.length + 1, longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j]
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const found = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) { found.push({ sign: " ", text: a[i] }); i++; j++; }
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) found.push({ sign: "-", text: a[i++] });
    else found.push({ sign: "+", text: b[j++] });
  }
  return [...found, ...a.slice(i).map(signed("-")), ...b.slice(j).map(signed("+"))];
}

function markChanged(lines) {
  // Where as many lines were added as removed, they are pairs: the part in which a pair differs is marked.
  for (let at = 0; at < lines.length; at++) {
    let removed = at, added;
    while (removed < lines.length && lines[removed].sign === "-") removed++;
    added = removed;
    while (added < lines.length && lines[added].sign === "+") added++;
    const count = removed - at;
    if (count && added - removed === count)
      for (let k = 0; k < count; k++) markPair(lines[at + k], lines[removed + k]);
    if (added > at) at = added - 1;
  }
  return lines;
}

function markPair(one, other) {
  if (Math.max(one.text.length, other.text.length) > LONG) return;
  const a = Array.from(one.text), b = Array.from(other.text);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const shared = a.slice(0, head).concat(a.slice(a.length - tail)).filter((letter) => letter !== " ").length;
  if (2 * shared < Math.min(one.text.trim().length, other.text.trim().length)) return; // two lines, not one that changed
  one.parts = [a.slice(0, head).join(""), a.slice(head, a.length - tail).join(""), a.slice(a.length - tail).join("")];
  other.parts = [b.slice(0, head).join(""), b.slice(head, b.length - tail).join(""), b.slice(b.length - tail).join("")];
}

function diffView(before, after, alike = "The workflow is the same, line by line.", sides = null) {
  // With sides, the texts of two strategies: neither is the other's mending, so that their lines stand beside each other in neutral colours.
  const lines = markChanged(diffLines(before, after));
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - DIFF_CONTEXT), at + DIFF_CONTEXT + 1).some((line) => line.sign !== " "));
  if (!near.includes(true)) return el("p", { class: "explain" }, alike);
  const changed = (at) => near[at] && lines[at].sign !== " ", shown = [];
  for (let at = 0, end; at < lines.length; at = end) {
    for (end = at; end < lines.length && near[end] === near[at] && changed(end) === changed(at);) end++;
    const own = lines.slice(at, end);
    shown.push(!near[at] ? gapOf(own) : changed(at) && sides ? besideEachOther(own) : own.map((line) => diffLine(line)));
  }
  const box = el("pre", { class: sides ? "text diff of-sides" : "text diff", tabindex: "0", "aria-label": "Difference, line by line" }, shown);
  return sides ? el("div", null, sidesLegend(sides), box) : box;
}

function gapOf(lines) {
  const open = (event) => {
    const box = event.target.closest("pre");
    event.target.replaceWith(...lines.map((line) => diffLine(line)));
    box.focus({ preventScroll: true });
  };
  return button(`⋯ ${many(lines.length, "unchanged line")}`, open, { class: "gap", "aria-expanded": "false", title: "Show these lines" });
}

function besideEachOther(lines) {
  const of = (sign, name) => el("span", { class: `of-${name}` }, lines.filter((line) => line.sign === sign).map((line) => diffLine(line, name)));
  return el("span", { class: "beside" }, of("-", "first"), of("+", "second"));
}

function sidesLegend(sides) {
  return el("p", { class: "sides" }, ["first", "second"].map((name, at) => [el("span", { class: `side-name ${name}` },
    el("span", { class: "sign", "aria-hidden": "true" }, SIDE_SIGNS[name]), ` only in ${sides[at]}`), " "]), note("without a mark: in both"));
}

function diffLine({ sign, text, parts }, side = null) {
  const kind = side || { " ": "same", "-": "removed", "+": "added" }[sign];
  const content = parts ? [parts[0], parts[1] ? el("mark", null, parts[1]) : "", parts[2]] : [text];
  return el("span", { class: kind }, el("span", { class: "sign" }, `${side ? SIDE_SIGNS[side] : sign === "-" ? "−" : sign} `), content);
}
