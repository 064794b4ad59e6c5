"""Executions of n8n for tests: two HTTP Request nodes behind a webhook, of which the second one failed."""

import copy
import json
from itertools import pairwise

HOST = "https://bells.ropewalk.example"
TEXT = '{"detail": "stroke must be a number"}'


def node(name, parameters=None, kind="httpRequest", version=4.2, **more):
    return {
        "name": name,
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "parameters": parameters or {},
        **more,
    }


def wired(*names):
    return {one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in pairwise(names)}


def ran(*items, before=None, index=0, error=None, took=40):
    run = {
        "executionIndex": index,
        "startTime": 1770000000000 + index,
        "executionTime": took,
        "source": [{"previousNode": before}] if before else [],
    }
    if error is not None:
        return {**run, "executionStatus": "error", "error": error}
    return {
        **run,
        "executionStatus": "success",
        "data": {"main": [[item if "json" in item else {"json": item} for item in items]]},
    }


def refused(status=422, body=TEXT, **more):
    return {
        "name": "NodeApiError",
        "message": "Your request is invalid",
        "messages": [f"{status} - {json.dumps(body)}"],
        "httpCode": str(status),
        "context": {"itemIndex": 0},
        **more,
    }


def execution(nodes, runs, connections=None, **result):
    error = next((run["error"] for held in runs.values() for run in held if "error" in run), None)
    return {
        "id": 7,
        "workflowData": {
            "name": "bells",
            "nodes": nodes,
            "connections": connections or wired(*(one["name"] for one in nodes)),
        },
        "data": {"version": 1, "resultData": {"runData": runs, **({"error": error} if error else {}), **result}},
    }


WEBHOOK = node("Webhook", kind="webhook", version=2)
BELL = node(
    "Get bell",
    {
        "url": "=" + HOST + "/bells/{{ $json.body.bellName }}",
        "sendQuery": True,
        "queryParameters": {"parameters": [{"name": "full", "value": "yes"}]},
    },
)
STRIKE = node(
    "Strike",
    {
        "method": "POST",
        "url": HOST + "/strikes",
        "sendBody": True,
        "specifyBody": "json",
        "jsonBody": '={"bell": "{{ $json.mark }}", "weight": {{ $node["Get bell"].json.kilos }}, "by": "{{ $(\'Webhook\').item.json.body.ringer.name }}"}',
    },
)


def bells():
    """Return the whole execution: webhook, a success, and a refusal."""
    runs = {
        "Webhook": [ran({"headers": {}, "body": {"bellName": "treble", "ringer": {"name": "Ada"}, "unused": 1}})],
        "Get bell": [ran({"mark": "b-1", "kilos": 312}, before="Webhook", index=1)],
        "Strike": [ran(before="Get bell", index=2, error=refused())],
    }
    return execution(copy.deepcopy([WEBHOOK, BELL, STRIKE]), runs)


def flatted(value):
    """Return a value in the format of the package flatted, in which n8n's database stores executions."""
    table, places = [], {}

    def put(item):
        if not isinstance(item, str | dict | list):
            return item
        key = item if isinstance(item, str) else id(item)
        if key not in places:
            places[key] = len(table)
            table.append(None)
            at = places[key]
            table[at] = (
                item
                if isinstance(item, str)
                else {k: put(v) for k, v in item.items()}
                if isinstance(item, dict)
                else [put(v) for v in item]
            )
        return str(places[key])

    put(value)
    return json.dumps(table)
