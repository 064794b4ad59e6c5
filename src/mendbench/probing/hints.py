"""What to do about a server that fails, by the words of its errors."""

from __future__ import annotations

import re

_KEY = re.compile(r"(?i)api.?key|token|credential|password|secret|environment variable|env var")
_NETWORK = re.compile(
    r"(?i)getaddrinfo|EAI_AGAIN|ENOTFOUND|name resolution|network is unreachable|ENETUNREACH|ECONNREFUSED"
    r"|connect(?:ion)? (?:error|refused|issue)|all connection attempts failed|fetch failed"
)


def start_hint(why: str) -> str:
    """Return what to do about a server that does not start."""
    if _KEY.search(why):
        return "pass the variable that holds its key with --env NAME"
    return network_hint(why) or "start it by hand to see why"


def network_hint(text: str) -> str:
    """Return what to do about a failure of the network; empty for another failure."""
    return "it needs the network: run it with --no-sandbox" if _NETWORK.search(text) else ""
