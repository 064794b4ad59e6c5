"""Undeclared credentials, recognised by the name of their key and by their format.

In a text, keys have the syntax of JSON, forms, command lines, headers, connection strings and XML. Encoded parts of a text are searched
too: see :mod:`mendbench.secrets.encodings`.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from mendbench.model.json import Json, JsonObject
from mendbench.secrets.encodings import LAYERS, in_place, parsed, pieces, respelled
from mendbench.secrets.form_fields import elements_shown, parts_shown

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    {
        "apikey", "apitoken", "secret", "secrets", "password", "passwd", "pwd", "passphrase", "authorization", "auth",
        "bearer", "credential", "credentials", "cookie", "cookies", "token", "privatekey", "sshkey", "accesskey",
        "clientsecret", "accesstoken", "authtoken", "refreshtoken", "sessionid", "sessid", "jsessionid", "phpsessid", "jwt",
    }
)  # fmt: skip
_SECRET_PAIRS = frozenset(
    (first, last)
    for first in (
        "api",
        "private",
        "ssh",
        "access",
        "secret",
        "signing",
        "encryption",
        "master",
        "account",
        "subscription",
    )
    for last in ("key", "keys")
) | {("session", "id"), ("connect", "sid")}
_ABOUT = frozenset(
    {
        "count", "counts", "type", "types", "limit", "limits", "used", "usage", "expires", "expiry", "expired",
        "expiration", "length", "name", "names", "url", "uri", "endpoint", "id", "ids", "at", "in", "hint", "policy",
        "required", "valid", "scope", "scopes", "status", "method", "methods", "mode", "budget", "index", "error",
        "errors", "message", "code", "field", "fields", "enabled", "ms", "description", "env",
    }
)  # fmt: skip
"""Last words of keys that describe a secret instead of containing one: ``token_type``, ``password_policy``."""
_CURSOR_WORDS = frozenset({"next", "prev", "previous", "page", "sync", "continuation", "cursor", "pagination"})
"""``next_page_token`` is a cursor that the next call needs, not a credential."""

_PLACEHOLDER = re.compile(r"<(?:secret:[^<>]*|redacted(?::[0-9a-f]{8})?)>")
_SCHEMES_ONLY = re.compile(r"(?i)^(?:\b(?:bearer|basic|token|bot|digest|apikey)\b|[\s:=\"'])*$")
_WHOLE_SCHEME = re.compile(r"(?i)^(bearer|basic)\s+(?!realm=)(?-i:(?![A-Za-z][a-z]{3,11}$))(\S+)$")
"""Only a scheme and its credential; a word of letters is not a credential (``Basic plan``)."""
_SCHEME_IN_TEXT = re.compile(r"(?i)\b(bearer|basic)\s+(?=[^\s\"']*\d)([A-Za-z0-9._~+/=-]{12,})")
_NO_VALUE = re.compile(r"^(?:\\*[\"'])?(?:\$\{[^{}]*\}|\$[A-Za-z_]\w*|[*•x.]+|)(?:\\*[\"'])?$")
"""Replacements of a credential: a template, a shell variable, a mask, an empty value."""
_URL_PASSWORD = re.compile(
    r"\b([A-Za-z][A-Za-z0-9+.-]{0,30}:/{1,2}[^\s:/@\"'<>]*+):((?!\d{1,5}[/?#])"
    r"(?:[^\s:@\"'<>]++|@|:(?!/{1,2}[^\s:/@\"'<>]*+:))+)@"
)
"""The password of a URL, to the last ``@`` before the next such URL; a port is not one."""
_HEADER = re.compile(r"(?i)\b((?:proxy-)?authorization: *(?:bearer|basic|token|bot|digest|apikey) +)([^\s\"'<>,;$]+)")
_STANDS_FOR = re.compile(r"^[A-Z]+(?:_[A-Z]+)*$")
"""The form of a name that stands for a credential in prose: ``Authorization: Bot TOKEN``."""
_ORACLE = re.compile(r"\b(jdbc:oracle:\w{1,30}:[^\s/@]{1,256}+)/([^\s@\"'<>]{1,256}+)@")
_VALUE = (
    r"""(?:\\*+"(?:[^"\\<>]++|\\(?!")[^<>])*\\?"|'(?:[^'\\<>]++|\\.)*'|"""
    r"""\\++'(?:[^'\\<>]++|\\(?!')[^<>])*\\?'|(?:[^&#\s"'<>;,\\]++|\\(?!\\{0,16}["']))+)"""
)
"""A quoted value, or text up to a separator; backslashes before a quote belong to the quote."""
_ENCLOSED = re.compile(r"(\\*+[\"'])(.*)\1", re.DOTALL)
_PAIR = re.compile(rf"(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9_.-]*+)=({_VALUE})")
_QUOTED = re.compile(
    r"""((?<!\\)\\*+["']|\\{0,16}+["'])([A-Za-z][A-Za-z0-9_. -]{1,60})\1(\s*+(?:=>|:)\s*+)(\\{0,63}+["'])"""
    r"""(?!\4)((?:(?!\4)(?:[^\\<>\n"']++|["']|\\\\\\["']|\\(?!\\\\["'])[^<>\n]))*\\{0,3}?)\4"""
)
"""``"key": "value"`` in the middle of a text, as written by JSON and Python, and as escaped in a JSON string.

The pattern is unambiguous at every position, so that an unterminated value takes linear time. Such a value ends at the last escaped quote.
"""
_KEY_VALUE = re.compile(r"(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9_.-]*+)(: )((?=[^\s]*\d)[^\s\"'<>,;{}$]{8,})")
"""``key: value`` in a text. The value needs a digit: ``password: required`` describes one and contains none."""
_COOKIES = re.compile(r"(?im)^([^\S\n]*+(?:set-)?cookie: )(?!<)([^\r\n<>]++)(?=\r?$)")
_COOKIE_PAIR = r"[\w.!#%&*+^`|~-]++=(?!\$)[^\s;,\"'<>\\]++"
_SENT_COOKIES = re.compile(rf"(?i)(?<![\w-])((?:set-)?cookie: ?)({_COOKIE_PAIR}(?:; ?{_COOKIE_PAIR})*+)")
"""Cookies in the middle of a line, as a command line has them."""
_NAMED = re.compile(
    r"""((["'])(?:name|key)\2\s*+:\s*+(["'])([A-Za-z][\w.:-]*+)\3\s*+,\s*+(["'])value\5\s*+:\s*+(["']))"""
    r"""((?:(?!\6)[^\\<>\n]|\\[^<>\n])++)(?=\6)"""
)
"""``"name": "KEY", "value": "VALUE"`` in the middle of a text."""
_SETTING = re.compile(
    r"""(?m)^([^\S\n]*+(?:export +)?)([A-Za-z][\w.-]*+)([^\S\n]*+=[^\S\n]*+)"""
    r"""("[^\s"<>]++"|'[^\s'<>]++'|(?=[^\s\d]*+\d)[A-Za-z0-9+/_~-][A-Za-z0-9+/=_~-]{7,}+)(?=[^\S\n]*+(?:[#;].*)?$)"""
)
"""``key = value`` on a line of its own, as TOML and INI files write it. A value without quotes needs a digit."""
_OPTION = re.compile(
    r"""(?<![\w-])(--[A-Za-z][A-Za-z0-9-]*)([ =])((?!-)(?:[^\s"'<>$\\]++|\\[^<>]|"[^"<>$]*"|'[^'<>]*')+)"""
)
_USER_OPTION = re.compile(r"(?<![\w-])((?:-u|--user)[ =]?[\"']?[^\s:\"'<>$]{1,256}+):([^\s\"'<>$]+)")
_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)>([^<>]+)(?=</\1>)")
_SHAPES = (
    r"eyJ(?=[A-Za-z0-9_-]{5})(?:[A-Za-z0-9_]++|-(?!eyJ))+(?:\.[A-Za-z0-9_-]*+){2,4}",  # JSON Web Token (RFC 7519), signed or encrypted
    r"xox[abceoprs]-[A-Za-z0-9-]{8,}", r"xapp-[A-Za-z0-9-]{8,}", r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",  # Slack
    r"gh[pousr]_[A-Za-z0-9]{16,}", r"github_pat_[A-Za-z0-9_]{16,}", r"glpat-[A-Za-z0-9_-]{16,}",  # GitHub, GitLab
    r"sk-(?=(?:[A-Za-z_]++|-(?!sk-))*\d)[A-Za-z0-9_-]{10,}",
    r"rk-(?=(?:[A-Za-z_]++|-(?!rk-))*\d)[A-Za-z0-9_-]{10,}",  # OpenAI, Anthropic and kin
    r"sk_(?:live|test)_[A-Za-z0-9]{10,}", r"rk_(?:live|test)_[A-Za-z0-9]{10,}", r"pk_(?:live|test)_[A-Za-z0-9]{10,}",  # Stripe
    r"whsec_[A-Za-z0-9]{10,}",
    r"A[KS]IA[0-9A-Z]{16}\b",  # Amazon Web Services
    r"AIza[A-Za-z0-9_-]{30,}", r"ya29\.[A-Za-z0-9_-]{16,}", r"GOCSPX-[A-Za-z0-9_-]{20,}", r"1//0[A-Za-z0-9_-]{30,}",  # Google
    r"hf_[A-Za-z0-9]{20,}", r"npm_[A-Za-z0-9]{30,}", r"pypi-[A-Za-z0-9_-]{30,}",
    r"ntn_[A-Za-z0-9]{30,}", r"secret_[A-Za-z0-9]{30,}",  # Notion
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", r"SK[0-9a-f]{32}\b", r"key-[0-9a-f]{32}\b",  # SendGrid, Twilio, Mailgun
    r"discord\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}", r"discordapp\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}",
    r"shp(?:at|ca|pa|ss)_[0-9a-f]{32}\b", r"dop_v1_[0-9a-f]{64}\b", r"dapi[0-9a-f]{32}\b", r"hv[sb]\.[A-Za-z0-9_-]{20,}",
    r"lin_api_[A-Za-z0-9]{32,}", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}\b", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}",
    r"-----BEGIN[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----|.*\Z)",
)  # fmt: skip
"""Formats of providers' credentials, from their documentation. Each starts with a fixed letter, and not inside a word."""
_TOKENS = re.compile("|".join(f"{shape[0]}(?<!\\w.){shape[1:]}" for shape in _SHAPES), re.DOTALL)
_SHORTEST = 10
"""The length of the shortest text with such a format."""
_MARKED = {
    "Q~": re.compile(r"(?<![\w~.-])[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}"),  # Azure's applications
    ":AA": re.compile(r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,33}\b"),  # Telegram
    "sig=": re.compile(r"\bsig=[A-Za-z0-9%/+]{40,}={0,2}"),  # Azure's shared access
}
"""Formats without a fixed start, by a fixed text in each of them."""
TEMPLATE = re.compile(r"\$\{[^{}]*(?:\$\{[^{}]*\}[^{}]*)*\}")
MOST_REMEMBERED = 4000
"""The maximum length of a text that is cached with its sanitised form: the same few texts occur repeatedly."""
_PAIRS_OF_FIELDS = (("name", "value"), ("key", "value"), ("Name", "Value"), ("Key", "Value"))
"""The fields of an object for the name of a value and the value itself, as HAR writes headers, cookies and parameters."""
_NO_CREDENTIALS = frozenset({"true", "false", "null", "none"})
_NOTED: ContextVar[dict[str, str] | None] = ContextVar("noted", default=None)


@lru_cache(maxsize=4096)
def secret_key(key: str) -> bool:
    """Return whether a value under ``key`` is a credential.

    Only whole words count: under ``access_token`` it is one, under ``author`` and ``max_tokens`` it is not.
    """
    words = [word.lower() for word in _WORDS.findall(key)]
    if not words or words[-1] in _ABOUT:
        return False
    if any(pair in _SECRET_PAIRS for pair in itertools.pairwise(words)):
        return True
    held = _SECRET_WORDS.intersection(words)
    return bool(held) and not (held == {"token"} and _CURSOR_WORDS.intersection(words))


def sanitise(value: Json) -> Json:
    """Return a JSON value without credentials, as it may be shown to an agent.

    A value under a credential's key, and a value or key with a credential's format, becomes ``<redacted:DIGEST>``. Equal values get equal
    placeholders. ``<secret:NAME>``, booleans and null stay. The value passed in is unchanged. Sanitising is idempotent.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {sanitise_key(key): sanitise_under(name, item) for key, name, item in named_items(value)}
    return [sanitise(item) for item in value] if isinstance(value, list | tuple) else value


def named_items(value: JsonObject) -> Iterator[tuple[str, str, Json]]:
    """Yield each key of an object, the name of its value, and the value.

    The name is the key, except for the value of a pair such as ``{"name": "X-Api-Key", "value": ...}``, whose name is ``X-Api-Key``.
    """
    pair = _paired(value) if "value" in value or "Value" in value else None
    for key, item in value.items():
        yield key, pair[1] if pair and key == pair[0] else key, item


def _paired(value: JsonObject) -> tuple[str, str] | None:
    """Return the field of an object with a credential, and its name from another field; None for any other object."""
    for name_field, value_field in _PAIRS_OF_FIELDS:
        name, held = value.get(name_field), value.get(value_field)
        if held is None or not isinstance(name, str) or any(map(str.isspace, name)) or not secret_key(name):
            continue
        if not isinstance(held, str) or not _is_word(held):
            return value_field, name
    return None


def _is_word(value: str) -> bool:
    """Return whether a named value is a plain word instead of a credential: a flag, or the name of one (``token``)."""
    return value.lower() in _NO_CREDENTIALS or (value.isalpha() and secret_key(value))


def sanitise_key(key: str) -> str:
    """Return a key without credentials of a provider's format."""
    return without_shapes(key) if isinstance(key, str) and len(key) >= _SHORTEST else key


def sanitise_under(key: str, value: Json) -> Json:
    """Return the displayable form of a value under a key."""
    return _under(key, value) if secret_key(str(key)) else sanitise(value)


def _under(key: str, value: Json) -> Json:
    """Return the displayable form of a value under a credential's key."""
    if isinstance(value, dict):
        return {sanitise_key(name): _under(key, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_under(key, item) for item in value]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if isinstance(value, int | float):
        return value if _WORDS.findall(key)[-1].lower() == "token" else redacted_mark(str(value))
    text = str(value)
    return text if _harmless(text) else redacted_mark(text)


def _harmless(text: str) -> bool:
    """Return whether it consists only of placeholders and authentication schemes, even doubled ones."""
    return bool(_PLACEHOLDER.search(text)) and bool(_SCHEMES_ONLY.match(_PLACEHOLDER.sub("", text)))


def redacted_mark(text: str) -> str:
    """Return the placeholder of an undeclared credential: equal for equal texts, and without any part of the text."""
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if (noted := _NOTED.get()) is not None:
        noted[mark] = text
    return f"<redacted:{mark}>"


@contextmanager
def noting(into: dict[str, str]) -> Iterator[None]:
    """Collect the removed credentials in ``into`` meanwhile, by the digest in their placeholders."""
    token = _NOTED.set(into)
    try:
        yield
    finally:
        _NOTED.reset(token)


def without_shapes(text: str) -> str:
    """Return a text without credentials of a provider's format, under any key."""
    text = _TOKENS.sub(_marked, text)
    for sign, pattern in _MARKED.items():
        if sign in text:
            text = pattern.sub(_marked, text)
    return text


def _marked(found: re.Match[str]) -> str:
    return redacted_mark(found.group())


def is_noting() -> bool:
    """Return whether removed credentials are being collected. The cache must not be used then."""
    return _NOTED.get() is not None


def _text(text: str) -> str:
    return _cleaned(text) if len(text) > MOST_REMEMBERED or is_noting() else _remembered(text)


def _cleaned(text: str) -> str:
    nested = _nested(text)
    return clean_text(text) if nested is None else nested


_remembered = lru_cache(maxsize=1024)(_cleaned)


def clean_text(text: str, layers: int = LAYERS) -> str:
    """Return a text without credentials, including encoded ones."""
    clean = _plain(text)
    if not layers:
        return clean
    clean = _encoded(clean, layers - 1)
    return in_place(clean, lambda part: _bared(part, layers))


def _bared(text: str, layers: int) -> str:
    """Return a text with decoded escapes and without credentials, if decoding reveals any."""
    for number, bare in enumerate(respelled(text)):
        found = clean_text(bare, layers - 1 if number == 0 else 0)
        if found != bare:
            return found
    return text


def _encoded(text: str, layers: int) -> str:
    """Return a text without the encoded pieces that contain a credential."""
    parts: list[str] = []
    end = 0
    for piece in pieces(text):
        if piece.start >= end and clean_text(piece.says, layers) != piece.says:
            parts += [text[end : piece.start], redacted_mark(text[piece.start : piece.end])]
            end = piece.end
    return "".join([*parts, text[end:]])


def _plain(text: str) -> str:
    """Return a text without values that have a credential's format or a credential's key."""
    if (whole := _WHOLE_SCHEME.match(text)) and not _harmless(text):
        return f"{whole.group(1)} {redacted_mark(whole.group(2))}"
    if "ookie" in text or "OOKIE" in text:
        text = _COOKIES.sub(lambda found: found.group(1) + _hidden(found.group(2)), text)
        text = _SENT_COOKIES.sub(_sent_cookies, text)
    text = without_shapes(text)
    text = _SCHEME_IN_TEXT.sub(lambda found: f"{found.group(1)} {redacted_mark(found.group(2))}", text)
    if "=" in text:
        text = _PAIR.sub(_pair, text)
        text = _SETTING.sub(_setting, text)
        text = elements_shown(parts_shown(text, _held), _held)
    if ":" in text:
        text = _URL_PASSWORD.sub(lambda found: f"{found.group(1)}:{_hidden(found.group(2))}@", text)
        text = _HEADER.sub(_header, text)
        text = _ORACLE.sub(lambda found: f"{found.group(1)}/{_hidden(found.group(2))}@", text)
        text = _NAMED.sub(_named, text)
        text = _QUOTED.sub(_quoted, text)
        text = _KEY_VALUE.sub(
            lambda found: found.group(1) + found.group(2) + _held(found.group(1), found.group(3)), text
        )
    if "-" in text:
        text = _OPTION.sub(_option, text)
        text = _USER_OPTION.sub(lambda found: f"{found.group(1)}:{_hidden(found.group(2))}", text)
    if "</" in text:
        text = _ELEMENT.sub(_element, text)
    return text


def _hidden(value: str) -> str:
    """Return the placeholder of a credential; an existing placeholder, or a credential's name, is unchanged."""
    return value if shows_nothing(value) else redacted_mark(value)


def _held(key: str, value: str) -> str:
    """Return the displayable form of a value under a key in a text."""
    return _hidden(value) if secret_key(key) else value


def shows_nothing(value: str) -> bool:
    """Return whether a value is a placeholder, a template, a shell variable, a mask, or a word for no value."""
    bare = TEMPLATE.sub("<redacted>", value) if "${" in value else value
    return _harmless(bare) or bool(_NO_VALUE.match(value))


def _header(found: re.Match[str]) -> str:
    before, value = found.groups()
    return found.group() if _STANDS_FOR.match(value) and secret_key(value) else before + _hidden(value)


def _sent_cookies(found: re.Match[str]) -> str:
    values = (pair.partition("=")[2] for pair in found.group(2).split(";"))
    held = any(not shows_nothing(value) and any(map(str.isalnum, value)) for value in values)
    return found.group(1) + redacted_mark(found.group(2)) if held else found.group()


def _named(found: re.Match[str]) -> str:
    name, value = found.group(4), found.group(7)
    return found.group(1) + (value if _is_word(value) else _held(name, value))


def _setting(found: re.Match[str]) -> str:
    before, key, sign, value = found.groups()
    return found.group() if _is_word(value.strip("\"'")) else f"{before}{key}{sign}{_held_in_quotes(key, value)}"


def _pair(found: re.Match[str]) -> str:
    key, value = found.groups()
    if value.lower() in _NO_CREDENTIALS:
        return found.group()
    return f"{key}={_held_in_quotes(key, value)}"


def _option(found: re.Match[str]) -> str:
    option, between, value = found.groups()
    return f"{option}{between}{_held_in_quotes(option, value)}"


def _held_in_quotes(key: str, value: str) -> str:
    """Return the displayable form of a value within its quotes, so that its placeholder is that of the unquoted value."""
    enclosed = _ENCLOSED.fullmatch(value)
    if enclosed is None:
        return _held(key, value)
    return f"{enclosed.group(1)}{_held(key, enclosed.group(2))}{enclosed.group(1)}"


def _quoted(found: re.Match[str]) -> str:
    quote, key, colon, opening, value = found.groups()
    return f"{quote}{key}{quote}{colon}{opening}{_held(key, value)}{opening}"


def _element(found: re.Match[str]) -> str:
    key, attributes, value = found.groups()
    return f"<{key}{attributes}>{_held(key, value)}"


def _nested(text: str) -> str | None:
    """Return a JSON text with sanitised content, or None if the text is not JSON or contains nothing to hide."""
    value = parsed(text)
    if value is None:
        return None
    try:
        clean = sanitise(value)
    except RecursionError:
        return None
    return text if clean == value else json.dumps(clean, ensure_ascii=False)
