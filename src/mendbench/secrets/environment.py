"""The user's secrets in environment variables. Programs inherit them, and may print them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mendbench.secrets.redaction import Redactor
from mendbench.secrets.undeclared import secret_key

_LEAST = 8
"""The minimum length of a value that is searched for: shorter ones also occur in other words."""


_FOLDERS = frozenset({"PWD", "OLDPWD"})
"""A shell's variables for the working folder (POSIX, "Environment Variables"), not passwords."""


def is_credential(name: str) -> bool:
    """Return whether a variable name is that of a credential."""
    return name not in _FOLDERS and secret_key(name)


def environment_redactor(environ: Mapping[str, str]) -> Redactor:
    """Return a redactor for the values of variables with a credential's name, such as ``SLACK_BOT_TOKEN``."""
    held = {name: value for name, value in environ.items() if len(value) >= _LEAST and is_credential(name)}
    return _redactor(tuple(sorted(held.items())))


@lru_cache(maxsize=4)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    return Redactor(dict(secrets))
