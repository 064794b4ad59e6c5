"""Credentials that nobody declared, told by the name of the key that they stand under and by their shape."""

from __future__ import annotations

import hashlib
import itertools
import json
import re

from mendbench.model.json import Json

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    {
        "apikey", "apitoken", "secret", "secrets", "password", "passwd", "pwd", "passphrase", "authorization", "auth",
        "bearer", "credential", "credentials", "cookie", "cookies", "token", "privatekey", "sshkey", "accesskey",
        "clientsecret", "accesstoken", "authtoken", "refreshtoken",
    }
)  # fmt: skip
_SECRET_PAIRS = frozenset(
    (first, last)
    for first in ("api", "private", "ssh", "access", "secret", "signing", "encryption", "master")
    for last in ("key", "keys")
)
_ABOUT = frozenset(
    {
        "count", "counts", "type", "types", "limit", "limits", "used", "usage", "expires", "expiry", "expired",
        "expiration", "length", "name", "names", "url", "uri", "endpoint", "id", "ids", "at", "in", "hint", "policy",
        "required", "valid", "scope", "scopes", "status", "method", "methods", "mode", "budget", "index", "error",
        "errors", "message", "code", "field", "fields", "enabled",
    }
)  # fmt: skip
"""Last words that make a key speak about a secret and not hold one: ``token_type``, ``password_policy``."""
_CURSOR_WORDS = frozenset({"next", "prev", "previous", "page", "sync", "continuation", "cursor", "pagination"})
"""``next_page_token`` is a cursor: needed for the next call, and no credential."""

_PLACEHOLDER = re.compile(r"<(?:secret:[^<>]*|redacted(?::[0-9a-f]{8})?)>")
_SCHEMES_ONLY = re.compile(r"(?i)^(?:\b(?:bearer|basic|token|bot|digest|apikey)\b|[\s:=\"'])*$")
_WHOLE_SCHEME = re.compile(r"(?i)^(bearer|basic)\s+(\S+)$")
_SCHEME_IN_TEXT = re.compile(r"(?i)\b(bearer|basic)\s+(?=[^\s\"']*\d)([A-Za-z0-9._~+/=-]{12,})")
_URL_PASSWORD = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*://[^\s:/@\"'<>]*):([^\s@/\"'<>]+)@")
_PAIR = re.compile(r"(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9_.-]*)=([^&#\s\"'<>;,]+)")
_TOKENS = re.compile(
    r"""\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*       # JSON Web Token (RFC 7519)
    |\bxox[abceoprs]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}        # Slack
    |\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}    # GitHub
    |\bglpat-[A-Za-z0-9_-]{16,}                                     # GitLab
    |\b[sr]k-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{10,}                 # OpenAI and kin
    |\b(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}              # Stripe
    |\bA[KS]IA[0-9A-Z]{16}\b                                        # Amazon Web Services
    |\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}            # Google
    |\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}
    |\b(?:ntn|secret)_[A-Za-z0-9]{30,}                              # Notion
    |\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}                   # SendGrid
    |-----BEGIN[ A-Z]*PRIVATE\ KEY-----(?:.*?-----END[ A-Z]*PRIVATE\ KEY-----|.*\Z)
    """,
    re.VERBOSE | re.DOTALL,
)


def secret_key(key: str) -> bool:
    """Return whether a value under ``key`` is a credential.

    Whole words decide: under ``access_token`` it is, under ``author`` and ``max_tokens`` it is not.
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

    What stands under a credential's key and what has a credential's shape becomes ``<redacted:DIGEST>``; equal values
    get equal placeholders. ``<secret:NAME>``, booleans and null stay. The value passed in is left as it was;
    sanitising twice changes nothing more.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {key: _under(key, item) if secret_key(str(key)) else sanitise(item) for key, item in value.items()}
    return [sanitise(item) for item in value] if isinstance(value, list | tuple) else value


def _under(key: str, value: Json) -> Json:
    """Return what may be shown under a credential's key."""
    if isinstance(value, dict):
        return {name: _under(key, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_under(key, item) for item in value]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if isinstance(value, int | float):
        return value if _WORDS.findall(key)[-1].lower() == "token" else redacted_mark(str(value))
    text = str(value)
    return text if _harmless(text) else redacted_mark(text)


def _harmless(text: str) -> bool:
    """Return whether nothing but placeholders and authentication schemes, even doubled ones, is left of it."""
    return bool(_PLACEHOLDER.search(text)) and bool(_SCHEMES_ONLY.match(_PLACEHOLDER.sub("", text)))


def redacted_mark(text: str) -> str:
    """Return the placeholder of a credential that nobody declared: equal for equal texts, and nothing of the text."""
    return f"<redacted:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}>"


def _text(text: str) -> str:
    nested = _nested(text)
    if nested is not None:
        return nested
    if (whole := _WHOLE_SCHEME.match(text)) and not _harmless(text):
        return f"{whole.group(1)} {redacted_mark(whole.group(2))}"
    text = _TOKENS.sub(lambda found: redacted_mark(found.group()), text)
    text = _SCHEME_IN_TEXT.sub(lambda found: f"{found.group(1)} {redacted_mark(found.group(2))}", text)
    text = _URL_PASSWORD.sub(lambda found: f"{found.group(1)}:{redacted_mark(found.group(2))}@", text)
    return _PAIR.sub(_pair, text)


def _pair(found: re.Match[str]) -> str:
    key, value = found.groups()
    if not secret_key(key) or value.lower() in {"true", "false", "null", "none"}:
        return found.group()
    return f"{key}={redacted_mark(value)}"


def _nested(text: str) -> str | None:
    """Return a JSON text with its inside sanitised, or None where the text is not JSON or holds nothing to hide."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
        clean = sanitise(value)
    except (ValueError, RecursionError):
        return None
    return text if clean == value else json.dumps(clean, ensure_ascii=False)
