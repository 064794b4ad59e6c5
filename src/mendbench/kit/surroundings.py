"""The secrets of whoever runs mendbench, as far as the environment names them: programs inherit them, and may print them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mendbench.kit.redaction import Redactor
from mendbench.kit.sensitive import secret_key

_LEAST = 8
"""Characters of a value that is looked for: shorter ones stand in other words too."""


def environment_redactor(environ: Mapping[str, str]) -> Redactor:
    """Return what takes the values of variables out whose name is a credential's, such as ``SLACK_BOT_TOKEN``."""
    held = {name: value for name, value in environ.items() if len(value) >= _LEAST and secret_key(name)}
    return _redactor(tuple(sorted(held.items())))


@lru_cache(maxsize=4)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    return Redactor(dict(secrets))
