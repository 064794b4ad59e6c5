"use strict";
// Building blocks. Data becomes text nodes and nothing else; no markup is ever parsed.

const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const LONG = 20000; // characters of a text that are shown before one asks for the rest

function seen(text) {
  return text.replace(UNSEEN, (one) => `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

function shortened(text) {
  return seen(text.length > LONG ? `${text.slice(0, LONG)} … ${grouped(text.length - LONG)} more characters` : text);
}

function el(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...kept.map((child) => (child instanceof Node ? child : shortened(String(child)))));
  return node;
}

function words(name) {
  return String(name).replaceAll("_", " ");
}

function sentence(text) {
  const said = String(text);
  return said ? said[0].toUpperCase() + said.slice(1) + (/[.!?]$/.test(said) ? "" : ".") : said;
}

function many(count, one, more) {
  return `${grouped(count)} ${count === 1 ? one : more || `${one}s`}`;
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function note(...content) {
  return el("span", { class: "note" }, ...content);
}

function fold(open, title, ...content) {
  return el("details", { open }, el("summary", null, title), ...content);
}

function button(title, act, attributes) {
  return el("button", { type: "button", ...attributes, on: { click: act } }, title);
}

function block(text, marks = []) {
  const whole = String(text);
  const shown = el("pre", { class: "text", tabindex: "0" }, marked(whole.slice(0, LONG), marks));
  if (whole.length <= LONG) return shown;
  const more = button(`Show all ${grouped(whole.length)} characters`, () => {
    const pieces = [];
    for (let at = 0; at < whole.length; at += LONG) pieces.push(el("span", { class: "piece" }, whole.slice(at, at + LONG)));
    shown.replaceChildren(...pieces);
    shown.focus();
    more.remove();
  }, { class: "more" });
  return el("div", { class: "cut" }, shown, more);
}

function marked(text, marks) {
  // Marks are words, never patterns: a pattern that came with the data could keep the browser busy for ever.
  if (!marks.length) return text;
  const pattern = new RegExp(`(?<!\\w)(?:${marks.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?!\\w)`, "g");
  const found = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    found.push(text.slice(end, match.index), el("mark", { class: "stated", title: "a fact that the fix needs" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...found, text.slice(end)];
}

function table(head, rows, name) {
  return el(
    "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    el("table", { class: "plain" },
      el("thead", null, el("tr", null, head.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", null, rows.map((cells) => el("tr", null, cells.map((cell, at) => el("td", { "data-name": head[at] }, cell)))))),
  );
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("dl", { class: "facts" }, known.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function copyButton(what, text) {
  return button(`Copy ${what}`, async (event) => {
    const done = await copied(typeof text === "function" ? text() : text);
    say(done ? `The ${what} is on the clipboard.` : "The browser does not let this page copy.");
    event.target.classList.toggle("done", done);
  }, { class: "copy" });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

function copiedByHand(text) {
  // Browsers that keep the clipboard from a file on the disk still copy what is selected.
  const before = document.activeElement, held = el("textarea", { class: "offscreen", "aria-hidden": "true" });
  held.value = text;
  document.body.append(held);
  held.select();
  const done = document.execCommand("copy");
  held.remove();
  before?.focus();
  return done;
}

function say(text) {
  document.getElementById("said").textContent = seen(text);
}
