// Keys: what they do, the help that says so, and the switch that turns single letters off.

const KEYS = [
  ["j", "the next case, under the same strategy"], ["k", "the case before"], ["l", "the next strategy, on the same case"], ["h", "the strategy before"],
  ["1 … 4", "the parts of a trial"], ["/", "find a case"], ["c", "compare two strategies; from a trial: its strategy with another, on this case"], ["Esc", "one level up"], ["?", "this help"],
  ["← ↑ ↓ →", "in the grid: from cell to cell, in its head from column to column; Home and End to a row's ends; Enter opens"],
];

function helpDialog(app) {
  const box = el("input", { type: "checkbox", id: "single-keys", on: { change: (event) => app.change({ keys: event.target.checked ? "" : "off" }) } });
  const dialog = el("dialog", { id: "help", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, KEYS.map(([key, does]) => el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, does)))),
    el("p", null, box, " ", el("label", { for: "single-keys" }, "Single letters and signs act")),
    button("Close", () => dialog.close(), { class: "more" }));
  dialog.show = () => { box.checked = app.state.keys !== "off"; dialog.showModal(); };
  return dialog;
}

function listenToKeys(app, help) {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || help.open || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea")) return;
    if (event.key === "Escape") return app.leave(event);
    if (app.state.keys === "off") return;
    const act = actionOf(event.key, app, help);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function actionOf(key, app, help) {
  if (key === "?") return () => help.show();
  if (key === "/") return () => app.find();
  if (key === "c") return () => app.compare();
  if ("jkhl".includes(key)) {
    const link = document.querySelector(`#trial:not([hidden]) a[data-step="${key}"]`);
    return link && (() => link.click());
  }
  const tab = TABS[Number(key) - 1];
  return tab && app.state.trial ? () => app.change({ tab: tab[0] }, `[data-tab="${tab[0]}"]`) : null;
}
