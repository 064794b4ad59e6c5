// A workflow as a graph: nodes in layers, each with its state in words and glyph, and the same as a list.

const BOX = { width: 168, height: 56, across: 60, along: 22, edge: 8, detour: 46 };

function documentOf(text) {
  try {
    const { nodes, edges } = JSON.parse(text);
    const named = Array.isArray(nodes) ? nodes.filter((node) => node && typeof node.id === "string") : [];
    const ids = new Set(named.map((node) => node.id));
    const joined = Array.isArray(edges) ? edges.filter((edge) => edge && ids.has(edge.from) && ids.has(edge.to)) : [];
    return named.length ? { nodes: named, edges: joined } : null;
  } catch {
    return null;
  }
}

function layersOf({ nodes, edges }) {
  // Each node one layer after the last of those that lead to it; an edge that closes a circle does not count.
  const into = groupBy(edges, (edge) => edge.to), depth = new Map(), open = new Set();
  const depthOf = (id) => {
    if (depth.has(id)) return depth.get(id);
    if (open.has(id)) return -1;
    open.add(id);
    const found = 1 + Math.max(-1, ...(into.get(id) || []).map((edge) => depthOf(edge.from)));
    open.delete(id);
    depth.set(id, found);
    return found;
  };
  const layers = [...groupBy(nodes, (node) => depthOf(node.id))].sort(([a], [b]) => a - b).map(([, members]) => members);
  for (let at = 1; at < layers.length; at++) layers[at] = inOrderOf(layers[at], layers[at - 1], into);
  return layers;
}

function inOrderOf(layer, before, into) {
  const place = new Map(before.map((node, at) => [node.id, at]));
  const middle = (node) => {
    const found = (into.get(node.id) || []).map((edge) => place.get(edge.from)).filter((at) => at !== undefined);
    return found.length ? found.reduce((sum, at) => sum + at, 0) / found.length : layer.indexOf(node);
  };
  return [...layer].sort((a, b) => middle(a) - middle(b));
}

function placesOf(layers, upright, detour) {
  const places = new Map(), widest = Math.max(...layers.map((layer) => layer.length));
  const step = upright ? { along: BOX.width + BOX.along, across: BOX.height + BOX.across * .6 } : { along: BOX.height + BOX.along, across: BOX.width + BOX.across };
  layers.forEach((layer, depth) => layer.forEach((node, at) => {
    const along = BOX.edge + (at + (widest - layer.length) / 2) * step.along, across = BOX.edge + depth * step.across;
    places.set(node.id, upright ? { x: along, y: across } : { x: across, y: along });
  }));
  const along = 2 * BOX.edge + widest * step.along - BOX.along + detour;
  const across = 2 * BOX.edge + (layers.length - 1) * step.across + (upright ? BOX.height : BOX.width);
  return { places, width: upright ? along : across, height: upright ? across : along };
}

function graphView(text, { states, edited, expected, onChoose, chosen }) {
  const drawn = documentOf(text);
  if (!drawn) return el("p", { class: "explain" }, "This workflow cannot be drawn: it is not a document with nodes.");
  const upright = window.innerWidth < 720, layers = layersOf(drawn);
  const depth = new Map(layers.flatMap((layer, at) => layer.map((node) => [node.id, at])));
  const near = (edge) => depth.get(edge.to) - depth.get(edge.from) === 1;
  const { places, width, height } = placesOf(layers, upright, drawn.edges.every(near) ? 0 : BOX.detour);
  const shapes = [...drawn.edges.map((edge) => edgeShape(edge, places, upright, near(edge))), ...drawn.nodes.map((node) => nodeShape(node))];
  const picture = svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "The workflow's nodes and their states" },
    svg("defs", null, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" }))),
    shapes);
  return el("div", null, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The workflow as a graph" }, picture), fold(false, "The same as a list", listOf(drawn, states)));

  function nodeShape(node) {
    const { x, y } = places.get(node.id), state = states.get(node.id)?.state || "not_run", label = expected[node.id]?.expected;
    const otherwise = label && label !== "not_run" && label !== state ? `, labelled ${words(label)}` : "";
    const caption = `${node.id}, ${node.type}: ${words(state)}${otherwise}${edited.has(node.id) ? ", edited" : ""}`;
    const choose = (event) => {
      if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      onChoose(node.id);
    };
    return svg("g", { class: `node ${state}`, role: "button", tabindex: "0", "aria-label": caption, "aria-pressed": String(chosen === node.id), "data-node": node.id,
      transform: `translate(${x} ${y})`, on: { click: choose, keydown: choose } },
      svg("title", null, caption),
      svg("rect", { width: BOX.width, height: BOX.height, rx: 8 }),
      edited.has(node.id) && svg("rect", { class: "edited", x: 0, y: 8, width: 4, height: BOX.height - 16, rx: 2 }),
      svg("text", { class: "node-name", x: 14, y: 22 }, fitted(node.id, 20)),
      svg("text", { class: "node-state", x: 14, y: 42 }, `${STATES[state] || "·"} ${words(state)}`),
      svg("text", { class: "node-type", x: BOX.width - 12, y: 42, "text-anchor": "end" }, fitted(edited.has(node.id) ? "edited" : String(node.type), 11)));
  }
}

function fitted(text, length) {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}

function edgeShape(edge, places, upright, near) {
  // From a layer to the next one straight ahead; over more than one layer, or back, around the boxes between.
  const a = places.get(edge.from), b = places.get(edge.to), action = edge.action || "default";
  const ends = near
    ? (upright ? [[a.x + BOX.width / 2, a.y + BOX.height], [b.x + BOX.width / 2, b.y]] : [[a.x + BOX.width, a.y + BOX.height / 2], [b.x, b.y + BOX.height / 2]])
    : (upright ? [[a.x + BOX.width, a.y + BOX.height / 2], [b.x + BOX.width, b.y + BOX.height / 2]] : [[a.x + BOX.width / 2, a.y + BOX.height], [b.x + BOX.width / 2, b.y + BOX.height]]);
  const bends = bendsOf(ends, upright, near), middle = [0, 1].map((axis) => (ends[0][axis] + 3 * bends[0][axis] + 3 * bends[1][axis] + ends[1][axis]) / 8);
  const path = `M${ends[0].join(" ")}C${bends[0].join(" ")} ${bends[1].join(" ")} ${ends[1].join(" ")}`;
  const named = action === "default" ? null : svg("text", { class: "action", x: middle[0], y: middle[1] - 6, "text-anchor": "middle" }, fitted(action, 10));
  return svg("g", { class: action === "default" ? "edge" : "edge other" }, svg("path", { d: path, "marker-end": "url(#tip)" }), named);
}

function bendsOf([from, to], upright, near) {
  if (near) return upright ? [[from[0], (from[1] + to[1]) / 2], [to[0], (from[1] + to[1]) / 2]] : [[(from[0] + to[0]) / 2, from[1]], [(from[0] + to[0]) / 2, to[1]]];
  const around = upright ? Math.max(from[0], to[0]) + BOX.detour : Math.max(from[1], to[1]) + BOX.detour;
  return upright ? [[around, from[1]], [around, to[1]]] : [[from[0], around], [to[0], around]];
}

function listOf({ nodes, edges }, states) {
  const from = groupBy(edges, (edge) => edge.from);
  const next = (node) => (from.get(node.id) || []).map((edge) => `${edge.action && edge.action !== "default" ? `on ${edge.action} ` : ""}${edge.to}`).join(", ");
  return el("ol", { class: "paths" }, nodes.map((node) => el("li", null, el("b", null, node.id), ` ${node.type} `,
    stateBadge(states.get(node.id)?.state || "not_run"), next(node) ? note(` then ${next(node)}`) : null)));
}
