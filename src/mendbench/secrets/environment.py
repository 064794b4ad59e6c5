"""The secrets of whoever runs mendbench, as far as the environment names them: programs inherit them, and may print them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from mendbench.secrets.redaction import Redactor
from mendbench.secrets.sensitive import secret_key

_LEAST = 8
"""Characters of a value that is looked for: shorter ones stand in other words too."""


_FOLDERS = frozenset({"PWD", "OLDPWD"})
"""What a shell calls the working folder (POSIX, "Environment Variables"): no password."""


def is_credential(name: str) -> bool:
    """Return whether the name of a variable is a credential's."""
    return name not in _FOLDERS and secret_key(name)


def environment_redactor(environ: Mapping[str, str]) -> Redactor:
    """Return what takes the values of variables out whose name is a credential's, such as ``SLACK_BOT_TOKEN``."""
    held = {name: value for name, value in environ.items() if len(value) >= _LEAST and is_credential(name)}
    return _redactor(tuple(sorted(held.items())))


@lru_cache(maxsize=4)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    return Redactor(dict(secrets))
