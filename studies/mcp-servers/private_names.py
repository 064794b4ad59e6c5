"""Give each argument of the servers' tools a name that nobody knows from memory.

``python private_names.py`` writes ``private/maps/`` and, with these names, ``private/calls/``. A map holds, for each tool of a server, real
name to new name. A new name is two words of the lists below, in the style of the server's own names. Each is used once: nothing about one
tool can be learnt from another. Which one an argument gets is decided by a digest of server, tool and argument. A word that a request or
the name of a tool or argument holds is not used.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from renaming_proxy import rename_keys

HERE = Path(__file__).parent
FIRST = (
    "acorn", "anchor", "barrel", "canvas", "cedar", "copper", "cotton", "dairy", "ferry", "flint", "garnet", "glacier",
    "hamlet", "harbor", "hazel", "island", "ivory", "jacket", "kettle", "lantern", "linen", "maple", "marble", "meadow",
    "needle", "oyster", "pebble", "pepper", "quarry", "ribbon", "saddle", "salmon", "timber", "tulip", "velvet", "walnut",
    "willow", "winter", "woollen", "yarrow",
)  # fmt: skip
SECOND = (
    "badge", "band", "bench", "brace", "crest", "drift", "fold", "gauge", "grade", "hinge", "knot", "latch", "ledge", "lot",
    "mark", "notch", "plate", "rank", "ridge", "rung", "seam", "shelf", "slot", "spoke", "tier", "trace", "turn", "vault",
    "wedge", "wheel",
)  # fmt: skip

Tools = Mapping[str, Mapping[str, Any]]


def maps(tools: Mapping[str, Tools], used: Iterable[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the map of each server from the schemas of its tools; ``used`` are texts whose words no new name has.

    Raises:
        ValueError: there are more arguments than pairs of words.
    """
    taken = {word.lower() for text in used for word in _words(text)}
    taken |= {word.lower() for one in tools.values() for name in _names(one) for word in _words(name)}
    pairs = [pair for pair in product(FIRST, SECOND) if not taken & set(pair)]
    found: dict[str, dict[str, dict[str, str]]] = {}
    for server, own in tools.items():
        camel = any(re.search(r"[a-z][A-Z]", name) for name in _names(own))
        for tool, schema in own.items():
            for name in schema.get("properties", {}):
                if not pairs:
                    raise ValueError("more arguments than names: add words")
                first, second = pairs.pop(_digest(f"{server}/{tool}/{name}") % len(pairs))
                new = first + second.title() if camel else f"{first}_{second}"
                found.setdefault(server, {}).setdefault(tool, {})[name] = new
    return found


def _names(tools: Tools) -> Iterator[str]:
    for tool, schema in tools.items():
        yield from (tool, *schema.get("properties", {}))


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def renamed_calls(text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """Return right calls, a JSON object a line, under the new names of a server's map."""
    calls = [json.loads(line) for line in text.splitlines()]
    renamed = [{**one, "arguments": rename_keys(names[one["tool"]], one["arguments"])} for one in calls]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in renamed)


def main() -> None:
    """Write the maps and the right calls."""
    servers = tomllib.loads((HERE / "servers.toml").read_text("utf-8"))
    tools = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((HERE / "tools").glob("*.json"))}
    calls = {path.stem: path.read_text("utf-8") for path in sorted((HERE / "calls").glob("*.jsonl"))}
    for part in ("maps", "calls"):
        (HERE / "private" / part).mkdir(parents=True, exist_ok=True)
    for server, names in maps(tools, calls.values()).items():
        own = renamed_calls(calls[servers[server].get("calls", server)], names)
        (HERE / f"private/maps/{server}.json").write_text(json.dumps(names, indent=1) + "\n", "utf-8")
        (HERE / f"private/calls/{server}.jsonl").write_text(own, "utf-8")


if __name__ == "__main__":
    main()
