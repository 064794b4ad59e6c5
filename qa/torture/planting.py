"""Secrets that are nobody's: drawn in the shapes that providers give them, put into what carries them, in some spelling."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
import shlex
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

Draw = random.Random
_LETTERS = string.ascii_letters + string.digits
_URL = _LETTERS + "-_"
_HEX = "0123456789abcdef"


def _of(draw: Draw, alphabet: str, length: int) -> str:
    """Return a drawn text with a digit, a small and a capital letter where the alphabet has them."""
    drawn = [draw.choice(alphabet) for _ in range(length)]
    for at, kind in enumerate((string.digits, string.ascii_lowercase, string.ascii_uppercase)):
        common = [letter for letter in alphabet if letter in kind]
        if common:
            drawn[at] = draw.choice(common)
    return "".join(drawn)


def _jwt(draw: Draw) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": _of(draw, _HEX, 12), "iat": draw.randrange(10**9)})
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, _of(draw, _URL, 43)])


def _pem(draw: Draw) -> str:
    body = base64.b64encode(draw.randbytes(180)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    kind = draw.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "))
    return "\n".join([f"-----BEGIN {kind}PRIVATE " + "KEY-----", *lines, f"-----END {kind}PRIVATE " + "KEY-----"])


PROVIDERS: dict[str, Callable[[Draw], str]] = {
    "AWS access key": lambda d: "AK" + "IA" + _of(d, string.ascii_uppercase + "234567", 16),
    "GitHub token": lambda d: "gh" + d.choice("pousr") + "_" + _of(d, _LETTERS, 36),
    "GitHub fine-grained token": lambda d: "github" + "_pat_" + _of(d, _LETTERS, 22) + "_" + _of(d, _LETTERS, 59),
    "GitLab token": lambda d: "gl" + "pat-" + _of(d, _URL, 20),
    "Slack bot token": lambda d: "xo" + "xb-" + "-".join(str(d.randrange(10**11, 10**12)) for _ in "ab") + "-" + _of(d, _LETTERS, 24),
    "Slack app token": lambda d: "xa" + "pp-1-" + _of(d, _LETTERS, 40),
    "Slack webhook": lambda d: "https://hooks.slack" + ".com/services/T" + _of(d, _LETTERS, 9) + "/B" + _of(d, _LETTERS, 9) + "/" + _of(d, _LETTERS, 24),
    "Stripe key": lambda d: "s" + "k_" + d.choice(("live", "test")) + "_" + _of(d, _LETTERS, 24),
    "Stripe restricted key": lambda d: "r" + "k_live_" + _of(d, _LETTERS, 24),
    "OpenAI key": lambda d: "s" + "k-proj-" + _of(d, _URL, 48),
    "Anthropic key": lambda d: "s" + "k-ant-api03-" + _of(d, _URL, 93),
    "Google API key": lambda d: "AI" + "za" + _of(d, _URL, 35),
    "Google client secret": lambda d: "GOC" + "SPX-" + _of(d, _URL, 28),
    "Google access token": lambda d: "ya" + "29." + _of(d, _URL, 60),
    "npm token": lambda d: "np" + "m_" + _of(d, _LETTERS, 36),
    "PyPI token": lambda d: "py" + "pi-AgEIcHlwaS5vcmc" + _of(d, _URL, 60),
    "SendGrid key": lambda d: "S" + "G." + _of(d, _URL, 22) + "." + _of(d, _URL, 43),
    "Twilio API key": lambda d: "S" + "K" + _of(d, _HEX, 32),
    "Azure client secret": lambda d: _of(d, _LETTERS, 3) + "8Q" + "~" + _of(d, _LETTERS, 34),
    "Hugging Face token": lambda d: "h" + "f_" + _of(d, _LETTERS, 34),
    "Notion token": lambda d: "nt" + "n_" + _of(d, _LETTERS, 43),
    "Telegram bot": lambda d: str(d.randrange(10**8, 10**9)) + ":A" + "A" + _of(d, _URL, 33),
    "JWT": _jwt,
    "PEM private key": _pem,
}  # fmt: skip
"""What its shape alone identifies as a credential."""

SHAPELESS: dict[str, Callable[[Draw], str]] = {
    "AWS secret key": lambda d: _of(d, _LETTERS + "+/", 40),
    "Azure account key": lambda d: base64.b64encode(d.randbytes(64)).decode(),
    "Twilio auth token": lambda d: _of(d, _HEX, 32),
    "session id": lambda d: _of(d, _LETTERS, 26),
    "password of 8": lambda d: _of(d, _LETTERS, 8),
    "password with metacharacters": lambda d: _of(d, _LETTERS, 4) + "".join(d.sample("^$.|?*+()[]!#%~", 8)) + _of(d, _LETTERS, 4),
    "password with quotes": lambda d: _of(d, _LETTERS, 4) + "\"'\\/&=" + _of(d, _LETTERS, 5),
    "password in other letters": lambda d: _of(d, "äöüßéñçžłøåαβγδжщю", 8) + _of(d, _LETTERS, 4),
    "password with spaces": lambda d: f"{_of(d, _LETTERS, 6)} {_of(d, _LETTERS, 5)} {_of(d, _LETTERS, 5)}",
    "secret of lines": lambda d: f"{_of(d, _LETTERS, 12)}\n{_of(d, _LETTERS, 12)}",
}  # fmt: skip
"""What only its name or a declaration identifies."""

SHAPES = {**PROVIDERS, **SHAPELESS}


def _nested(secret: str, depth: int) -> str:
    text = secret
    for _ in range(depth):
        text = json.dumps({"inside": text, "n": 1})
    return text


def _base64(secret: str, before: str = "", after: str = "") -> str:
    return base64.b64encode((before + secret + after).encode()).decode()


def _lower(text: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda s: s,
    "base64": _base64,
    "base64, shifted by one": lambda s: _base64(s, ":", ":tail"),
    "base64, shifted by two": lambda s: _base64(s, "k=", ":x"),
    "base64 within a larger text": lambda s: _base64(s, "user=kim&value=", "&more=text that goes on"),
    "base64 for URLs, unpadded": lambda s: base64.urlsafe_b64encode(b"id:" + s.encode()).decode().rstrip("="),
    "base64 in lines": lambda s: base64.encodebytes(b"a text before it, long enough for a line: " + s.encode() + b" and after").decode(),
    "base64 twice": lambda s: _base64(_base64(s, "a:")),
    "base64 of JSON": lambda s: _base64(json.dumps({"value": s, "n": 1})),
    "percent": lambda s: quote(s, safe=""),
    "percent, lower case": lambda s: _lower(quote(s, safe="")),
    "percent, every byte": lambda s: "".join(f"%{byte:02X}" for byte in s.encode()),
    "percent twice": lambda s: quote(quote(s, safe=""), safe=""),
    "plus for spaces": quote_plus,
    "backslash u": lambda s: json.dumps(s)[1:-1],
    "backslash u, every letter": lambda s: "".join(f"\\u{ord(letter):04x}" for letter in s),
    "entities": html.escape,
    "entities, every letter": lambda s: "".join(f"&#{ord(letter)};" for letter in s),
    "entities, hexadecimal": lambda s: "".join(f"&#x{ord(letter):X};" for letter in s),
    "hexadecimal": lambda s: s.encode().hex(),
    "gzip in base64": lambda s: base64.b64encode(gzip.compress(f"some text before {s} and after".encode(), mtime=0)).decode(),
    "JSON in JSON": lambda s: _nested(s, 2),
    "JSON in JSON in JSON": lambda s: _nested(s, 3),
    "JSON in base64 in JSON": lambda s: json.dumps({"data": _base64(json.dumps({"value": s}))}),
}  # fmt: skip


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _quoted(text: str) -> str:
    return quote(text, safe="%")


def _dsn(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


CARRIERS: dict[str, Callable[[str], str]] = {
    "query": lambda s: f"https://api.desk.example/v1/rows?page=2&access_token={_quoted(s)}&sort=name",
    "path": lambda s: f"https://api.desk.example/hooks/{_quoted(s)}/send",
    "userinfo": lambda s: f"https://kim:{_quoted(s)}@git.desk.example/repo.git",
    "form body": lambda s: f"grant_type=password&username=kim&password={_quoted(s)}&scope=all",
    "JSON body": lambda s: f'{{"user": "kim", "api_key": {_string(s)}, "n": 3}}',
    "multipart": lambda s: f'--x1\r\nContent-Disposition: form-data; name="password"\r\n\r\n{s}\r\n--x1--\r\n',
    "GraphQL variables": lambda s: f'{{"query": "mutation($t: String!) {{ login(token: $t) {{ ok }} }}", "variables": {{"token": {_string(s)}}}}}',
    "MCP arguments": lambda s: f'{{"name": "login", "arguments": {{"password": {_string(s)}}}}}',
    "MCP result": lambda s: f'{{"jsonrpc": "2.0", "id": 1, "result": {{"content": [{{"type": "text", "text": {_string("client_secret=" + shlex.quote(s))}}}]}}}}',
    "shell command": lambda s: f"curl -s -H 'Authorization: Bearer {s}' https://api.desk.example/v1/rows",
    "shell option": lambda s: f"psql --host db.example --password={shlex.quote(s)} -c 'select 1'",
    "shell output": lambda s: f"HOME=/root\nDB_PASSWORD={shlex.quote(s)}\nLANG=C\n",
    "file contents": lambda s: f"# settings\n[db]\nhost = db.example\npassword={shlex.quote(s)}\n",
    "file name": lambda s: f"/srv/backups/{s}.txt",
    "cookie line": lambda s: f"GET / HTTP/1.1\r\nCookie: sid={s}; theme=dark\r\n\r\n",
    "Set-Cookie line": lambda s: f"HTTP/1.1 200 OK\r\nSet-Cookie: session_id={s}; Path=/; HttpOnly\r\n\r\n",
    "cookie in a command": lambda s: f"curl -s -H 'Cookie: sid={s}; theme=dark' https://api.desk.example/v1/rows",
    "TOML": lambda s: f'[db]\nhost = "db.example"\npassword = "{s}"  # ours\n',
    "HAR header": lambda s: f'{{"headers": [{{"name": "Accept", "value": "*/*"}}, {{"name": "X-Api-Key", "value": {_string(s)}}}]}}',
    "HAR cookie": lambda s: f'{{"cookies": [{{"name": "sid", "value": {_string(s)}, "path": "/", "httpOnly": true}}]}}',
    "HAR parameter": lambda s: f'{{"queryString": [{{"value": {_string(s)}, "name": "access_token", "comment": ""}}]}}',
    "HAR header in a text": lambda s: f'sent {{"name": "X-Amz-Security-Token", "value": {_string(s)}}} to s3',
    "HTML": lambda s: f'<html><body><form><input type="hidden" name="csrf_token" value="{html.escape(s)}"></form></body></html>',
    "text": lambda s: f"Sign-in failed, see below.\nauth_token={shlex.quote(s)}\nTry again later.",
    "XML": lambda s: f"<login><user>kim</user><password>{html.escape(s)}</password></login>",
    "echoing error": lambda s: f'HTTP 400: bad request {{"headers": {{"X-Api-Key": {_string(s)}}}}} for GET /v1/rows',
    "postgres": lambda s: f"could not connect to postgres://app:{_quoted(s)}@db.example:5432/main",
    "mongodb": lambda s: f"mongodb+srv://app:{_quoted(s)}@cluster0.desk.example/main?retryWrites=true",
    "amqp": lambda s: f"amqp://app:{_quoted(s)}@queue.example:5672/%2f",
    "redis": lambda s: f"redis://:{_quoted(s)}@cache.example:6379/0",
    "jdbc": lambda s: f"jdbc:postgresql://db.example/main?user=app&password={_quoted(s)}",
    "DSN": lambda s: f"host=db.example user=app password={_dsn(s)} dbname=main",
    "Azure connection": lambda s: f"DefaultEndpointsProtocol=https;AccountName=desk;AccountKey={s if ' ' not in s else shlex.quote(s)};EndpointSuffix=core.example",
    "Python repr": lambda s: f"KeyError in {({'user': 'kim', 'secret': s})!r}",
    "model's response": lambda s: f'```json\n{{"edits": [{{"node": "note", "path": "params.auth_token", "value": {_string("Bearer " + s)}}}]}}\n```',
    "log line": lambda s: f"2026-01-05T10:00:00Z WARN client: retrying with api_key={shlex.quote(s)} attempt=2",
}  # fmt: skip
"""Texts that carry a secret: each under a name that identifies it, but for a path and a file's name."""

NAMELESS = frozenset({"path", "file name", "model's response"})
"""Carriers in which only the shape identifies it."""
ONE_LINE = frozenset(
    {"shell command", "cookie in a command", "TOML", "cookie line", "Set-Cookie line", "Azure connection", "file name"}
)
"""Carriers that only a word goes into."""
ONE_WORD = re.compile(r"[^\s\"';,{}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A secret, and a text that carries it."""

    shape: str
    carrier: str
    spelling: str
    secret: str
    text: str

    @property
    def what(self) -> str:
        """How it is reported, without the secret."""
        return f"{self.shape} in {self.carrier}, {self.spelling}"


def planted(count: int, seed: int, shapes: dict[str, Callable[[Draw], str]] = SHAPES) -> Iterator[Planted]:
    """Yield so many combinations: every shape, carrier and spelling comes up before one comes again."""
    draw = random.Random(seed)
    decks: dict[int, list[str]] = {}
    kinds = (shapes, CARRIERS, SPELLINGS)

    def drawn(number: int) -> str:
        if not decks.get(number):
            decks[number] = draw.sample(sorted(kinds[number]), len(kinds[number]))
        return decks[number].pop()

    for _ in range(count):
        shape, carrier, spelling = drawn(0), drawn(1), drawn(2)
        secret = shapes[shape](draw)
        spelled = SPELLINGS[spelling](secret)
        if carrier in ONE_LINE and not ONE_WORD.fullmatch(spelled):
            carrier = "JSON body"
        text = CARRIERS[carrier](spelled)
        yield Planted(shape=shape, carrier=carrier, spelling=spelling, secret=secret, text=text)


def undeclared(count: int, seed: int) -> list[Planted]:
    """Return planted secrets that shape or name identifies."""
    named = [one for one in planted(count, seed) if one.carrier not in NAMELESS]
    return [*planted(count // 2, seed + 1, PROVIDERS), *named][:count]
