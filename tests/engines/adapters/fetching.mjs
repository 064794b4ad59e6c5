// A small engine in Node: linear workflows of http nodes, sent with Node's own fetch. It begins anew after each edit.
import { readFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(process.env[name], "utf8"));

class Missing extends Error {}

function look(path, data) {
  let value = data;
  for (const part of path.match(/[^.[\]]+/g)) {
    if (value === null || typeof value !== "object" || !(part in value)) throw new Missing(path);
    value = value[part];
  }
  return value;
}

function fill(value, data) {
  if (Array.isArray(value)) return value.map((item) => fill(item, data));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, data)]));
  if (typeof value !== "string") return value;
  const whole = value.match(/^\$\{([^}]+)\}$/);
  return whole ? look(whole[1], data) : value.replace(/\$\{([^}]+)\}/g, (_, path) => String(look(path, data)));
}

async function send(params) {
  const query = new URLSearchParams(params.params ?? {}).toString();
  const headers = new Headers(params.headers ?? {});
  if (params.auth_token) headers.set("Authorization", `Bearer ${params.auth_token}`);
  let { body } = params;
  if (body !== undefined && typeof body !== "string") {
    body = JSON.stringify(body);
    if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  }
  const method = params.method ?? (body === undefined ? "GET" : "POST");
  const came = await fetch(query ? `${params.url}?${query}` : params.url, { method, headers, body });
  const text = await came.text();
  try {
    return [came.status, JSON.parse(text)];
  } catch {
    return [came.status, text];
  }
}

async function run(node, data) {
  const [status, response] = await send(fill(node.params ?? {}, data));
  if (status < 400) return { outputs: { response, status_code: status } };
  return { error: { category: "execution_failure", message: `HTTP ${status}`, status_code: status, raw_response: response } };
}

const failed = (error) =>
  error instanceof Missing
    ? { error: { category: "template_error", message: `Template \${${error.message}} not found` } }
    : { error: { category: "execution_failure", message: `no answer: ${error.message}` } };

async function execute() {
  const workflow = read("MENDBENCH_WORKFLOW");
  const data = read("MENDBENCH_INPUTS");
  const edges = workflow.edges ?? [];
  const next = (id, action) => edges.find((edge) => edge.from === id && (edge.action ?? "default") === action)?.to;
  const statuses = {};
  const errors = [];
  let at = workflow.nodes.map((node) => node.id).find((id) => !edges.some((edge) => edge.to === id));
  while (at !== undefined) {
    const node = workflow.nodes.find((one) => one.id === at);
    const { outputs, error } = await run(node, data).catch(failed);
    statuses[at] = error ? "failed" : "completed";
    if (!error) data[at] = outputs;
    const onward = next(at, error ? "error" : "default");
    if (error && onward === undefined) errors.push({ source: "runtime", node_id: at, fixable: true, ...error });
    at = onward;
  }
  const steps = workflow.nodes.map(({ id }) => ({ node_id: id, status: statuses[id] ?? "not_executed" }));
  const outputs = errors.length
    ? {}
    : Object.fromEntries(Object.entries(workflow.outputs ?? {}).map(([name, one]) => [name, fill(one.source, data)]));
  return { success: errors.length === 0, errors, execution: { steps }, outputs };
}

const describe = { mendbench: { version: "1.0", judge: "mendbench", node_types: ["http"] } };
console.log(JSON.stringify(process.env.MENDBENCH_TASK === "describe" ? describe : await execute()));
