"""Command engines for tests: the small adapter, and worlds to run it in."""

import json
import sys
from pathlib import Path

from mendbench.engines import Command, CommandEngine, Limits, declared_by
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import FakeWorld, said

PLAIN = Path(__file__).parents[1] / "engines" / "adapters" / "plain.py"
HOST = "https://inn.saltmarsh.example"


def plain_command(wrong="", *, limits=None, **overrides):
    """The small adapter as a command, broken in one way or in none."""
    argv = (sys.executable, "-S", "-E", str(PLAIN), *([wrong] if wrong else []))
    return Command(name="plain", argv=argv, limits=limits or Limits(time_s=20), overrides=tuple(overrides.items()))


def plain_engine(wrong="", *, secrets=None, truth=False, limits=None, **overrides):
    command = plain_command(wrong, limits=limits, **overrides)
    return CommandEngine(command, declared_by(command), Redactor(secrets or {}), truth=truth)


def shell_engine(script, *, limits=None, secrets=None):
    """A command engine that is a line of shell."""
    command = Command(name="shell", argv=("/bin/sh", "-c", script), limits=limits or Limits(time_s=10))
    return CommandEngine(command, declared_by(command), Redactor(secrets or {}))


def executed(engine, workflow, world, *, inputs=None, checkpoint=None, detector=None):
    return engine.execute(workflow, inputs or {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock)


def guest_book(text="Welcome ${guest.response.name}!", **note):
    """A workflow that reads a guest and writes a note."""
    return {
        "ir_version": "0.1.0",
        "nodes": [
            {"id": "guest", "type": "http", "params": {"url": f"{HOST}/guests/7"}},
            {
                "id": "note",
                "type": "http",
                "params": {"method": "POST", "url": f"{HOST}/notes", "body": {"text": text, **note}},
            },
        ],
        "edges": [{"from": "guest", "to": "note"}],
        "outputs": {"number": {"source": "${note.response.id}"}},
    }


def inn(**responses):
    """A world with a guest, and notes that are taken."""
    known = {
        f"GET {HOST}/guests/7": said({"name": "Ina", "room": 12, "more": f"{HOST}/guests/8"}),
        f"POST {HOST}/notes": said({"id": "n-1"}, 201),
        **responses,
    }
    return FakeWorld(known)


def body_of(request):
    return json.loads(request.body)
