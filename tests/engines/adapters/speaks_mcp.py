"""An engine that calls MCP tools through the SDK's own client."""

import asyncio
import json
import os
import sys


def document_at(name):
    with open(os.environ[name], encoding="utf-8") as file:  # noqa: PTH123
        return json.load(file)


async def call(url, tool, arguments):
    from mcp import Client, MCPError  # noqa: PLC0415  seconds, which a description does without

    async with Client(url) as client:
        if "list" in sys.argv:
            await client.list_tools()
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError as error:
            return error.message, True
        return "".join(block.text for block in result.content), result.is_error


def execute():
    servers, steps, errors, outputs = document_at("MENDBENCH_MCP_SERVERS"), [], [], {}
    for node in document_at("MENDBENCH_WORKFLOW")["nodes"]:
        params = node["params"]
        words, failed = asyncio.run(call(servers[params["server"]], params["tool"], params["arguments"]))
        steps.append({"node_id": node["id"], "status": "failed" if failed else "completed"})
        outputs[node["id"]] = words
        if failed:
            errors.append({"node_id": node["id"], "message": words, "category": "execution_failure"})
            break
    return {"success": not errors, "errors": errors, "outputs": outputs, "execution": {"steps": steps}}


if os.environ["MENDBENCH_TASK"] == "describe":
    print(json.dumps({"mendbench": {"version": "2", "mcp": True, "judge": "mendbench", "node_types": ["mcp"]}}))
else:
    print(json.dumps(execute()))
