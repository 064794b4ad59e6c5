"""The tracker's resolvers, by ``Type.field``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql import tracker
from mendbench.services.graphql.site import Refused, Site, site_of


def repository(_root: Json, info: Json, owner: str, name: str) -> JsonObject:
    """Resolve ``repository``."""
    site, path = site_of(info), f"{owner}/{name}"
    if path not in dict(tracker.visible(site)):
        raise tracker.not_found(f"Could not resolve to a Repository with the name '{path}'.")
    return tracker.show_repository(site, path)


def user(_root: Json, info: Json, login: str) -> JsonObject:
    """Resolve ``user``."""
    found = tracker.show_user(site_of(info), login)
    if found is None:
        raise tracker.not_found(f"Could not resolve to a User with the login of '{login}'.")
    return found


def node(_root: Json, info: Json, id: str) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``node``."""
    return tracker.node_of(site_of(info), id)


def nodes(_root: Json, info: Json, ids: list[str]) -> list[Json]:
    """Resolve ``nodes``. A missing object is null, with an error of its own."""
    site = site_of(info)
    return [
        tracker.find_node(site, wanted)
        or tracker.not_found(f"Could not resolve to a node with the global id of '{wanted}'.")
        for wanted in ids
    ]


def issue(parent: JsonObject, info: Json, number: int) -> JsonObject:
    """Resolve ``Repository.issue``."""
    site, path = site_of(info), parent["nameWithOwner"]
    if str(number) not in (site.part("repositories")[path].get("issues") or {}):
        raise tracker.not_found(f"Could not resolve to an Issue with the number of {number}.")
    return tracker.show_issue(site, path, str(number))


def issues(parent: JsonObject, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``Repository.issues``."""
    site, path = site_of(info), parent["nameWithOwner"]
    records = site.part("repositories")[path].get("issues") or {}
    labels, states, swell = arguments.get("labels"), arguments.get("states"), arguments.get("swell")
    order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}

    def wanted(record: JsonObject) -> bool:
        return (
            (states is None or record.get("state", "OPEN") in states)
            and (labels is None or bool(set(labels) & set(record.get("labels") or ())))
            and (swell is None or record.get("swell") == swell)
        )

    def rank(number: str) -> tuple[int, int]:
        comments = records[number].get("comments") or ()
        return (len(comments) if order["field"] == "COMMENTS" else 0), int(number)

    numbers = sorted((n for n, record in records.items() if wanted(record)), key=rank)
    if order["direction"] == "DESC":
        numbers.reverse()
    return tracker.page([tracker.show_issue(site, path, number) for number in numbers], arguments, "issues")


def label(parent: JsonObject, info: Json, name: str) -> JsonObject | None:
    """Resolve ``Repository.label``. A missing label is null without an error."""
    path = parent["nameWithOwner"]
    record = (site_of(info).part("repositories")[path].get("labels") or {}).get(name)
    return None if record is None else tracker.show_label(path, name, record)


def repository_labels(parent: JsonObject, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``Repository.labels``."""
    path = parent["nameWithOwner"]
    known = site_of(info).part("repositories")[path].get("labels") or {}
    return tracker.page([tracker.show_label(path, name, record) for name, record in known.items()], arguments, "labels")


def issue_labels(parent: JsonObject, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``Issue.labels``."""
    path = parent["_path"]
    record = site_of(info).part("repositories")[path]
    names = record["issues"][str(parent["number"])].get("labels") or ()
    known = record.get("labels") or {}
    shown = [tracker.show_label(path, name, known.get(name) or {}) for name in names]
    return tracker.page(shown, arguments, "labels")


def issue_repository(parent: JsonObject, info: Json) -> JsonObject:
    """Resolve ``Issue.repository``."""
    return tracker.show_repository(site_of(info), parent["_path"])


def comments(parent: JsonObject, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``Issue.comments``."""
    return tracker.page(list(tracker.comments_of(site_of(info), parent)), arguments, "comments")


def create_issue(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``createIssue``."""
    site = _writing(info)
    repo = _of_kind(site, input["repositoryId"], "Repository")
    title = _title(input["title"])
    path = repo["nameWithOwner"]
    record = site.part("repositories")[path]
    labels = [_of_kind(site, label_id, "Label")["name"] for label_id in input.get("labelIds") or ()]
    assignee = _login(site, input.get("assigneeId"))
    known = record.setdefault("issues", {})
    number = str(max(map(int, known), default=0) + 1)
    known[number] = {
        "title": title,
        "body": input.get("body") or "",
        "author": site.caller.login,
        "assignee": assignee,
        "labels": list(dict.fromkeys(labels)),
        "swell": input.get("swell"),
        "created_ms": site.now_ms,
    }
    return _payload(input, issue=tracker.show_issue(site, path, number))


def update_issue(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``updateIssue``. Absent fields keep their values."""
    site = _writing(info)
    path, number, record = _issue(site, input["id"])
    if "title" in input:
        record["title"] = _title(input["title"])
    if "assigneeId" in input:
        record["assignee"] = _login(site, input["assigneeId"])
    record |= {key: input[key] for key in ("body", "swell") if key in input}
    return _payload(input, issue=tracker.show_issue(site, path, number))


def close_issue(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``closeIssue``."""
    site = _writing(info)
    path, number, record = _issue(site, input["issueId"])
    record |= {"state": "CLOSED", "state_reason": input.get("stateReason") or "COMPLETED"}
    return _payload(input, issue=tracker.show_issue(site, path, number))


def reopen_issue(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``reopenIssue``."""
    site = _writing(info)
    path, number, record = _issue(site, input["issueId"])
    record["state"] = "OPEN"
    return _payload(input, issue=tracker.show_issue(site, path, number))


def add_comment(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``addComment``."""
    site = _writing(info)
    path, number, record = _issue(site, input["subjectId"])
    if not input["body"].strip():
        raise Refused("Body can't be blank", kind="UNPROCESSABLE")
    comment = {"body": input["body"], "author": site.caller.login, "created_ms": site.now_ms}
    records = record.setdefault("comments", [])
    records.append(comment)
    subject = tracker.show_issue(site, path, number)
    shown = tracker.show_comment(site, subject, len(records), comment)
    return _payload(input, subject=subject, commentEdge={"cursor": shown["id"], "node": shown})


def add_labels(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``addLabelsToLabelable``."""
    site = _writing(info)
    path, number, record = _issue(site, input["labelableId"])
    names = [_of_kind(site, label_id, "Label")["name"] for label_id in input["labelIds"]]
    record["labels"] = list(dict.fromkeys([*(record.get("labels") or ()), *names]))
    return _payload(input, labelable=tracker.show_issue(site, path, number))


def _writing(info: Json) -> Site:
    site = site_of(info)
    tracker.need_scope(site, info.field_name, "public_repo")
    return site


def _payload(given: JsonObject, **shown: Json) -> JsonObject:
    return {**shown, "clientMutationId": given.get("clientMutationId")}


def _of_kind(site: Site, wanted: str, kind: str) -> JsonObject:
    found = tracker.node_of(site, wanted)
    if found["__typename"] != kind:
        raise tracker.not_found(f"Could not resolve to {kind} node with the global id of '{wanted}'.")
    return found


def _issue(site: Site, wanted: str) -> tuple[str, str, JsonObject]:
    """Return the repository, the number and the record of the issue with that id."""
    found = _of_kind(site, wanted, "Issue")
    path, number = found["_path"], str(found["number"])
    return path, number, site.part("repositories")[path]["issues"][number]


def _login(site: Site, wanted: str | None) -> str | None:
    return None if wanted is None else str(_of_kind(site, wanted, "User")["login"])


def _title(text: str | None) -> str:
    if not (text or "").strip():
        raise Refused("Title can't be blank", kind="UNPROCESSABLE")
    return str(text)


RESOLVERS: dict[str, Callable[..., Any]] = {
    "Query.viewer": tracker.viewer,
    "Query.repository": repository,
    "Query.user": user,
    "Query.node": node,
    "Query.nodes": nodes,
    "Repository.issue": issue,
    "Repository.issues": issues,
    "Repository.label": label,
    "Repository.labels": repository_labels,
    "Issue.labels": issue_labels,
    "Issue.comments": comments,
    "Issue.repository": issue_repository,
    "Mutation.createIssue": create_issue,
    "Mutation.updateIssue": update_issue,
    "Mutation.closeIssue": close_issue,
    "Mutation.reopenIssue": reopen_issue,
    "Mutation.addComment": add_comment,
    "Mutation.addLabelsToLabelable": add_labels,
}
