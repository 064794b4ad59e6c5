"""Labels of a repository and of an issue (https://docs.github.com/rest/issues/labels)."""

from __future__ import annotations

import re

from mendbench.model.json import Json, JsonObject
from mendbench.services.github.errors import GitHubError, not_found, problem, validation_failed
from mendbench.services.github.paging import page_of
from mendbench.services.github.state import DEFAULT_COLOR, Context, Reply, show_label

_COLOR = re.compile(r"[0-9a-fA-F]{6}")
MAX_NAME = 50


def list_labels(context: Context) -> Reply:
    """List a repository's labels."""
    return page_of(context, [show_label(context, name) for name in context.part("labels")])


def get_label(context: Context) -> Reply:
    """Show one label."""
    known = _known(context, context.params["name"])
    if known is None:
        raise not_found(context.docs)
    return Reply(body=show_label(context, known))


def create_label(context: Context) -> Reply:
    """Create a label. Label names are case-insensitive."""
    name, color = str(context.body["name"]), str(context.body.get("color") or DEFAULT_COLOR)
    errors: list[JsonObject] = []
    if not name.strip():
        errors.append({"resource": "Label", "code": "missing_field", "field": "name"})
    elif _known(context, name) is not None:
        errors.append({"resource": "Label", "code": "already_exists", "field": "name"})
    elif len(name) > MAX_NAME:
        errors.append({**problem("Label", "name"), "message": f"name is too long (maximum is {MAX_NAME} characters)"})
    if not _COLOR.fullmatch(color):
        errors.append({"resource": "Label", "code": "invalid", "field": "color"})
    if errors:
        raise validation_failed(errors, context.docs)
    context.part("labels")[name] = {"color": color.lower(), "description": context.body.get("description")}
    return Reply(status=201, body=show_label(context, name))


def list_issue_labels(context: Context) -> Reply:
    """List an issue's labels."""
    return page_of(context, _shown(context))


def add_issue_labels(context: Context) -> Reply:
    """Add labels to an issue; missing labels are created."""
    record = context.issue()
    names = ensure_labels(context, label_names(context.body.get("labels") or []))
    record["labels"] = list(dict.fromkeys([*(record.get("labels") or []), *names]))
    return Reply(body=_shown(context))


def replace_issue_labels(context: Context) -> Reply:
    """Replace all labels of an issue."""
    context.issue()["labels"] = ensure_labels(context, label_names(context.body.get("labels") or []))
    return Reply(body=_shown(context))


def remove_issue_labels(context: Context) -> Reply:
    """Remove all labels of an issue."""
    context.issue()["labels"] = []
    return Reply(status=204)


def remove_issue_label(context: Context) -> Reply:
    """Remove one label of an issue."""
    record, wanted = context.issue(), context.params["name"].lower()
    kept = [name for name in record.get("labels") or [] if name.lower() != wanted]
    if len(kept) == len(record.get("labels") or []):
        raise GitHubError(404, "Label does not exist", docs=context.docs)
    record["labels"] = kept
    return Reply(body=_shown(context))


def label_names(labels: list[Json]) -> list[str]:
    """Return the names in a list of names and of ``{"name": …}``."""
    return [str(item.get("name", "")) if isinstance(item, dict) else str(item) for item in labels]


def ensure_labels(context: Context, names: list[str]) -> list[str]:
    """Return the labels in the repository's spelling. Missing labels are created; that is not an error."""
    found: list[str] = []
    for name in names:
        known = _known(context, name)
        if known is None:
            context.part("labels")[name] = {"color": DEFAULT_COLOR, "description": None}
        found.append(known or name)
    return list(dict.fromkeys(found))


def _known(context: Context, name: str) -> str | None:
    return next((known for known in context.part("labels") if known.lower() == name.lower()), None)


def _shown(context: Context) -> list[Json]:
    return [show_label(context, name) for name in context.issue().get("labels") or []]
