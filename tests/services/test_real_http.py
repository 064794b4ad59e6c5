"""The real servers that speak HTTP, where they are installed: they still answer what is recorded, and the same twice."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.cassettes.cassette import load
from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.case_file import load_case
from mendbench.errors import BadInput
from mendbench.live.world import HttpLive
from mendbench.model.exchange import Request
from mendbench.recording.recorder import Recorder
from mendbench.services import real_world
from mendbench.services.chroma.world import COLLECTIONS, shown_id
from mendbench.trial.components import build_engine
from mendbench.trial.scope import open_scope
from mendbench.values.json_patch import apply_patch

ROOT = Path(__file__).parents[2]
TOKEN = secrets.token_hex(16)
DYNAMO, SQS = "https://dynamodb.eu-west-1.amazonaws.com/", "https://sqs.eu-west-1.amazonaws.com/"
SNS, SSM = "https://sns.eu-west-1.amazonaws.com/", "https://ssm.eu-west-1.amazonaws.com/"
CHROMA, MLFLOW = f"http://chroma.northwind.example{COLLECTIONS}", "https://mlflow.northwind.example/api/2.0/mlflow"
PREFECT = "https://prefect.northwind.example/api"
POSTS = "https://kinto.northwind.example/v1/buckets/website/collections/posts/records"
HELP = f"{CHROMA}/{shown_id('help-articles')}"
LAB, BOOKS = "https://phials.coldstore.example", "http://notebooks.saltings.example/api/contents"
ERRANDS = f"{SQS}123456789012/barn-errands"


def aws(url, target, body):
    return ("POST", url, {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"}, body)


def books(method, path, body=None, token=TOKEN):
    return (method, f"{BOOKS}{path}", {"Authorization": f"token {token}"}, body)


def lab(method, path, body=None):
    return (method, f"{LAB}{path}", {"Content-Type": "application/json"}, body)


def plain(method, url, body=None):
    return (method, url, {"Content-Type": "application/json"}, body)


def kinto(method, url, body=None, token=TOKEN):
    return (method, url, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}, body)


CALLS = {
    "chroma": [
        (plain("GET", f"{CHROMA}/help-articles"), 200, f'"id":"{shown_id("help-articles")}"'),
        (plain("POST", f"{HELP}/query", {"query_embeddings": [[0.2, 0.8]], "n_results": 1}), 200, '"ids":[["kb-1"]]'),
        (plain("POST", f"{HELP}/query", {"query_embeddings": [[0.2, 0.8]], "n_results": "1"}), 422, "n_results: invalid type: string"),
        (plain("POST", f"{HELP}/upsert", {"ids": ["kb-2"], "embeddings": [[1, 2, 3]]}), 400, "expecting embedding with dimension of 2, got 3"),
        (plain("POST", f"{HELP}/get", {}), 200, '"metadatas":[{"lang":"en","rank":2.5,"views":7}]'),
        (plain("POST", CHROMA, {"name": "attic"}), 200, f'"id":"{shown_id("attic")}"'),
        (plain("GET", CHROMA), 200, '"name":"attic"'),
        (plain("GET", f"{CHROMA}/help"), 404, "Collection [help] does not exist"),
    ],
    "kinto": [
        (kinto("GET", f"{POSTS}?_limit=1"), 200, '"id":"news"'),
        (kinto("POST", POSTS, {"data": {"title": "x", "words": "3"}}), 400, "words in body: '3' is not of type 'integer'"),
        (kinto("POST", POSTS, {"data": {"title": "x", "words": 3}}), 201, '"last_modified":1767225600003'),
        (kinto("PATCH", f"{POSTS}/welcome", {"dat": {}}), 400, "Unrecognized keys in mapping"),
        (kinto("GET", f"{POSTS}/welcom"), 404, '"resource_name":"record"'),
        (kinto("GET", POSTS, token="another"), 401, "Please authenticate yourself to use this endpoint."),
        (kinto("PUT", "https://kinto.northwind.example/v1/buckets/shop"), 403, "This user cannot access this resource."),
    ],
    "mlflow": [
        (plain("GET", f"{MLFLOW}/experiments/get-by-name?experiment_name=chrn"), 404, "Could not find experiment with name 'chrn'"),
        (plain("POST", f"{MLFLOW}/runs/search", {"experiment_ids": ["1"]}), 200, '"run_name": "gbm"'),
        (plain("POST", f"{MLFLOW}/runs/create", {"experiment_id": "1"}), 200, '"status": "RUNNING"'),
        (plain("POST", f"{MLFLOW}/runs/create", {"experiment_id": "1"}), 200, '"status": "RUNNING"'),
        (plain("POST", f"{MLFLOW}/runs/create", {"experiment_id": 1}), 400, "Invalid value 1 for parameter 'experiment_id' supplied"),
        (plain("GET", f"{MLFLOW}/registered-models/get?name=scorer"), 200, '"creation_timestamp": 1767225600000'),
    ],
    "prefect": [
        (plain("GET", f"{PREFECT}/deployments/name/load-orders/prod"), 200, '"work_queue_name":"nightly"'),
        (plain("GET", f"{PREFECT}/deployments/name/load-orders/prd"), 404, "Deployment not found"),
        (plain("POST", f"{PREFECT}/flow_runs/filter", {"flow_runs": {"state": {"type": {"any_": ["FAILED"]}}}}), 200, '"name":"monday"'),
        (plain("POST", f"{PREFECT}/flow_runs/filter", {"flow_runs": {"state": {"type": {"any_": ["failed"]}}}}), 422, "Input should be 'SCHEDULED', 'PENDING', "),
        (plain("POST", f"{PREFECT}/flows/", {"name": "load-orders"}), 200, '"tags":["sales"]'),
        (plain("POST", f"{PREFECT}/variables/", {"name": "freeze", "value": 1}), 201, '"created":"2026-01-01T00:00:00Z"'),
        (plain("PATCH", f"{PREFECT}/v2/concurrency_limits/warehouse", {"limit": "many"}), 422, "unable to parse string as an integer"),
        (plain("POST", f"{PREFECT}/work_pools/", {"name": "k8s-prod", "type": "process"}), 409, "A work pool with this name already exists."),
    ],
    "lab_api": [
        (lab("GET", "/phials/PX-0417"), 200, '"left_out":"weights: lens=fine"'),
        (lab("GET", "/phials/PX-0417?lens=broad"), 422, "Input should be 'plain' or 'fine'"),
        (lab("GET", "/phials/PX-9999"), 404, "there is no phial PX-9999"),
        (lab("GET", "/racks/K7/phials"), 200, '{"phials":["PX-0417","PX-0533"],"onward":"PX-0533"}'),
        (lab("GET", "/racks/K7/phials?onward=PX-0533"), 200, '{"phials":["PX-0602"],"onward":null}'),
        (lab("POST", "/dryings", {"phial_mark": "PX-0417", "berth": "oven", "dwell_min": 31}), 422, "rime-vault"),
        (lab("POST", "/seats", {"rack": "K7", "pit": "c2", "phial_mark": "PX-0417"}), 409, "pit K7/c2 holds PX-0602"),
        (lab("POST", "/seats", {"rack": "K7", "pit": "b4", "phial_mark": "PX-0417"}), 201, '"folio":"se-0001"'),
        (lab("POST", "/tags", {"phial_mark": "PX-0417", "tag_line": "Tag", "by": "me"}), 422, "extra_forbidden"),
    ],
    "moto_aws": [
        (
            aws(DYNAMO, "DynamoDB_20120810.Query", {"TableName": "kelp-bales", "KeyConditionExpression": "b = :b", "ExpressionAttributeValues": {":b": {"S": "x"}}}),
            400,
            "Query condition missed key schema element: bale_rune",
        ),
        (aws(DYNAMO, "DynamoDB_20120810.DescribeTable", {"TableName": "kelp-bales"}), 200, '"CreationDateTime": 1767225600.0'),
        (aws(SQS, "AmazonSQS.SendMessage", {"QueueUrl": ERRANDS, "MessageBody": "x"}), 200, '"MessageId": '),
        (aws(SQS, "AmazonSQS.ReceiveMessage", {"QueueUrl": ERRANDS, "AttributeNames": ["All"]}), 200, '"SentTimestamp": "1767225600000"'),
        (aws(SQS, "AmazonSQS.ListQueues", {}), 200, f'"{ERRANDS}"'),
        (aws(SQS, "AmazonSQS.SendMessage", {"QueueUrl": f"{ERRANDS}2", "MessageBody": "x"}), 400, "The specified queue does not exist."),
        (("POST", SNS, {"Content-Type": "application/x-www-form-urlencoded"}, "Action=Publish&TopicArn=arn:aws:sns:eu-west-1:123456789012:none&Message=x"), 404, "<Code>NotFound</Code>"),
        (aws(SSM, "AmazonSSM.GetParameters", {"Names": ["/none"]}), 200, '"InvalidParameters": ["/none"]'),
        (("GET", "https://s3.eu-west-1.amazonaws.com/no-bucket/a", {}, None), 404, "<Code>NoSuchBucket</Code>"),
    ],
    "jupyter": [
        (books("GET", "/notes/crew.txt"), 200, '"content": "Maren: dawn. Olu: dusk."'),
        (books("GET", ""), 200, '"path": "archive"'),
        (books("GET", "/notes/crew.txt", token="another"), 403, '{"message": "Forbidden", "reason": null}'),
        (books("POST", "/archive", {"copy_from": "ledgers/tides.ipynb"}), 404, "No such file or directory: ledgers/tides.ipynb"),
        (books("PATCH", "/notes/crew.txt", {"path": "archive/read-me.txt"}), 409, "File already exists: archive/read-me.txt"),
        (books("PUT", "/notes/a.txt", {"type": "file", "content": "x"}), 400, "Must specify format of file contents as 'text' or 'base64'"),
        (books("DELETE", "/notes/gone.txt"), 404, "File or directory does not exist: /srv/notebooks/notes/gone.txt"),
        (books("POST", "/ledgers/tidewrack-iv.ipynb/checkpoints"), 201, '"id": "checkpoint"'),
    ],
}  # fmt: skip
WORDS = {"type": "object", "properties": {"title": {"type": "string"}, "words": {"type": "integer"}}}
RECORD = {"embedding": [0.25, 0.75], "document": "x", "metadata": {"views": 7, "lang": "en", "rank": 2.5}}
STATES = {
    "chroma": {"collections": {"help-articles": {"records": {"kb-1": RECORD}}}},
    "jupyter": {"token": TOKEN},
    "kinto": {
        "tokens": {TOKEN: "editor"},
        "buckets": {
            "website": {
                "collections": {
                    "posts": {
                        "data": {"schema": WORDS},
                        "permissions": {"write": ["oidc:editor"]},
                        "records": {"welcome": {}, "news": {}},
                    }
                }
            }
        },
    },
    "mlflow": {
        "experiments": {"churn": {"runs": {"gbm": {"status": "FINISHED", "metrics": {"auc": 0.5}}}}},
        "registered_models": {"scorer": {"versions": [{"run": "gbm"}]}},
    },
    "prefect": {
        "concurrency_limits": {"warehouse": {"limit": 4}},
        "work_pools": {"k8s-prod": {"body": {"type": "kubernetes"}, "queues": {"nightly": {"priority": 2}}}},
        "flows": {
            "load-orders": {
                "tags": ["sales"],
                "deployments": {
                    "prod": {
                        "body": {"work_pool_name": "k8s-prod", "work_queue_name": "nightly"},
                        "runs": {"monday": {"state": {"type": "FAILED"}}, "tuesday": {}},
                    }
                },
            }
        },
    },
}
SEEDS = ROOT / "seeds"
CASES = {
    "chroma": (SEEDS, "http/help-article-to-chroma"),
    "jupyter": (ROOT, "jupyter/hardcoded-notebook-does-not-exist"),
    "kinto": (SEEDS, "http/ended-campaign-banner"),
    "lab_api": (ROOT, "http/missing-query-parameter-hides-field"),
    "mlflow": (SEEDS, "http/best-run-to-champion"),
    "moto_aws": (ROOT, "aws/dynamodb-wrong-key-name"),
    "prefect": (SEEDS, "http/prefect-rerun-failed-runs"),
}
"""A case of each server, and the folder that holds ``cases`` and ``cassettes``."""


@pytest.fixture(params=sorted(CALLS))
def started(request):
    world = real_world(request.param)
    try:
        base = world.start()
    except BadInput as error:
        if "not installed" not in str(error):
            raise
        pytest.skip(f"{error}")
    yield world, base
    world.stop()


def responses(world, base):
    world.reset(STATES.get(world.name, {}))
    live = HttpLive(dict.fromkeys(world.hosts, base))
    try:
        for (method, url, headers, body), _, _ in CALLS[world.name]:
            sent = b"" if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
            yield live.send(Request(method=method, url=url, headers=tuple(headers.items()), body=sent))
    finally:
        live.close()


def test_it_answers_in_its_own_words_and_the_same_after_each_reset(started):
    world, base = started
    first = [replace(response, elapsed_ms=0) for response in responses(world, base)]
    for response, ((method, url, _, _), status, words) in zip(first, CALLS[world.name], strict=True):
        said = response.body.decode()
        assert (response.status, words in said) == (status, True), f"{method} {url}: {response.status} {said}"
        shown = f"{said}{response.headers}"
        assert base.rpartition(":")[2] not in shown
        assert "127.0.0.1" not in shown
        assert "mendbench-" not in shown  # the folders of this machine
    assert [replace(response, elapsed_ms=0) for response in responses(world, base)] == first


def test_a_case_that_is_recorded_again_has_the_same_world(started, tmp_path):
    world, _ = started
    world.stop()
    root, name = CASES[world.name]
    case = load_case(root / "cases" / name, name.split("/")[0])
    fixed = apply_patch(case.workflow, case.fix.patch if case.fix else [])
    with Recorder("new_episodes") as recorder:
        for workflow in (case.workflow, fixed):
            scope = open_scope(case, None, Recordings.open(tmp_path), recorder.for_trial(case, None), "record it")
            build_engine("mendbench", case).execute(
                workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
            )
    again, recorded = exchanges(tmp_path / "world.yaml"), exchanges(root / "cassettes" / name / "world.yaml")
    assert len(again) > 1
    assert again == {key: recorded[key] for key in again}


def exchanges(path):
    return {one.key: (one.request, replace(one.response, elapsed_ms=0)) for one in load(path)}
