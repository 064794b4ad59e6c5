"""What to do about a server that fails, by the words of its errors."""

from __future__ import annotations

import re

_KEY = re.compile(
    r"(?i)api.?key|(?<!unexpected )\btoken\b|_token\b|credential|password|secret|environment variable|env var"
)
_NETWORK = re.compile(
    r"(?i)getaddrinfo|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bECONNREFUSED\b|name resolution|network is unreachable|dns error"
    r"|failed to lookup address|connect(?:ion)? (?:error|refused|issue)|all connection attempts failed|fetch failed"
    r"|npm (?:err!|error) network|(?:npm|pip|package) registry|no matching distribution found"
)
_INSTALLERS = frozenset({"npm", "npx", "pipx", "uv", "uvx"})
"""Programs that may download the server which they start."""
_TIMED_OUT = re.compile(r"^no answer within ")
_NO_SANDBOX = "it needs the network: run it with --no-sandbox"


def start_hint(why: str, program: str, *, sandboxed: bool) -> str:
    """Return what to do about a server that does not start. ``program`` is the name of the program in its command."""
    if _KEY.search(why):
        return "pass the variable that holds its key with --env NAME"
    if sandboxed and program in _INSTALLERS and _TIMED_OUT.search(why):
        return _NO_SANDBOX
    return network_hint(why, sandboxed=sandboxed) or "start it by hand to see why"


def network_hint(text: str, *, sandboxed: bool) -> str:
    """Return what to do about a failure of the network in the sandbox; empty for another failure."""
    return _NO_SANDBOX if sandboxed and _NETWORK.search(text) else ""
