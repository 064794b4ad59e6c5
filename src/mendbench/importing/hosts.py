"""What a case has to declare so that the hosts it uses exist: the services that serve them, or an invented API."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from mendbench.corpus.declared_services import FILES, MODELS, SHELL
from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import host_of, split_url
from mendbench.importing.interface import FoundExchange
from mendbench.model.exchange import Exchange
from mendbench.model.json import Json, JsonObject
from mendbench.services import hosts_of, service_names, simulated
from mendbench.services.json_api.keywords import Keywords

_ANY_HTTP, _ANY_MCP = "json_api", "mcp_sim"
"""The services whose hosts, or MCP servers, a case's state names."""

LISTING = "/tools/list"
"""The path of the request that lists a server's tools."""

_KEYWORDS = frozenset({str(field.alias) for field in Keywords.model_fields.values()} | {"required"})
"""Keywords of JSON Schema that simulated services know, apart from those with schemas inside."""

_FAST = "Error executing tool {}: "
"""How a tool's failure begins on FastMCP."""


def declared_services(urls: Iterable[str], provenance: str) -> tuple[dict[str, str], dict[str, JsonObject]]:
    """Return ``recorded_from`` and ``state`` of a case that requests these URLs, all of one provenance.

    Shell commands, files and models are always real. So is a service that has no simulation.
    A host that contains a template is not known yet and is left out.
    """
    recorded_from: dict[str, str] = {}
    state: dict[str, JsonObject] = {}
    known = _known_hosts()
    for url in urls:
        scheme, host = split_url(url).scheme.lower(), host_of(url)
        if scheme in {"shell", "file"}:
            recorded_from[SHELL if scheme == "shell" else FILES] = "real"
        elif scheme == "model":
            recorded_from[MODELS] = "real"
            names = state.setdefault(MODELS, {"names": []})["names"]
            names += {unquote(split_url(url).netloc)} - set(names)
        elif not host or "{" in host or "$" in host:
            continue
        elif (name := known.get((scheme == "mcp", host))) is not None:
            recorded_from[name] = "real" if provenance == "simulator" and not _has_simulation(name) else provenance
        elif scheme == "mcp":
            recorded_from[_ANY_MCP] = provenance
            state.setdefault(_ANY_MCP, {"servers": {}})["servers"].setdefault(host, {"tools": {}})
        else:
            recorded_from[_ANY_HTTP] = provenance
            apis = state.setdefault(_ANY_HTTP, {"apis": {}})["apis"]
            apis.setdefault(_slug(host), {"host": host, "routes": {}})
    return recorded_from, state


def _has_simulation(name: str) -> bool:
    try:
        simulated(name)
    except UnknownName:
        return False
    return True


def with_static_routes(state: Mapping[str, JsonObject], traffic: Iterable[Exchange]) -> dict[str, JsonObject]:
    """Return the state with a route in the invented APIs for each request that got a response: the first one."""
    made = copy.deepcopy(dict(state))
    apis = made.get(_ANY_HTTP, {}).get("apis", {})
    for exchange in traffic:
        api = apis.get(_slug(host_of(exchange.request.url)))
        if api is None or exchange.response.fault is not None:
            continue
        kind = exchange.response.header("content-type")
        body = parse_body(exchange.response.body, kind)
        route = {"action": "static", "status": exchange.response.status, "body": body}
        if isinstance(body, str) and kind:
            route["headers"] = {"content-type": kind}
        path = split_url(exchange.request.url).path or "/"
        api["routes"].setdefault(f"{exchange.request.method} {path}", route)
    return made


def with_credentials(
    state: Mapping[str, JsonObject], traffic: Iterable[Exchange], secrets: Iterable[str]
) -> dict[str, JsonObject]:
    """Return the state in which an invented API demands the credential that every request to it had: a canary of one of ``secrets``."""
    made = copy.deepcopy(dict(state))
    apis = made.get(_ANY_HTTP, {}).get("apis", {})
    by_host: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in traffic:
        by_host[_slug(host_of(exchange.request.url))].append(exchange)
    for slug, exchanges in by_host.items():
        found = [_credential(exchange, secrets) for exchange in exchanges]
        if slug in apis and found[0] is not None and all(one == found[0] for one in found):
            header, scheme, name = found[0]
            scheme_of = {"scheme": scheme} if scheme and scheme.lower() != "bearer" else {}
            apis[slug]["auth"] = {"header": header, **scheme_of, "tokens": {f"${{canary:{name}}}": {}}}
    return made


def _credential(exchange: Exchange, secrets: Iterable[str]) -> tuple[str, str, str] | None:
    """Return the header, the scheme and the name of a request's credential; None if it has none."""
    for header, value in exchange.request.headers:
        scheme, _, word = value.rpartition(" ")
        name = next((name for name in secrets if word == f"<secret:{name}>"), None)
        if name is not None:
            return header, scheme, name
    return None


def with_static_tools(
    state: Mapping[str, JsonObject], traffic: Iterable[Exchange], found: Iterable[FoundExchange]
) -> dict[str, JsonObject]:
    """Return the state with each tool that was called on an invented MCP server: it always gives the first result, or the first error.

    A tool that ``found`` lists has its schema from there, without the keywords that the service does not know.
    """
    schemas = _listed(found)
    made = copy.deepcopy(dict(state))
    servers = made.get(_ANY_MCP, {}).get("servers", {})
    for exchange in traffic:
        parts = split_url(exchange.request.url)
        server, name = servers.get(host_of(exchange.request.url)), unquote(parts.path.removeprefix("/"))
        message = parse_body(exchange.response.body, "application/json")
        if server is None or parts.scheme != "mcp" or parts.path == LISTING or not isinstance(message, dict):
            continue
        schema = schemas.get((host_of(exchange.request.url), name), {"type": "object"})
        tool: JsonObject = {"action": "static", "inputSchema": schema}
        server["tools"].setdefault(name, {**tool, **_answer(server, name, message)})
    return made


def _answer(server: JsonObject, name: str, message: JsonObject) -> JsonObject:
    """Return the part of a tool that makes it give this JSON-RPC message, and note in ``server`` how it reports errors."""
    failed, result = message.get("error"), message.get("result")
    if isinstance(failed, dict):
        server |= {"profile": "protocol"}
        return {"rules": [{"when": {}, "detail": str(failed.get("message", ""))}]}
    content = result.get("content") if isinstance(result, dict) else None
    text = "\n".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))
    if not isinstance(result, dict) or not result.get("isError"):
        return {"body": text}
    fast = _FAST.format(name)
    server |= {"profile": "tool_errors", "sdk": "fastmcp" if text.startswith(fast) else "python"}
    return {"rules": [{"when": {}, "detail": text.removeprefix(fast)}]}


def _listed(found: Iterable[FoundExchange]) -> dict[tuple[str, str], JsonObject]:
    """Return the schemas of the arguments of listed tools, by server and tool."""
    schemas: dict[tuple[str, str], JsonObject] = {}
    for exchange in found:
        if exchange.request is None or exchange.response is None or split_url(exchange.request.url).path != LISTING:
            continue
        message = parse_body(exchange.response.body, "application/json")
        result = message.get("result") if isinstance(message, dict) else None
        for tool in result.get("tools") or () if isinstance(result, dict) else ():
            if isinstance(tool, dict) and isinstance(tool.get("inputSchema"), dict):
                place = host_of(exchange.request.url), str(tool.get("name"))
                schemas[place] = {"type": "object", **_known_part(tool["inputSchema"])}
    return schemas


def _known_part(schema: JsonObject) -> JsonObject:
    """Return a schema without the keywords that simulated services do not know."""
    kept = {name: value for name, value in schema.items() if name in _KEYWORDS}
    if not isinstance(kept.get("additionalProperties", False), bool):
        del kept["additionalProperties"]
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(properties, dict):
        kept["properties"] = {name: _known_part(one) for name, one in properties.items() if isinstance(one, dict)}
    if isinstance(items, dict):
        kept["items"] = _known_part(items)
    return kept


def type_name(value: Json) -> str:
    """Return the JSON Schema type of a value."""
    types = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return types.get(type(value), "string")


def _known_hosts() -> dict[tuple[bool, str], str]:
    """Return the services by the hosts that they serve without any state, except MCP servers."""
    found: dict[tuple[bool, str], str] = {}
    for name in service_names():
        if name == _ANY_MCP:
            continue
        try:
            hosts = hosts_of(name, {})
        except BadInput:
            continue
        for host in hosts:
            found.setdefault((name.startswith("mcp"), host.lower()), name)
    return found


def _slug(host: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-") or "api"
