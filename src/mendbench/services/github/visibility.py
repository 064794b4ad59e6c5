"""Which repositories a caller can see. A repository that the caller cannot see is reported as not found."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.github.access import Access


def find_repo(draft: JsonObject, full_name: str) -> str | None:
    """Return the repository's name in its stored spelling, or None. Names are case-insensitive."""
    return next((name for name in draft.get("repos") or {} if name.lower() == full_name.lower()), None)


def is_visible(draft: JsonObject, access: Access, full_name: str) -> bool:
    """Return whether the caller can see a repository: it is public, or the caller is the owner or a collaborator."""
    record = draft["repos"][full_name]
    if not record.get("private"):
        return True
    people = {login.lower() for login in (full_name.partition("/")[0], *(record.get("collaborators") or {}))}
    return access.login is not None and access.login.lower() in people


def new_name(draft: JsonObject, full_name: str) -> str | None:
    """Return the new name of a renamed repository, or None."""
    renamed = {old.lower(): new for old, new in (draft.get("renamed") or {}).items()}
    found = renamed.get(full_name.lower())
    return find_repo(draft, found) if found else None


def repo_by_id(draft: JsonObject, number: str) -> str | None:
    """Return the name of the repository with that id, or None."""
    repos = draft.get("repos") or {}
    return next((name for name, record in repos.items() if str(record.get("id")) == number), None)
