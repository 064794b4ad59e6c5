"""The issue tracker: a small version of GitHub's GraphQL schema, on its own host (https://docs.github.com/graphql).

Its errors are those that GitHub documents or is known to return: ``NOT_FOUND`` for missing or invisible objects,
``UNPROCESSABLE`` for values that the model rejects, ``INSUFFICIENT_SCOPES``, and the limits on pages
(https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#node-limit).
"""

from __future__ import annotations

from typing import NoReturn

from mendbench.io.canonical_json import digest
from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql.connections import connection
from mendbench.services.graphql.site import Refused, Site, site_of
from mendbench.services.wire import iso_time

BASE = "https://marlstone.example"
MAX_PAGE = 100
_ID_LENGTH = 14
_SCOPES_PAGE = "https://github.com/settings/tokens"


def global_id(kind: str, *key: str) -> str:
    """Return the id of an object: a prefix for its kind, and a digest of its name."""
    prefix = "".join(char for char in kind if char.isupper())
    return f"{prefix}_{digest([kind, *key], _ID_LENGTH)}"


def show_user(site: Site, login: str | None) -> JsonObject | None:
    """Return a user in the schema's form; None if the user no longer exists."""
    record = site.part("users").get(login) if login else None
    if record is None:
        return None
    shown = {"name": record.get("name"), "email": record.get("email") or "", "url": f"{BASE}/{login}"}
    return {"__typename": "User", "id": global_id("User", str(login)), "login": login, **shown}


def show_label(path: str, name: str, record: JsonObject) -> JsonObject:
    """Return a label in the schema's form."""
    rest = {"color": record.get("color", "ededed"), "description": record.get("description")}
    return {"__typename": "Label", "id": global_id("Label", path, name), "name": name, **rest}


def show_repository(site: Site, path: str) -> JsonObject:
    """Return a repository in the schema's form."""
    record = site.part("repositories")[path]
    return {
        "__typename": "Repository",
        "id": global_id("Repository", path),
        "name": path.partition("/")[2],
        "nameWithOwner": path,
        "description": record.get("description"),
        "isPrivate": bool(record.get("is_private")),
        "url": f"{BASE}/{path}",
    }


def show_issue(site: Site, path: str, number: str) -> JsonObject:
    """Return an issue in the schema's form."""
    record = site.part("repositories")[path]["issues"][number]
    state = record.get("state", "OPEN")
    return {
        "__typename": "Issue",
        "id": global_id("Issue", path, number),
        "number": int(number),
        "title": record["title"],
        "body": record.get("body") or "",
        "state": state,
        "closed": state == "CLOSED",
        "stateReason": record.get("state_reason") if state == "CLOSED" else None,
        "swell": record.get("swell"),
        "author": show_user(site, record.get("author")),
        "assignee": show_user(site, record.get("assignee")),
        "createdAt": iso_time(int(record.get("created_ms", 1_766_000_000_000))),
        "url": f"{BASE}/{path}/issues/{number}",
        "_path": path,
    }


def show_comment(site: Site, issue: JsonObject, at: int, record: JsonObject) -> JsonObject:
    """Return a comment in the schema's form."""
    return {
        "__typename": "IssueComment",
        "id": global_id("IssueComment", issue["_path"], str(issue["number"]), str(at)),
        "body": record["body"],
        "author": show_user(site, record.get("author")),
        "createdAt": iso_time(int(record["created_ms"])),
        "url": f"{issue['url']}#issuecomment-{at}",
    }


def not_found(message: str) -> Refused:
    """Return the error for an object that does not exist."""
    return Refused(message, kind="NOT_FOUND")


def page(items: list[Json], arguments: JsonObject, name: str) -> JsonObject:
    """Return a page within GitHub's bounds.

    Raises:
        Refused: neither ``first`` nor ``last`` is given, one is too large, or a cursor is invalid.
    """
    sizes = {side: arguments[side] for side in ("first", "last") if arguments.get(side) is not None}
    if not sizes:
        text = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise Refused(text, kind="MISSING_PAGINATION_BOUNDARIES")
    for side, size in sizes.items():
        if size > MAX_PAGE:
            text = f"Requesting {size} records on the `{name}` connection exceeds the `{side}` limit of {MAX_PAGE} records."
            raise Refused(text, kind="EXCESSIVE_PAGINATION")
    return connection(items, arguments, bad_cursor=_bad_cursor)


def _bad_cursor(cursor: str) -> NoReturn:
    raise Refused(f"`{cursor}` does not appear to be a valid cursor.", kind="INVALID_CURSOR_ARGUMENTS")


def need_scope(site: Site, field: str, scope: str) -> None:
    """Check that the token has the scope.

    Raises:
        Refused: ``INSUFFICIENT_SCOPES``, with the scopes needed and granted.
    """
    if site.caller.may(scope):
        return
    granted = ", ".join(f"'{name}'" for name in site.caller.scopes or ())
    text = (
        f"Your token has not been granted the required scopes to execute this query. The '{field}' field requires one of "
        f"the following scopes: ['{scope}'], but your token has only been granted the: [{granted}] scopes. Please modify "
        f"your token's scopes at: {_SCOPES_PAGE}."
    )
    raise Refused(text, kind="INSUFFICIENT_SCOPES")


def find_issue(site: Site, wanted: str) -> tuple[str, str] | None:
    """Return the repository and the number of the issue with that id."""
    for path, record in visible(site):
        for number in record.get("issues") or {}:
            if global_id("Issue", path, number) == wanted:
                return path, number
    return None


def visible(site: Site) -> list[tuple[str, JsonObject]]:
    """Return the repositories that the caller may see: private ones need the scope ``repo``."""
    found = site.part("repositories").items()
    return [(path, record) for path, record in found if not record.get("is_private") or site.caller.may("repo")]


def find_node(site: Site, wanted: str) -> JsonObject | None:
    """Return the object with that id in the schema's form; None if there is none."""
    for login in site.part("users"):
        if global_id("User", login) == wanted:
            return show_user(site, login)
    for path, record in visible(site):
        if global_id("Repository", path) == wanted:
            return show_repository(site, path)
        for name, label in (record.get("labels") or {}).items():
            if global_id("Label", path, name) == wanted:
                return show_label(path, name, label)
    if found := find_issue(site, wanted):
        return show_issue(site, *found)
    return next((comment for comment in _comments(site) if comment["id"] == wanted), None)


def _comments(site: Site) -> list[JsonObject]:
    issues = [(path, number) for path, record in visible(site) for number in record.get("issues") or {}]
    return [comment for place in issues for comment in comments_of(site, show_issue(site, *place))]


def comments_of(site: Site, issue: JsonObject) -> list[JsonObject]:
    """Return an issue's comments in the schema's form."""
    record = site.part("repositories")[issue["_path"]]["issues"][str(issue["number"])]
    return [show_comment(site, issue, at, comment) for at, comment in enumerate(record.get("comments") or (), 1)]


def node_of(site: Site, wanted: str) -> JsonObject:
    """Return the object with that id.

    Raises:
        Refused: ``NOT_FOUND``.
    """
    found = find_node(site, wanted)
    if found is None:
        raise not_found(f"Could not resolve to a node with the global id of '{wanted}'.")
    return found


def viewer(_root: Json, info: Json) -> JsonObject | None:
    """Resolve ``viewer``."""
    site = site_of(info)
    return show_user(site, site.caller.login)
