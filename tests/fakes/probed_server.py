"""An MCP server over stdio with a library's tools: ``python probed_server.py MODE``, where the mode says how it misbehaves."""

import json
import os
import sys
import time
from pathlib import Path

TOOLS = [
    {
        "name": "find_book",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "required": ["shelf_id"],
            "properties": {
                "shelf_id": {"type": "string"},
                "sort_by": {"type": "string", "enum": ["title", "year"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            },
        },
    },
    {
        "name": "lend_book",
        "inputSchema": {
            "type": "object",
            "required": ["title", "due"],
            "properties": {"title": {"type": "string"}, "due": {"type": "string", "format": "date"}},
        },
    },
    {
        "name": "burn_book",
        "annotations": {"destructiveHint": True},
        "inputSchema": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}},
    },
]


class Refused(Exception):
    """A tool error."""


class Broken(Exception):
    """A JSON-RPC error."""


def find_book(arguments):
    if "shelf_id" not in arguments:
        raise Refused("KeyError")
    if not isinstance(arguments["shelf_id"], str):
        raise Refused("shelf_id: expected a string")
    if arguments["shelf_id"] != "s-17":
        return f"Error: no shelf {arguments['shelf_id']}"
    if arguments.get("sort_by", "title") not in {"title", "year"}:
        raise Broken("Invalid params")
    if not isinstance(limit := arguments.get("limit", 2), int):
        raise Refused(f"limit must be an integer, at {__file__}")
    if limit > 50:
        raise Refused("too many")
    return json.dumps(["Bread", "Salt", "Oil"][:limit])


def lend_book(arguments):
    ledger = Path("ledger")
    lent = ledger.read_text().splitlines() if ledger.exists() else []
    missing = [name for name in ("title", "due") if name not in arguments]
    if missing:
        raise Refused(f"{missing[0]} is required")
    if lent:
        raise Refused("somebody has it")
    ledger.write_text(f"{arguments['title']}\n")
    if not str(arguments["due"]).startswith("20"):
        raise Refused("due: a date is written YYYY-MM-DD")
    return f"lent until {arguments['due']}"


def answer(message, mode):
    if message["method"] == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "library", "version": "7"},
        }
    if message["method"] == "tools/list":
        if mode == "no-tools":
            return {"tools": []}
        if mode == "no-list":
            sys.exit("the catalogue is lost")
        page = int(message["params"].get("cursor", 0))
        following = {"nextCursor": str(page + 1)} if page + 1 < len(TOOLS) else {}
        return {"tools": [TOOLS[page]], **following}
    name, arguments = message["params"]["name"], message["params"]["arguments"]
    if mode == "dies" and "shelf_id" not in arguments:
        sys.exit("out of ink")
    try:
        return content(
            {"find_book": find_book, "lend_book": lend_book, "burn_book": lambda _: "ashes"}[name](arguments)
        )
    except Refused as error:
        return {**content(str(error)), "isError": True}


def content(text):
    return {"content": [{"type": "text", "text": text}]}


def flood(end):
    while True:
        print("tick " * 1000, end=end)


STARTS = {
    "exits": lambda: sys.exit("no ledger found"),
    "needs-key": lambda: "LIBRARY_KEY" in os.environ or sys.exit("LIBRARY_API_KEY is not set"),
    "hangs": lambda: time.sleep(600),
    "floods": lambda: flood("\n"),
    "endless-line": lambda: flood(""),
    "talks": lambda: print("Welcome to the library!", flush=True),
}


def main(mode):
    STARTS.get(mode, lambda: None)()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        try:
            body = {"result": answer(message, mode)}
        except Broken as error:
            body = {"error": {"code": -32602, "message": str(error)}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
