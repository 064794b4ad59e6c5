"""Evidence made by hand: a small case with one edit fault, and the trials, runs and exchanges that scoring reads."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from mendbench.model.case import Case, Fault, Fix, KeptCheck, RequestCheck, Variant
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import Execution, NodeRecord, Warned
from mendbench.model.prompt import Context, Prompt, Reply, Section
from mendbench.model.trial import Attempt, CleanRun, Trajectory

POST = "https://slack.com/api/chat.postMessage"

BROKEN = {
    "ir_version": "0.1.0",
    "nodes": [
        {"id": "fetch", "type": "http", "params": {"url": "https://slack.com/api/users.info?user=${user_id}"}},
        {
            "id": "greet",
            "type": "http",
            "params": {"url": POST, "body": {"text": "Hi ${fetch.response.user.username}!", "channel": "C1"}},
        },
    ],
    "edges": [{"from": "fetch", "to": "greet"}],
    "inputs": {"user_id": {"type": "string"}},
}
FIX = Fix(
    patch=({"op": "replace", "path": "/nodes/greet/params/body/text", "value": "Hi ${fetch.response.user.name}!"},)
)


def fixed_workflow(text="Hi ${fetch.response.user.name}!"):
    document = copy.deepcopy(BROKEN)
    document["nodes"][1]["params"]["body"]["text"] = text
    return document


def edit_fault(name="wrong-field", node="greet", **changes):
    values = {
        "cause": (node,),
        "surfaces": node,
        "state": "error",
        "who": "edit",
        "category": "template_error",
        "facts": (r"user\.name",),
    }
    return Fault(id=name, **{**values, **changes})


def user_fault(node="greet", says="channel_not_found"):
    return Fault(
        id="no-channel", cause=(), surfaces=node, state="warning", who="user", category="non_repairable", says=says
    )


def greeting_check(text="Hi ada!", **changes):
    return RequestCheck(method="POST", url=POST, json={"text": text}, **changes)


def make_case(**changes):
    values = {
        "family": "slack", "name": "greeting", "folder": Path("cases/slack/greeting"), "title": "t", "group": "slack-users",
        "request": "Greet the user.", "workflow": BROKEN, "recorded_from": {"slack": "simulator"}, "api": "private",
        "inputs": {"user_id": "U1"}, "state": {}, "faults": (edit_fault(),), "first": {"fetch": "success", "greet": "error"},
        "after_fix": {"fetch": "success", "greet": "success"}, "final": "success",
        "checks": (greeting_check(), KeptCheck(nodes=("fetch", "greet"))),
        "variants": (Variant(name="bob", inputs={"user_id": "U2"}, state={}, checks=(greeting_check("Hi bob!"),)),),
        "fix": FIX, "accepts": (), "wrong_fixes": (),
    }  # fmt: skip
    return Case(**{**values, **changes})


def exchange(
    body=None,
    *,
    method="POST",
    url=POST,
    headers=(("Content-Type", "application/json"),),
    accepted=True,
    phase=0,
    changed=None,
    meaning=None,
):
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    request = Request(method=method, url=url, headers=headers, body=raw)
    response = Response(status=200 if accepted else 422, body=b'{"ok": true}')
    did = accepted and not request.safe if changed is None else changed
    return Exchange(
        request=request, response=response, origin="recorded", key="k", accepted=accepted, phase=phase, changed=did, meaning=meaning
    )  # fmt: skip


def execution(outcome="success", warnings=(), outputs=None, node_outputs=None, messages=None, **states):
    nodes = tuple(
        NodeRecord(
            node_id=node,
            node_type="http",
            state=state,
            outputs=(node_outputs or {}).get(node, {}),
            message=(messages or {}).get(node),
        )
        for node, state in states.items()
    )
    said = tuple(Warned(node_id=node, message=message) for node, message in warnings)
    return Execution(outcome=outcome, nodes=nodes, warnings=said, outputs=outputs or {})


FAILED = execution("error", fetch="success", greet="error")
GREEN = execution("success", fetch="success", greet="success")
WARNED = execution("warning", [("greet", "API error: channel_not_found")], fetch="success", greet="warning")


def clean_run(text=None, *, of=GREEN, variant=None, traffic=()):
    sent = (exchange({"text": text, "channel": "C1"}),) if text is not None else ()
    return CleanRun(variant=variant, execution=of, traffic=(*sent, *traffic))


def right_of(case):
    """Return clean runs of a right workflow on all data of a case: one greeting each."""
    names = (None, *(variant.name for variant in case.variants))
    return {name: (clean_run("Hi!", variant=name),) for name in names}


def attempt(number, status="edited", *, candidate=None, ran=None, context="", reply="{}"):
    section = Section(name="said", label="raw", text=context)
    prompt = Prompt(system="s", frame="f", context=Context(strategy="summary", sections=(section,), tokens=1))
    return Attempt(
        number=number, prompt=prompt, reply=Reply(text=reply), status=status, candidate=candidate, execution=ran
    )


def trajectory(*attempts, first=FAILED, stop="attempts_exhausted", traffic=()):
    ran = [one for one in attempts if one.execution is not None]
    end = ran[-1].execution if ran else first
    workflow = ran[-1].candidate if ran else BROKEN
    return Trajectory(
        first=first, attempts=attempts, stop_reason=stop, end=end.outcome, workflow=workflow, traffic=traffic
    )
