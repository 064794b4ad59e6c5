"""Exchanges that show what a real MCP server answers, good and bad: recorded from it, and replayed by the tests.

``python -m tests.services.mcp_contract`` records the cassettes again, where the servers are installed (see the Makefile's
``record-world``).
"""

from __future__ import annotations

from pathlib import Path

from mendbench.cassettes.recordings import Recordings
from mendbench.recording.recorder import Recorder
from mendbench.runtime.nodes.interface import NodeOutput
from mendbench.runtime.nodes.mcp import NODE
from mendbench.services import real_world
from mendbench.trial.scope import Scope, open_scope
from tests.fakes.scoring import make_case

HERE = Path(__file__).parent
GIT, FILES = "/srv/mendbench/git", "/srv/mendbench/files"

CALLS = {
    "mcp_time": {
        "success": ("convert_time", {"source_timezone": "Europe/Oslo", "time": "09:30", "target_timezone": "Asia/Kathmandu"}),
        "tool error": ("convert_time", {"source_timezone": "Europe/Oslo", "time": "09:30", "target_timezone": "Mars/Olympus"}),
        "bad value": ("convert_time", {"source_timezone": "Europe/Oslo", "time": "half past nine", "target_timezone": "UTC"}),
        "unknown tool": ("convert_tide", {}),
        "invalid arguments": ("convert_time", {"source_timezone": "Europe/Oslo", "time": 930}),
        "clock": ("get_current_time", {"timezone": "Europe/Oslo"}),
    },
    "mcp_git": {
        "success": ("git_show", {"repo_path": GIT, "revision": "HEAD:plan.json"}),
        "log": ("git_log", {"repo_path": GIT, "max_count": 2}),
        "commit": ("git_commit", {"repo_path": GIT, "message": "nothing staged"}),
        "tool error": ("git_show", {"repo_path": GIT, "revision": "no-such-branch"}),
        "another folder": ("git_status", {"repo_path": "/srv"}),
        "unknown tool": ("git_bisect", {"repo_path": GIT}),
        "invalid arguments": ("git_show", {"repo_path": GIT}),
        "dropped argument": ("git_log", {"repo_path": GIT, "limit": 1}),
    },
    "mcp_files": {
        "success": ("read_text_file", {"path": f"{FILES}/rota/index.json"}),
        "listing": ("list_directory", {"path": f"{FILES}/rota"}),
        "tool error": ("read_text_file", {"path": f"{FILES}/rota/quay-south.json"}),
        "outside": ("read_text_file", {"path": "/etc/passwd"}),
        "unknown tool": ("erase_file", {"path": f"{FILES}/README.md"}),
        "invalid arguments": ("write_file", {"path": f"{FILES}/notices/new.md", "text": "x"}),
        "no match": ("edit_file", {"path": f"{FILES}/notices/ice.md", "edits": [{"oldText": "snow", "newText": "ice"}]}),
    },
    "mcp_everything": {
        "success": ("get-structured-content", {"location": "Chicago"}),
        "text": ("get-sum", {"a": 2, "b": 40}),
        "blocks": ("get-resource-links", {"count": 1}),
        "environment": ("get-env", {}),
        "unknown tool": ("get-product", {"a": 2, "b": 40}),
        "invalid arguments": ("get-sum", {"a": "two", "b": 40}),
        "task only": ("simulate-research-query", {"topic": "tides"}),
    },
}  # fmt: skip
"""Service to what is shown to a tool and its arguments. Each is called in a fresh world."""


def called(service: str, what: str, folder: Path | None = None, recorder: Recorder | None = None) -> NodeOutput:
    """Return what the ``mcp`` node makes of one call, in a scope of its own."""
    tool, arguments = CALLS[service][what]
    scope = opened(service, folder or HERE / service, recorder or Recorder())
    params = {"server": real_world(service).hosts[0], "tool": tool, "arguments": arguments}
    return NODE.run(params, scope.world.send, scope.clock)


def opened(service: str, folder: Path, recorder: Recorder) -> Scope:
    """Return a fresh scope of a case that has nothing but this server."""
    case = make_case(recorded_from={service: "real"}, state={}, variants=())
    return open_scope(
        case, None, Recordings.open(folder), recorder.for_trial(case, None), "python -m tests.services.mcp_contract"
    )


def record(service: str, folder: Path) -> dict[str, NodeOutput]:
    """Record all calls from the real server into a folder that holds none yet.

    Raises:
        BadInput: the server is not installed.
    """
    with Recorder("new_episodes") as recorder:
        return {what: called(service, what, folder, recorder) for what in CALLS[service]}


if __name__ == "__main__":
    for name in CALLS:
        (HERE / name / "world.yaml").unlink(missing_ok=True)
        print(f"{name}: {len(record(name, HERE / name))} exchanges")
