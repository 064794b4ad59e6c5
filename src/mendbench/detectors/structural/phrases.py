"""Phrases, and who can fix each one. They apply only if neither structure, nor code, nor status has decided.

Each table is one regular expression, matched case-insensitively over at most :data:`MAX_TEXT` characters of a response's text, with plain
apostrophes.
"""

from __future__ import annotations

import re

MAX_TEXT = 4000


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_NAMES = (
    r"(?:field|property|parameter|param|argument|column|attribute|(?<!payment )method|tool|function|variable"
    r"|keyword|flag|table|relation|directive)"
)
_SLOTS = r"(?:field|property|parameter|param|argument|column|attribute|option|variable|filter|input|header)"

TEMPLATE = re.compile(r"\$\{[\w.\[\]\-]{1,80}\}|\{\{[^{}]{1,80}\}\}")
"""Template syntax. If an API quotes it, the workflow sent it unresolved."""

TOOL_FAILED = re.compile(r"^error (?:executing|calling) tool '?[\w./-]{1,120}'?: ", re.IGNORECASE | re.MULTILINE)
"""The prefix that the Python MCP SDK and FastMCP add to a tool's own text. It names the tool and adds no information."""

VOCABULARY = _any(
    rf"\b{_NAMES}s?\b(?:[^.\n]|\.\w){{0,60}}?\b(?:not found|does(?:n't| not) exist|not defined|not recogni[sz]ed)",
    rf"\b(?:unknown|unrecogni[sz]ed|unexpected|undefined|no such|cannot query|has no)\s+{_NAMES}s?\b",
    rf"\b(?:could not|couldn't|can ?not|can't|unable to) find (?:\w+ ){{0,2}}(?:['\"`][^'\"`\n]{{1,60}}['\"`] )?{_NAMES}\b",
    r"does not exist in \S+ enum",
    r"\bmodels?(?:/|:\s*\w|\s+(?:id\s+|named\s+)?[`'\"])",
    r"\bunknown (?:model|name)\b",
)
"""The name belongs to the API's own vocabulary (a field, a tool, a model). The workflow spells it; it is not user data."""

OFFERS = _any(
    r"\bdid you mean\b",
    r"\bpotential matches\b",
    r"\b(?:supported|valid|allowed|accepted|available) (?:\w+ )?(?:values|options|choices|models|levels|types)\b",
    r"\bmust be one of\b",
    r"\bexpected one of\b",
    r"\buse \S[^.\n]{0,60}\binstead\b",
)
"""The response names the correct value."""

ROUTE = _any(
    r"\bunrecogni[sz]ed request url\b",
    r"\b(?:invalid|unknown) (?:request )?(?:url|endpoint|route)\b",
    r"\brequested url\b.{0,200}\bnot found\b",
    r"^\W*cannot (?:get|post|put|patch|delete|head|options) /",
    r"\bno (?:matching )?(?:route|handler found|static resource)\b",
    r"\b(?:route|endpoint)\b.{0,80}\bnot (?:be )?found\b",
    r"\bfor the segment\b",
    r"^\W*404:? page not found\W*$",
    r"\bcould not find the requested resource\b",
    r"\b(?:unknown|invalid|no such|unsupported|bad) (?:api )?(?:path|action|resource path|operation)\b(?! id)",
    r"\bnot an? (?:valid|known) (?:url|endpoint|path|route)\b|\bapi version\b.{0,40}\b(?:not|no longer|deprecated|sunset)\b",
    r"^\W*(?:the )?page (?:you .{0,40})?(?:was |could )?not (?:be )?found\b",
)
"""The address itself is unknown, not the resource behind it."""

BARE_NOT_FOUND = _any(r"^\W*(?:404)?[\s:\-]*not found$")
"""Messages of web servers and frameworks for an unknown route. With a full stop or another word, it is about a resource."""

HEADER = _any(
    r"\b(?:missing|invalid|unsupported)\b(?!.{0,30}\b(?:auth|token|key|signature|credential))"
    r".{0,30}\b(?:header|user[- ]agent|content[- ]type)\b"
)
"""A 403 for the request's form."""

FORM = _any(
    r"\b(?:property|field|parameter|param|argument|input|value|key)s?\b[^.\n]{0,40}\b(?:is|are) required\b",
    r"['\"`] (?:is|are) (?:a )?required\b",
    rf"\brequired (?:{_SLOTS}|key|type|value)\b",
    r"\bfield required\b|:\s*required\b",
    r"\b(?:was|were|is|are)(?:n't| not) (?:supplied|provided|specified|given)\b",
    r"\b(?:missing|omitted) (?:required|mandatory)\b|\bnot provided\b",
    rf"\bmissing (?:{_SLOTS}|key|value|propert)",
    rf"\b{_SLOTS}s?\b[^.\n]{{0,40}}\b(?:is|are) missing\b",
    r"\badditional propert|\bwas unexpected\b|\bare not allowed\b.{0,40}\bunexpected\b",
    r"\bis not (?:of type|an? (?:array|string|number|integer|boolean|object|list|dict|valid (?!token|api|credential)))",
    r"\bcould not be (?:coerced|parsed|converted|decoded)\b|\bcannot represent\b",
    r"\bcan(?: ?not|'t) be (?:blank|empty|null|nil|parsed|converted|used|combined|specified|set)\b",
    r"\bshould (?:be|have|match|contain)\b",
    r"\b(?:must|can only) be\b(?! (?:log|auth|sign|an? (?:member|admin|owner)))",
    r"\bmust (?:match|contain|provide|include|specify|define|start|end|begin|have (?!access|permission|the right))\b",
    r"\b(?:not|doesn't|does not) (?:\w+ ){0,2}(?:a )?valid (?:value|format|option|choice|date|number|type)\b",
    r"\byou must\b[^.\n]{0,20}\bprovide\b",
    r"\btoo (?:long|short|large|small|big)\b|\bexceeds? (?:the )?(?:max|grid|length|size)",
    r"\b(?:at least|at most|no more than|less than|greater than)\b",
    r"\bconstraint failed\b|\bnear \"[^\"]*\": syntax error\b",
    r"\benotdir\b|\beisdir\b|\b(?:not|is) a directory\b",
)
"""The request's form: what is required, of which type, within which bounds."""

RIGHTS = _any(
    r"\bauthenticat|\bunauthori[sz]ed|\bnot authori[sz]ed|\bforbidden\b|\bcredentials?\b",
    r"\bapi[ _-]?keys?\b|\b(?:invalid|expired|revoked|missing|bad) (?:\w+ )?token\b",
    r"\btoken (?:\w+ ){0,3}(?:invalid|expired|revoked)\b",
    r"\b(?:permission|access) (?:is )?(?:denied|forbidden|required)\b|\bno (?:permission|access)\b",
    r"\b(?:insufficient|lacks?|without|missing)\b.{0,30}\b(?:scope|permission|privilege|rights|role)",
    r"\bdo(?:es)?(?:n't| not) have (?:\w+ ){0,3}(?:permission|access|rights)\b",
    r"\bnot (?:logged in|permitted|accessible)\b|\bmust (?:be|have) .{0,20}(?:logged in|admin|push|owner|rights)",
    r"\b(?:contact|ask) (?:\w+ ){0,3}(?:support|admin\w*|owner|sales)\b|\bonly (?:the |an? )?(?:\w+ )?(?:owner|admin|member)s?\b",
    r"\bnot allowed to (?:access|perform|do|create|update|delete|view|use|modify|edit|read|write|send)\b|\bnot a member\b",
    r"\b(?:is|are|been) not (?:enabled|activated|available|subscribed|eligible|allowed) (?:for|in|on|to) (?:your|this|the) (?:\w+ )?"
    r"(?:account|plan|country|region|organi[sz]ation|workspace|project|user|team|shop|store|tier)",
    r"\brefus(?:ed|es|ing)\b|\bread[- ]only\b|\beacces\b|\beperm\b",
    r"\b(?:session|token|key|signature|licen[cs]e|password|trial|subscription|certificate|grant)\b.{0,30}\b(?:expired|revoked)\b",
    r"\b(?:un|not (?:yet )?(?:been )?)verified\b|\btrial (?:account|plan|period)|\bupgrade (?:your|the) (?:\w+ )?(?:plan|account)",
    r"\b(?:verify|confirm) (?:this|your|the) (?:e-?mail|address|account|sender|domain|number|identity)",
    r"\bnot (?:\w+ ){0,4}on your account\b",
)

LIMITS = _any(
    r"\brate[- _]?limit|\btoo many requests\b|\bthrottl|\bquota\b|\boverloaded\b|\btemporarily\b",
    r"\bexceeded\b.{0,40}\b(?:quota|limit|capacity)\b|\btry again\b|\bplease (?:wait|retry)\b",
    r"\b(?:limit|budget|allowance|credits?)\b.{0,30}\b(?:reached|exceeded|exhausted|used up)\b|\b(?:exceeded|reached|over) your\b",
    r"\bdeadlock|\bexclusive (?:access|lock)\b|\bcontention\b|\bretry (?:your|the|this) (?:request|transaction)\b",
    r"\bconcurrent(?:ly)? (?:modif|updat|request)",
    r"\b(?:credit|account) balance\b|\bbilling\b",
)

OUTAGE = _any(
    r"\btim(?:ed|e)[- ]?out\b|\bservice unavailable\b|\bbad gateway\b|\bgateway time",
    r"\b(?:internal|server) (?:server )?error\b|\bis (?:the|still) .{0,40}(?:running|initiali[sz]ing|starting)\b",
    r"\b(?:could not|couldn't|cannot|can't|failed to|unable to) (?:connect|resolve host|reach)\b",
    r"\bconnection (?:to .{0,80} )?(?:refused|reset|closed|failed|aborted|error)\b",
    r"\becon(?:nrefused|nreset|naborted)\b|\betimedout\b|\benotfound\b|\beai_again\b|\bgetaddrinfo\b",
    r"\bname or service not known\b|\bnetwork is unreachable\b|\bno space left\b",
)

LOOSE = _any(
    r"\binvalid\b|\bmalformed\b|\bbadly formed\b|\bnot valid\b|\bunsupported\b|\bnot supported\b",
    r"\b(?:unable to|can ?not|can't|could not) parse\b|\bpars(?:e|ing) (?:error|failed)\b|\bproblems parsing\b",
    r"\bsyntax error\b|\bexpected\b|\bunexpected (?:token|end|character)\b|\bmismatch\b",
    r"\bdo(?:es)?(?:n't| not) match\b",
)
"""Ambiguous validation wording, so it is tried after permissions, limits and outages."""

STALE = _any(r"\b(?:do(?:es)?|did)(?:n't| not) match\b")
"""The request contradicts the service's state: a stale revision, which another node can read again."""

ABSENT = _any(
    r"\bnot[ _-]found\b|\bdo(?:es)?(?:n't| not) exist\b|\bno such\b|\benoent\b|\bdid not resolve\b",
    r"\b(?:could|can)(?:n't| ?not|'t) (?:be )?(?:find|found|locate[d]?)\b|\bunable to find\b",
    r"\bno longer (?:exists|available)\b",
)
"""A resource that the data names."""

TAKEN = _any(r"\balready (?:exists?|taken|in use|been (?:taken|used)|a member)\b|\bduplicate\b|\bconflict\b")

STATE = _any(
    r"\bdo(?:es)?(?:n't| not) have\b|\bhas no\b",
    r"\b(?:can ?not|can't|unable to) (?:operate|update|delete|modify|edit|disable)\b",
    r"\b(?:is|are|was|been) (?:archived|disabled|locked|closed|suspended|deactivated|not active|inactive|deleted)\b",
    r"\bcan(?: ?not|'t) be (?:refunded|cancell?ed|deleted|modified|edited|updated)\b|\bdeclined\b",
    r"\binsufficient (?:funds|balance|credits?|stock|space|storage)\b|\bunsubscribed?\b|\bopted out\b|\bblocked\b",
    r"\bout of stock\b|\b(?:has|have) (?:already )?(?:expired|ended|finished"
    r"|been (?:cancell?ed|closed|deleted|refunded|paid|archived|locked|suspended|disabled|revoked|removed))\b",
    r"\balready (?:been )?\w+ed\b|\bno longer\b|\bis not active\b|\bnot eligible\b",
    r"\bmarked as (?:inactive|spam|deleted|closed)\b|\binactive\b|\bsuppress(?:ed|ion)\b",
)
"""The resource exists, but its state does not allow the request."""

SHELL = _any(
    r"\bdocker daemon\b|\bno module named\b|\bpublickey\b|\bcould not read (?:username|password)\b",
    r"\bpermission denied\b|\boperation not permitted\b|\bread-only file system\b",
    r"\bauthentication failed\b|\b(?:invalid|incorrect|wrong) (?:username|password|credentials)|\bnot logged in\b",
    r"\bunable to locate credentials\b|\baccess denied\b|\bcannot allocate memory\b|\bresource busy\b|\btoo many open files\b",
    r"\bcould not get lock\b|\bno route to host\b|\bname resolution\b|\bhost key verification\b|\bcertificate\b",
    r"\b(?:is|are) not installed\b|\bdisk quota\b|\brepository not found\b|\bcould not read from remote\b|\btemporary failure\b",
    r"\b(?:401|403)\b.{0,20}\b(?:unauthori[sz]ed|forbidden)\b|\bunauthori[sz]ed\b",
    r"\bcannot find (?:package|module)\b|\bout of memory\b|\bkilled\b",
)
"""What a machine lacks, as commands report it."""

ADDRESS = _any(
    r"\b(?:invalid|malformed|relative) ur[li]\b|\bunsupported (?:protocol|url|scheme)\b|\bunknown url type\b",
    r"\bno (?:host|scheme)\b|\bmissing .{0,20}(?:protocol|scheme|host)\b|\bnested brace\b|\bbad[ /]illegal format\b",
    r"\binvalid port\b|\b(?:label|host) (?:is )?(?:empty|too long)\b",
)
"""A URL that cannot be sent to at all."""

STATUS = re.compile(
    r"\b(?i:status(?: code)?):? ?(\d{3})\b|\bHTTP(?: [Ee]rror)?(?:/\d(?:\.\d)?)?:? (\d{3})\b"
    r"|: (\d{3}) [A-Z][a-z]|(?:Exception|error): (\d{3})\b"
)
"""An HTTP status inside a text: how clients and MCP servers pass on an API's response."""

RPC_CODE = re.compile(r"\bMCP error (-\d{5})\b")
TOKEN = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""A code inside a text."""
