from __future__ import annotations

import subprocess
import sys

from mendbench.services.real_server import json_request
from mendbench.services.request_seeds import SERVE_SEEDED, RequestSeeds

_APPLICATION = """
class Served:
    server_port = 1
    def __init__(self, host, port, app):
        for header in ("one", "one", "two"):
            app({"HTTP_X_MENDBENCH_SEED": header}, None)
    def serve_forever(self):
        pass
serving = types.ModuleType("werkzeug.serving")
serving.make_server = Served
sys.modules |= {"werkzeug": types.ModuleType("werkzeug"), "werkzeug.serving": serving}
"""
"""In place of werkzeug: sends three requests to the application."""


def test_a_seed_depends_on_the_request_and_its_repeat_count_alone():
    asked, other = (json_request("POST", "x.example", "/runs", {"name": name}) for name in ("a", "b"))
    seeds = RequestSeeds()
    first = [seeds.next(asked), seeds.next(asked), seeds.next(other), seeds.next(asked, "another header")]
    assert len(set(first)) == 4
    seeds.clear()
    assert [seeds.next(other), seeds.next(asked), seeds.next(asked)] == [first[2], *first[:2]]


def test_the_order_of_keys_in_a_body_does_not_change_the_seed_that_is_sent():
    bodies = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    sent = [RequestSeeds().seeded(json_request("POST", "x.example", "/runs", body)).headers[-1] for body in bodies]
    assert sent[0] == sent[1]


def test_a_program_s_ids_follow_the_seed_of_each_request():
    code = f"import sys, types\n{_APPLICATION}{SERVE_SEEDED}\nserve_seeded(lambda environ, start: print(uuid.uuid4(), len(environ)))"
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    assert lines[0] == lines[1] != lines[2]
    assert lines[3] == "http://127.0.0.1:1"
    assert all(line.endswith(" 0") for line in lines[:3])  # the application does not see the header
