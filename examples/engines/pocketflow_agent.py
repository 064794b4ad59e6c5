"""A small agent on PocketFlow that executes a workflow and repairs it by itself.

In an environment of its own:

    python -m venv .venv-agent && .venv-agent/bin/pip install pocketflow jmespath
    mendbench run --engine 'cmd: .venv-agent/bin/python examples/engines/pocketflow_agent.py' --model MODEL --record new_episodes

Every node of a workflow is a PocketFlow node, and so are the steps of the loop: run, ask, run again. It takes every status from 400 on for
a failure, and what a 200 says of itself for none; it has no warnings, and begins anew after each edit.
"""

from __future__ import annotations

import copy
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from importlib.metadata import version
from pathlib import Path

import jmespath
from pocketflow import Flow, Node

SYSTEM = (
    "You mend workflows that call APIs. Answer with JSON alone: "
    '{"edits": [{"node": "id", "path": "params.body.title", "value": "..."}]}, '
    'or {"cannot_fix": "why"} if only the user can help.'
)
SHOWN = 3000
RESPONSES = int(os.environ.get("MENDBENCH_RESPONSES", "3"))


class Unresolved(Exception):
    """A template that names nothing."""


def look(path, data):
    """Return what a path leads to."""
    value = data
    for part in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Unresolved(f"Template ${{{path}}} not found") from None
    return value


def fill(value, data):
    """Return a parameter with its templates filled in."""
    if isinstance(value, dict):
        return {name: fill(item, data) for name, item in value.items()}
    if isinstance(value, list):
        return [fill(item, data) for item in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\$\{([^}]+)\}", value)
    return (
        look(whole[1], data) if whole else re.sub(r"\$\{([^}]+)\}", lambda found: as_text(look(found[1], data)), value)
    )


def as_text(value):
    """Return a value inside a text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


class Step(Node):
    """One node of the workflow."""

    def __init__(self, spec):
        """Keep what the workflow says of it."""
        super().__init__()
        self.spec = spec

    def prep(self, shared):
        """Fill in the parameters."""
        try:
            return fill(self.spec.get("params", {}), shared["data"]), None
        except Unresolved as error:
            return None, {"category": "template_error", "message": str(error)}

    def exec(self, prepared):
        """Do it."""
        params, failure = prepared
        if failure is not None:
            return {}, failure
        try:
            return self.work(params)
        except Exception as error:  # noqa: BLE001  whatever goes wrong in a step is its failure
            return {}, {"category": "exception", "message": f"{type(error).__name__}: {error}"}

    def post(self, shared, _prepared, done):
        """Note what came of it, and say where to go on."""
        outputs, failure = done
        node_id = self.spec["id"]
        shared["data"][node_id] = outputs
        shared["steps"][node_id] = "failed" if failure else "completed"
        if failure is None:
            return "default"
        if "error" not in self.successors:
            shared["errors"].append(
                {"source": "runtime", "action": "error", "fixable": True, "node_id": node_id, **failure}
            )
            return "stop"
        return "error"


class Http(Step):
    """An HTTP request."""

    def work(self, params):
        """Send it."""
        url, body, headers = (
            params["url"],
            params.get("body"),
            {str(k): as_text(v) for k, v in (params.get("headers") or {}).items()},
        )
        if params.get("params"):
            url += ("&" if "?" in url else "?") + urllib.parse.urlencode(params["params"], doseq=True)
        if params.get("auth_token"):
            headers["Authorization"] = f"Bearer {params['auth_token']}"
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        if data is not None:
            headers.setdefault("Content-Type", "application/json")
        method = (params.get("method") or ("GET" if data is None else "POST")).upper()
        request = urllib.request.Request(
            urllib.parse.quote(url, safe="!#$%&'()*+,/:;=?@[]~"), data, headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as came:
                status, raw = came.status, came.read()
        except urllib.error.HTTPError as error:
            status, raw = error.code, error.read()
        text = raw.decode("utf-8", "replace")
        try:
            response = json.loads(text)
        except ValueError:
            response = text
        outputs = {"response": response, "status_code": status}
        if status >= 400:  # noqa: PLR2004
            return outputs, {
                "category": "execution_failure",
                "message": f"HTTP {status}",
                "status_code": status,
                "raw_response": response,
            }
        return outputs, None


class Transform(Step):
    """A JMESPath expression over data."""

    def work(self, params):
        """Evaluate it."""
        return {"result": jmespath.search(params["expression"], params["data"])}, None


KINDS = {"http": Http, "transform": Transform}


def flow_of(workflow):
    """Return the workflow as a PocketFlow flow."""
    made = {spec["id"]: KINDS[spec["type"]](spec) for spec in workflow["nodes"]}
    edges = workflow.get("edges") or []
    for edge in edges:
        made[edge["from"]].next(made[edge["to"]], edge.get("action", "default"))
    reached = {edge["to"] for edge in edges}
    return Flow(start=made[workflow.get("start_node") or next(name for name in made if name not in reached)])


def executed(workflow, inputs):
    """Execute a workflow and return the document, and the data that it came to."""
    shared = {"data": copy.deepcopy(inputs), "steps": {}, "errors": []}
    flow_of(workflow).run(shared)
    steps = [
        {"node_id": one["id"], "status": shared["steps"].get(one["id"], "not_executed")} for one in workflow["nodes"]
    ]
    outputs = {}
    for name, spec in (workflow.get("outputs") or {}).items():
        try:
            outputs[name] = fill(spec["source"], shared["data"])
        except Unresolved:
            continue
    document = {
        "success": not shared["errors"],
        "errors": shared["errors"],
        "outputs": outputs,
        "execution": {"steps": steps},
    }
    return document, shared["data"]


class Run(Node):
    """Executes the workflow as it stands."""

    def post(self, shared, _prepared, _done):
        """Keep the document."""
        document, shared["seen"] = executed(shared["workflow"], shared["inputs"])
        shared.setdefault("first", document)
        if shared["asked"]:
            shared["attempts"].append({"workflow": copy.deepcopy(shared["workflow"]), "execution": document})
        shared["document"] = document
        return "done" if document["success"] or shared["asked"] >= RESPONSES else "failed"


class Ask(Node):
    """Asks the model for edits, and makes them."""

    def prep(self, shared):
        """Return the prompt."""
        data = {name: value for name, value in shared["seen"].items() if name not in shared["inputs"]}
        parts = {
            "Request": shared["request"], "Workflow": json.dumps(shared["workflow"], indent=1),
            "Failure": json.dumps(shared["document"]["errors"])[:SHOWN], "Data of the nodes": json.dumps(data)[:SHOWN],
        }  # fmt: skip
        return "\n\n".join(f"# {title}\n{text}" for title, text in parts.items())

    def exec(self, prompt):
        """Return the model's answer."""
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
        wire = {
            "model": os.environ.get("MENDBENCH_MODEL", ""),
            "messages": messages,
            "temperature": 0,
            "max_tokens": 400,
        }
        address = f"{os.environ['MENDBENCH_MODEL_URL']}/chat/completions"
        request = urllib.request.Request(address, json.dumps(wire).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as came:
                return json.load(came)["choices"][0]["message"]["content"]
        except urllib.error.HTTPError:
            return None

    def post(self, shared, _prompt, response):
        """Make the edits that can be made."""
        shared["asked"] += 1
        if response is None:
            return "done"
        found = re.search(r"\{.*\}", response, re.DOTALL)
        try:
            reply = json.loads(found[0]) if found else {}
        except ValueError:
            reply = {}
        if isinstance(reply.get("cannot_fix"), str):
            shared["declined"] = reply["cannot_fix"]
            return "done"
        shared["workflow"] = edited(shared["workflow"], reply.get("edits") or [])
        return "edited"


def edited(workflow, edits):
    """Return the workflow with those edits that name a place in it."""
    changed = copy.deepcopy(workflow)
    nodes = {node["id"]: node for node in changed["nodes"]}
    for edit in edits:
        try:
            *way, last = re.findall(r"[^./\[\]]+", edit["path"])
            place = nodes[edit["node"]]
            for part in way:
                place = place[int(part)] if isinstance(place, list) else place[part]
            place[int(last) if isinstance(place, list) else last] = edit["value"]
        except (KeyError, IndexError, TypeError, ValueError):
            continue
    return changed


def repaired():
    """Execute and repair, and return the document."""
    run, model_request = Run(), Ask()
    run - "failed" >> model_request
    model_request - "edited" >> run
    request = Path(os.environ["MENDBENCH_REQUEST"]).read_text(encoding="utf-8")
    shared = {
        "workflow": document_at("MENDBENCH_WORKFLOW"),
        "inputs": document_at("MENDBENCH_INPUTS"),
        "request": request,
        "asked": 0,
        "attempts": [],
    }
    Flow(start=run).run(shared)
    own = {name: shared.get(name) for name in ("workflow", "first", "attempts", "declined")}
    return {**shared["document"], "mendbench": own}


def document_at(name):
    """Return the JSON document that a variable names."""
    return json.loads(Path(os.environ[name]).read_text(encoding="utf-8"))


def main():
    """Do what is asked for and print the document."""
    task = os.environ.get("MENDBENCH_TASK")
    if task == "describe":
        own = {"version": version("pocketflow"), "repairs": True, "judge": "engine", "node_types": sorted(KINDS)}
        document = {"mendbench": own}
    else:
        document = (
            repaired()
            if task == "repair"
            else executed(document_at("MENDBENCH_WORKFLOW"), document_at("MENDBENCH_INPUTS"))[0]
        )
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
