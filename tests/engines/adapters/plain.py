"""A small engine of its own: linear workflows of http nodes, standard library only. WRONG breaks it in one way.

``adds NAME: VALUE``, a header a line, lets its HTTP client add these headers to each request.
"""

# ruff: noqa: C901, PLR0912, PTH123, PERF401, SIM105  one plain program in one piece
import json
import os
import re
import subprocess
import sys
import time
from urllib.parse import urlencode

from wire import exchange

WRONG = sys.argv[1] if len(sys.argv) > 1 else ""
ADDED = (
    dict(line.split(": ", 1) for line in WRONG.removeprefix("adds ").splitlines()) if WRONG.startswith("adds ") else {}
)


def document_at(name):
    with open(os.environ[name], encoding="utf-8") as file:
        return json.load(file)


class Missing(Exception):
    pass


def look(path, data):
    value = data
    for part in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Missing(path) from None
    return value


def fill(value, data):
    if isinstance(value, dict):
        return {name: fill(item, data) for name, item in value.items()}
    if isinstance(value, list):
        return [fill(item, data) for item in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\$\{([^}]+)\}", value)
    if whole:
        found = look(whole[1], data)
        return str(found) if WRONG == "types" and not isinstance(found, dict | list) else found
    if WRONG == "literal":
        return value
    return re.sub(r"\$\{([^}]+)\}", lambda m: str(look(m[1], data)), value)


def send(params):
    url = params["url"]
    if params.get("params"):
        url += "?" + urlencode(params["params"])
    if WRONG == "astray":
        url = re.sub(r"^http://127\.0\.0\.1:\d+/([^/]+)", r"http://\1", url)
    headers = {name: str(item) for name, item in (params.get("headers") or {}).items()}
    if params.get("auth_token"):
        headers["Authorization"] = "Bearer " + params["auth_token"]
    body = params.get("body")
    data = None
    if body is not None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        if WRONG != "untyped":
            headers.setdefault("Content-Type", "application/json")
    headers = {**ADDED, **headers}
    method = params.get("method") or ("GET" if body is None else "POST")
    for _ in range(2 if WRONG == "twice" else 1):
        status, raw, shown = exchange(method, url, headers, data)
    try:
        return status, json.loads(raw), shown
    except ValueError:
        return status, raw.decode("utf-8", "replace"), shown


def execute(workflow=None, held=None):
    workflow, data, held = workflow or document_at("MENDBENCH_WORKFLOW"), document_at("MENDBENCH_INPUTS"), held or {}
    if "MENDBENCH_CHECKPOINT" in os.environ and WRONG != "repeats":
        held = document_at("MENDBENCH_CHECKPOINT")
    steps, errors, done = [], [], {}
    arrived, ends = {edge["to"] for edge in workflow.get("edges", [])}, {}
    for edge in workflow.get("edges", []):
        ends.setdefault(edge["from"], {})[edge.get("action", "default")] = edge["to"]
    nodes = {node["id"]: node for node in workflow["nodes"]}
    at = next((name for name in nodes if name not in arrived), None)
    ran = {}
    while at is not None:
        node, failure = nodes[at], None
        try:
            params = fill(node.get("params", {}), data)
            mark = json.dumps(params, sort_keys=True)
            if at in held and held[at]["mark"] == mark:
                outputs = held[at]["outputs"]
            else:
                status, body, shown = send(params)
                outputs = {"response": body, "status_code": status}
                if status >= 400 and WRONG != "swallows":
                    failure = {
                        "category": "execution_failure",
                        "message": f"HTTP {status}",
                        "status_code": status,
                        "raw_response": body,
                        "response_headers": shown,
                    }
        except Missing as error:
            failure = {"category": "template_error", "message": f"Template ${{{error}}} not found"}
        except OSError as error:
            failure = {"category": "execution_failure", "message": f"no response: {error.__class__.__name__}"}
        if failure is None:
            data[at], done[at] = outputs, {"mark": mark, "outputs": outputs}
            ran[at], at = "completed", ends.get(at, {}).get("default")
            continue
        ran[at] = "failed"
        handler = ends.get(at, {}).get("error")
        if handler is None:
            errors.append(
                {
                    "source": "runtime",
                    "node_id": None if WRONG == "nameless" else at,
                    "fixable": True,
                    "action": "error",
                    **failure,
                }
            )
        at = handler
    for name in nodes:
        steps.append(
            {"node_id": name, "status": ran.get(name, "not_executed"), "duration_ms": 3.5, "cached": name in held}
        )
    outputs = {}
    for name, spec in (workflow.get("outputs") or {}).items():
        try:
            outputs[name] = fill(spec["source"], data)
        except Missing:
            pass
    document = {"success": not errors, "errors": errors, "outputs": outputs}
    if WRONG != "stepless":
        document["execution"] = {"duration_ms": time.time(), "steps": steps}
    document["mendbench"] = {"resume": done}
    return document


def main():
    if os.environ["MENDBENCH_TASK"] == "describe":
        print(
            json.dumps({"mendbench": {"version": "1.5", "resume": True, "judge": "mendbench", "node_types": ["http"]}})
        )
        return
    if WRONG == "hangs":
        time.sleep(60)
    if WRONG == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if WRONG == "leaves":
        subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if WRONG == "eats":
        taken = bytearray(400_000_000)
        time.sleep(30)
        del taken
    if WRONG == "dies":
        sys.exit("the flux is inverted")
    if WRONG == "speechless":
        print("workflow finished, all is well")
        return
    if WRONG == "chatty":
        print("starting up\nstill here")
    document = execute()
    if WRONG == "unfinished":
        document.pop("success")
    print(json.dumps(document))


if __name__ == "__main__":
    main()
