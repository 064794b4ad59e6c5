"""pflow (the distribution pflow-cli) as a command engine: our workflows as its Markdown, its JSON as it prints it.

In an environment of its own:

    python -m venv .venv-pflow && .venv-pflow/bin/pip install pflow-cli jmespath
    mendbench engine check 'cmd: .venv-pflow/bin/python examples/engines/pflow_cli.py'

Nodes of the types http and transform are converted, in workflows that are one line of nodes with handlers of errors. It has no way to go
on with an edited workflow, so each execution begins anew. It judges failures by itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

PFLOW = Path(sys.executable).with_name("pflow")
MIRRORED = ("url", "method", "headers", "params", "body", "timeout", "auth_token", "api_key")


def document_at(name):
    """Return the JSON document that a variable names."""
    return json.loads(Path(os.environ[name]).read_text(encoding="utf-8"))


def lines_of(workflow):
    """Return the nodes in the order of their run, and then those of each handler; leave where there is no such order."""
    nodes, edges = {node["id"]: node for node in workflow["nodes"]}, workflow.get("edges") or []
    follows = {edge["from"]: edge["to"] for edge in edges if edge.get("action", "default") == "default"}
    handlers = {edge["from"]: edge["to"] for edge in edges if edge.get("action") == "error"}
    if len(follows) + len(handlers) != len(edges) or any("batch" in node for node in nodes.values()):
        sys.exit("pflow's steps are one line with handlers: other branches, and batches, are not converted")
    if not edges:
        return [list(nodes.values())], handlers
    reached = {*follows.values(), *handlers.values()}
    starts = [
        workflow.get("start_node") or next((name for name in nodes if name not in reached), None),
        *dict.fromkeys(handlers.values()),
    ]
    lines, done = [], set()
    for start in starts:
        line, at = [], start
        while at in nodes and at not in done:
            done.add(at)
            line.append(nodes[at])
            at = follows.get(at)
        lines.append(line)
    return lines, handlers


def step(node):
    """Return a node as a step."""
    params = node.get("params", {})
    if node["type"] == "http":
        shown = [f"- {name}: {json.dumps(params[name])}" for name in MIRRORED if name in params]
        return ["- type: http", *shown]
    return [
        "- type: code", f"- inputs: {json.dumps({'data': params.get('data')})}", "", "```python code", "import jmespath", "data: object",
        f"result: object = jmespath.search({params.get('expression')!r}, data)", "```",
    ]  # fmt: skip


def markdown(workflow):
    """Return the workflow as pflow's Markdown."""
    lines = ["# Converted", "", "A workflow of the benchmark.", ""]
    for name, spec in (workflow.get("inputs") or {}).items():
        lines += ["## Inputs", ""] if "## Inputs" not in lines else []
        lines += [
            f"### {name}",
            "",
            "Given by whoever runs it.",
            "",
            f"- type: {spec.get('type', 'string')}",
            "- required: true",
            "",
        ]
    lines += ["## Steps", ""]
    runs, handlers = lines_of(workflow)
    for run in runs:
        for node in run:
            leads = [f"- on-error: {handlers[node['id']]}"] if node["id"] in handlers else []
            leads += ["- next: end"] if node is run[-1] and len(runs) > 1 else []
            first, *rest = step(node)
            lines += [f"### {node['id']}", "", "One step of the workflow.", "", first, *leads, *rest, ""]
    for name, spec in (workflow.get("outputs") or {}).items():
        lines += ["## Outputs", ""] if "## Outputs" not in lines else []
        lines += [f"### {name}", "", "Stated at the end.", "", f"- source: {spec['source']}", ""]
    return "\n".join(lines)


def execute():
    """Run pflow and return what it printed, as a document in the agent error format."""
    folder = Path(os.environ["MENDBENCH_TRACE_DIR"])
    path = folder / "converted.pflow.md"
    path.write_text(markdown(document_at("MENDBENCH_WORKFLOW")), encoding="utf-8")
    inputs = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in document_at("MENDBENCH_INPUTS").items()
    ]
    command = [str(PFLOW), str(path), *inputs, "--output-format", "json", "--no-cache"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(folder)})  # noqa: S603
    try:
        document = json.loads(ran.stdout)
    except ValueError:
        sys.exit(f"pflow printed no JSON: {ran.stdout[-300:]} {ran.stderr[-600:]}")
    return converted(document)


def converted(document):
    """Return pflow's document with what its format calls otherwise: outputs, and statuses of warnings."""
    document.pop("execution_id", None)
    document.pop("resume_command", None)
    result = document.get("result", document.get("outputs"))
    if document.get("success"):
        document["outputs"] = result if isinstance(result, dict) else {}
        document["status"] = {"degraded": "warning", "completed": "success"}.get(
            document.get("status"), document.get("status", "success")
        )
    elif not document.get("errors"):
        document["errors"] = [
            {"message": str(document.get("error")), "source": "validation", "category": "static_validation"}
        ]
    # What its validator remarks on beforehand is no warning of a node.
    document["warnings"] = [
        one for one in document.get("warnings") or [] if isinstance(one, dict) and one.get("source") == "runtime"
    ]
    for error in document.get("errors") or []:
        error.update({name: value for name, value in (error.get("context") or {}).items() if name not in error})
    return document


def main():
    """Do what is asked for and print the document."""
    if os.environ.get("MENDBENCH_TASK") == "describe":
        own = {"version": version("pflow-cli"), "resume": False, "judge": "engine", "node_types": ["http", "transform"]}
        document = {"mendbench": own}
    else:
        document = execute()
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
