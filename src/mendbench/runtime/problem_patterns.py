"""Tables for reading field problems: error codes, and the phrases in which services name a field."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["missing", "invalid", "unknown"]

MISSING_CODES = frozenset({
    "missing", "missing_field", "required", "parameter_missing", "fieldvaluerequired", "base_type_required",
    "missing_required_parameter", "value_error_missing",
})  # fmt: skip
UNKNOWN_CODES = frozenset({
    "unrecognized_keys", "extra_forbidden", "parameter_unknown", "unknown_parameter", "additionalproperties",
    "property_doesnt_exist", "unknown_field_name", "undefinedfield", "unknown_field", "unexpected",
})  # fmt: skip
MISSING = re.compile(
    r"\brequired\b(?! to)|wasn't supplied|\bmissing\b|\bnot (?:provided|specified)\b|received undefined"
    r"|should be defined",
    re.IGNORECASE,
)
UNKNOWN = re.compile(
    r"\b(?:propert\w+|fields?|columns?|param\w*|arguments?|attributes?|keys?)\b.{0,60}\bdoes(?:n't| not) exist"
    r"|\b(?:unknown|unrecogni[sz]ed|unexpected|additional) (?:fields?|keys?|param|prop|arg|column)"
    r"|\bnot defined by\b|\bextra inputs\b|\bcannot query\b|\bnot valid for this operation\b",
    re.IGNORECASE,
)

_QUOTED = r"[\"'`]"
_FIELD = r"(?P<field>[\w$][\w$.\-\[\]/]*)"
_HEAD = r"(?P<field>(?!body\.|(?:it|you|this|that|which|value|values|input|data|one|and|or)\b)[a-z_][\w.\[\]]*)"
_WORDINGS: tuple[tuple[Kind | None, str], ...] = (
    # GitHub: JSON Schema errors of its REST API
    ("missing", r"\"(?P<field>[^\"\n]+)\" wasn't supplied"),
    ("invalid", r"\bFor '(?:properties/)?(?P<field>[^'\n]+)', "),
    ("missing", r"\bRequired input '(?P<field>[^'\n]+)' not provided"),
    # JSON Schema validators (jsonschema, Ajv in prose)
    ("missing", r"'(?P<field>[^'\n]+)' is a required property"),
    ("missing", r"\bmissing properties: (?P<fields>'[^'\n]+'(?:, '[^'\n]+')*)"),
    ("unknown", r"\bAdditional properties are not allowed \((?P<fields>[^()\n]+?) (?:was|were) unexpected\)"),
    ("unknown", r"\badditionalProperties (?P<fields>'[^'\n]+'(?:, '[^'\n]+')*) not allowed"),
    # pydantic, as MCP servers print it
    (None, r"^(?P<field>[\w.\-\[\]]+)\n {2}(?P<says>\S.*?) \[type=(?P<code>\w+)"),
    # Zod, as MCP servers print it
    (None, r"(?P<says>Invalid input: expected [^,\n]+, received \w+) at " + _FIELD),
    ("missing", r"(?<![\w.])(?P<field>[\w.\[\]]+): Required\b"),
    # Google
    ("missing", r"'(?P<field>\w+)' is required but not specified"),
    ("unknown", r"\bUnknown name \"(?P<field>[^\"\n]+)\"(?: at '(?P<at>[^'\n]*)')?"),
    ("invalid", r"\bInvalid value at '(?P<field>[^'\n]+)'"),
    ("invalid", r"\bInvalid (?P<field>\w+(?:\[\d+\])+(?:\.\w+)*):"),
    # Stripe
    ("unknown", r"\bReceived unknown parameters?: (?P<fields>[^\n]+?)(?:\. |$)"),
    ("missing", r"\b[Mm]issing required (?:param|parameter|argument|field|property)s?:? " + _QUOTED + "?" + _FIELD),
    # tool routers and MCP servers in Go
    ("invalid", r"\bon parameter `(?P<field>[^`\n]+)`"),
    ("missing", r"\bfields are missing: \{(?P<fields>[^}\n]*)\}"),
    ("invalid", r"\bparameter (?P<field>\w+) (?:could not be coerced|is not a valid|must be)"),
    # Notion
    ("missing", r"\bbody\.(?P<field>\S+) should be (?:defined|present)\b"),
    ("invalid", r"\bbody\.(?P<field>\S+) should (?:be (?!defined|present)|have|match)"),
    # GraphQL
    ("unknown", r"\bCannot query field [\"'](?P<field>\w+)[\"']"),
    ("unknown", r"\b[Ff]ield [\"'](?P<field>\w+)[\"'] (?:is not defined by|doesn't exist on|not found in) "),
    ("unknown", r"\b(?:Unknown argument|Field '\w+' doesn't accept argument) [\"'](?P<field>\w+)[\"']"),
    ("missing", r"\bField [\"'](?P<field>\w+)[\"'] of required type \S+ was not provided"),
    ("missing", r"\bargument [\"'](?P<field>\w+)[\"'] of type \S+ is required"),
    ("missing", r"\bmissing required arguments: (?P<fields>[\w, ]+)"),
    ("missing", r"\bVariable [\"']?\$(?P<field>\w+)[\"']? of required type \S+ was not provided"),
    ("invalid", r"\bgot invalid value .{0,200}? at [\"'](?P<field>[\w.\[\]]+)[\"']"),
    # SQL: SQLite, PostgreSQL, MySQL
    ("unknown", r"\bno such (?:column|table|function): (?P<field>[\w.\"`]+)"),
    ("unknown", r"\bhas no column named (?P<field>[\w.\"`]+)"),
    ("unknown", r"\bcolumn \"?(?P<field>[\w.]+)\"? (?:of relation \S+ )?does not exist"),
    ("unknown", r"\brelation \"(?P<field>[\w.]+)\" does not exist"),
    ("unknown", r"\bUnknown column '(?P<field>[^'\n]+)' in"),
    ("missing", r"\bNOT NULL constraint failed: (?P<field>[\w.]+)"),
    ("missing", r"\bnull value in column \"(?P<field>[\w.]+)\""),
    ("invalid", r"\b(?:UNIQUE|CHECK) constraint failed: (?P<field>[\w.]+)"),
    # class-validator, GitLab, Mailgun, Trello and similar: a field at the start of a clause
    ("invalid", r"(?:^|: )(?P<says>" + _HEAD + r" (?:must|should) (?:be|not|contain|match)\b[^\n]*)"),
    (None, r"(?:^|, )(?P<says>" + _HEAD + r" is (?:missing|empty|invalid|required)\b)"),
    ("invalid", r"'(?P<field>[\w.\-]+)' parameter is\b"),
    ("invalid", r"\binvalid value for (?P<field>[\w.]+)"),
    # Jackson, HubSpot, Airtable
    ("unknown", r"\bUnrecognized field \"(?P<field>[^\"\n]+)\""),
    ("unknown", r"\b(?:Property|Unknown field name:) \"(?P<field>[^\"\n]+)\"(?: does not exist)?"),
)

TEXTS = tuple((kind, re.compile(pattern, re.MULTILINE)) for kind, pattern in _WORDINGS)
"""Phrases that name one or more fields, with the kind of problem; None if the text or a code determines the kind."""

PLACED = re.compile(r"^(?P<at>[A-Za-z_]\w*(?:\.\w+)*\[\d+\](?:\[\d+\]|\.\w+)*):\s+(?P<says>\S.*)$")
"""A line that begins with the path of an item in a list: ``blocks[0].text.text: must be present``."""

POINTER = re.compile(r"^(?:\[ERROR\] )?(?P<says>.*?) ?\[json-pointer:/?(?P<at>[^\]\n]*)\]\s*$")
SLACK_NAMED = re.compile(r"^(?P<what>missing required field|invalid additional property): (?P<name>[\w\-]+)$")
SLACK_CODES: dict[str, tuple[str, Kind]] = {
    "no_text": ("text", "missing"),
    "msg_too_long": ("text", "invalid"),
    "msg_blocks_too_long": ("blocks", "invalid"),
    "invalid_blocks": ("blocks", "invalid"),
    "invalid_blocks_format": ("blocks", "invalid"),
    "invalid_attachments": ("attachments", "invalid"),
    "markdown_text_conflict": ("markdown_text", "invalid"),
    "invalid_cursor": ("cursor", "invalid"),
    "invalid_limit": ("limit", "invalid"),
    "invalid_types": ("types", "invalid"),
    "invalid_channel": ("channel", "invalid"),
    "invalid_ts_latest": ("latest", "invalid"),
    "invalid_ts_oldest": ("oldest", "invalid"),
    "invalid_name": ("name", "invalid"),
    "invalid_name_specials": ("name", "invalid"),
    "invalid_name_maxlength": ("name", "invalid"),
    "invalid_name_punctuation": ("name", "invalid"),
    "invalid_name_required": ("name", "missing"),
}
"""Codes of Slack's Web API about one argument, for responses that contain only the code."""
