"""A small engine that repairs by itself: it sends a model what failed, takes the text that it answers, and tries again."""

import json
import os
import sys

from plain import document_at, execute
from wire import exchange

WRONG = sys.argv[1] if len(sys.argv) > 1 else ""


def send(prompt):
    body = {
        "model": os.environ.get("MENDBENCH_MODEL", "none"), "temperature": 0,
        "messages": [{"role": "system", "content": "Mend the note."}, {"role": "user", "content": prompt}],
    }  # fmt: skip
    url = os.environ["MENDBENCH_MODEL_URL"] + "/chat/completions"
    status, raw, _ = exchange("POST", url, {"Content-Type": "application/json"}, json.dumps(body).encode())
    said = json.loads(raw)
    return said["choices"][0]["message"]["content"] if status < 400 else json.dumps({"refused": said["error"]["code"]})


def read(response):
    try:
        return json.loads(response)
    except ValueError:
        return {}


def edited(workflow, response):
    changed = json.loads(json.dumps(workflow))
    for edit in response.get("edits", []):
        node = next(one for one in changed["nodes"] if one["id"] == edit["node"])
        node["params"]["body"]["text"] = edit["value"]
    return changed


def repair():
    with open(os.environ["MENDBENCH_REQUEST"], encoding="utf-8") as file:  # noqa: PTH123
        request = file.read()
    workflow, first = document_at("MENDBENCH_WORKFLOW"), None
    document = execute(workflow)
    attempts, asked = [], 0
    if WRONG == "eager":
        send("Is it well?")
    while not document["success"] and asked < {"insists": 9, "presses": 30, "shy": 0}.get(WRONG, 3):
        first = first or document
        said = f"{request}\n{json.dumps(workflow)}\nIt failed: {document['errors']}\nData: {document['mendbench']['resume']}"
        response = read(send(said))
        asked += 1
        if "cannot_fix" in response:
            document["mendbench"]["declined"] = response["cannot_fix"]
            break
        if "refused" in response:
            if WRONG == "presses":
                continue
            break
        workflow = edited(workflow, response)
        document = execute(workflow, document["mendbench"]["resume"])
        attempts.append(
            {"workflow": workflow, "execution": {name: own for name, own in document.items() if name != "mendbench"}}
        )
    own = {"workflow": workflow, "declined": document["mendbench"].get("declined")}
    if WRONG != "silent":
        own |= {"first": first, "attempts": attempts}
    return {**document, "mendbench": {} if WRONG == "mute" else own}


if os.environ["MENDBENCH_TASK"] == "describe":
    print(json.dumps({"mendbench": {"version": "0.3", "repairs": True, "judge": "mendbench"}}))
else:
    print(json.dumps(repair() if os.environ["MENDBENCH_TASK"] == "repair" else execute()))
