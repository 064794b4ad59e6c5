"""Issues, their comments, milestones and assignees (https://docs.github.com/rest/issues)."""

from __future__ import annotations

import re

from mendbench.model.json import Json, JsonObject
from mendbench.services.github.errors import LIST_ISSUES_DOCS, GitHubError, not_found, problem, validation_failed
from mendbench.services.github.labels import ensure_labels, label_names
from mendbench.services.github.paging import page_numbers, page_of
from mendbench.services.github.state import Context, Reply, show_comment, show_issue, show_milestone, show_user
from mendbench.services.wire import next_count

MAX_BODY = 65_536
"""Maximum length of the body of an issue or a comment, in characters."""
DEEPEST_PAGE = 100
"""The last page of a large repository; beyond it only cursors work."""
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
_TOO_DEEP = (
    "Pagination with the page parameter is not supported for large datasets, "
    "please use cursor based pagination (after/before)"
)


def list_issues(context: Context) -> Reply:
    """List issues and pull requests, newest first. An unknown ``sort`` is ignored; an unknown ``state`` is an error."""
    state = context.call.parameter("state") or "open"
    if state not in {"open", "closed", "all"}:
        raise validation_failed([problem("Issue", "state", value=state)], LIST_ISSUES_DOCS)
    if context.repo.get("large") and page_numbers(context.call)[0] > DEEPEST_PAGE:
        raise GitHubError(422, _TOO_DEEP, docs=context.docs)
    numbers = sorted((*context.part("issues"), *context.part("pulls")), key=int, reverse=True)
    shown = [show_issue(context, number) for number in numbers]
    wanted = [issue for issue in shown if state in {"all", issue["state"]} and _passes(context, issue)]
    if context.call.parameter("direction") == "asc":
        wanted.reverse()
    return page_of(context, wanted)


def create_issue(context: Context) -> Reply:
    """Open an issue."""
    body = context.body
    title = _title(body.get("title"))
    errors = _title_errors(title) + _body_errors(body.get("body"))
    if errors + (more := _people_errors(context) + _milestone_errors(context)):
        raise validation_failed(errors + more, context.docs)
    number = context.next_number()
    context.part("issues")[number] = {
        "title": title,
        "body": body.get("body"),
        "state": "open",
        "user": context.access.login,
        "labels": ensure_labels(context, label_names(body.get("labels") or [])),
        "assignees": list(dict.fromkeys(_people(body))),
        "milestone": _milestone(body.get("milestone")),
        "created_at": context.now,
        "comments": [],
    }
    return Reply(
        status=201, body=show_issue(context, number), headers=(("location", f"{context.url}/issues/{number}"),)
    )


def get_issue(context: Context) -> Reply:
    """Show one issue."""
    context.issue()
    return Reply(body=show_issue(context, context.params["number"]))


def update_issue(context: Context) -> Reply:
    """Change an issue."""
    record, body = context.issue(), context.body
    errors = _title_errors(_title(body["title"])) if "title" in body else []
    errors += _body_errors(body.get("body")) + _people_errors(context) + _milestone_errors(context)
    if errors:
        raise validation_failed(errors, context.docs)
    changes: JsonObject = {key: body[key] for key in ("body", "state_reason") if key in body}
    if "title" in body:
        changes["title"] = _title(body["title"])
    if "labels" in body:
        changes["labels"] = ensure_labels(context, label_names(body["labels"] or []))
    if "assignees" in body or "assignee" in body:
        changes["assignees"] = _people(body)
    if "milestone" in body:
        changes["milestone"] = _milestone(body["milestone"])
    if body.get("state"):
        changes |= {"state": body["state"], "closed_at": context.now if body["state"] == "closed" else None}
        reason = "completed" if body["state"] == "closed" else "reopened"
        changes.setdefault("state_reason", reason)
    record |= {**changes, "updated_at": context.now}
    return Reply(body=show_issue(context, context.params["number"]))


def list_comments(context: Context) -> Reply:
    """List an issue's comments."""
    comments = context.issue().get("comments") or []
    return page_of(context, [show_comment(context, comment) for comment in comments])


def create_comment(context: Context) -> Reply:
    """Comment on an issue or a pull request."""
    record, text = context.issue(), str(context.body["body"])
    if not text.strip():
        error: JsonObject = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
        raise validation_failed([{**error, "message": "Body cannot be blank"}], context.docs)
    comment = {
        "id": 3_400_000_000 + next_count(context.draft, "comments"),
        "user": context.access.login,
        "body": text,
        "created_at": context.now,
    }
    record.setdefault("comments", []).append(comment)
    return Reply(status=201, body=show_comment(context, comment))


def list_milestones(context: Context) -> Reply:
    """List milestones."""
    state = context.call.parameter("state") or "open"
    shown = [show_milestone(context, number) for number in sorted(context.part("milestones"), key=int)]
    return page_of(context, [item for item in shown if state in {"all", item["state"]}])


def list_assignees(context: Context) -> Reply:
    """List the users that can be assigned."""
    return page_of(context, [show_user(context.draft, login) for login in context.part("collaborators")])


def check_assignee(context: Context) -> Reply:
    """Report by status alone whether a user can be assigned."""
    if _assignable(context, context.params["assignee"]):
        return Reply(status=204)
    raise not_found(context.docs)


def add_assignees(context: Context) -> Reply:
    """Assign users. Users that cannot be assigned are ignored silently."""
    record = context.issue()
    known = [login for login in _people(context.body) if _assignable(context, login)]
    record["assignees"] = list(dict.fromkeys([*(record.get("assignees") or []), *known]))
    return Reply(status=201, body=show_issue(context, context.params["number"]))


def _title(value: Json) -> str:
    return "" if value is None else str(value)


def _title_errors(title: str) -> list[JsonObject]:
    if title.strip():
        return []
    return [{"message": "title can't be blank", "value": title.strip() or None, **problem("Issue", "title")}]


def _body_errors(text: Json) -> list[JsonObject]:
    if text is None or len(text) <= MAX_BODY:
        return []
    return [{"message": f"body is too long (maximum is {MAX_BODY} characters)", **problem("Issue", "body")}]


def _people(body: JsonObject) -> list[str]:
    single = body.get("assignee")
    return [*(body.get("assignees") or []), *([single] if single else [])]


def _assignable(context: Context, login: str) -> bool:
    return login.lower() in {known.lower() for known in context.part("collaborators")}


def _people_errors(context: Context) -> list[JsonObject]:
    """Refuse users who are not collaborators: unknown logins as one list, an invalid login by itself."""
    unknown = [login for login in _people(context.body) if not _assignable(context, login)]
    odd = [login for login in unknown if not _LOGIN.fullmatch(login)]
    plain = [login for login in unknown if login not in odd]
    errors = [problem("Issue", "assignees", value=login) for login in odd]
    return errors + ([problem("Issue", "assignees", value=plain)] if plain else [])


def _milestone(value: Json) -> int | None:
    return int(value) if value is not None else None


def _milestone_errors(context: Context) -> list[JsonObject]:
    value = context.body.get("milestone")
    return [] if value is None or str(value) in context.part("milestones") else [problem("Issue", "milestone")]


def _passes(context: Context, issue: JsonObject) -> bool:
    call = context.call
    labels = {label["name"].lower() for label in issue["labels"]}
    wanted = [name.strip().lower() for name in (call.parameter("labels") or "").split(",") if name.strip()]
    people = {person["login"].lower() for person in issue["assignees"]}
    assignee, creator = call.parameter("assignee"), call.parameter("creator")
    milestone, since = call.parameter("milestone"), call.parameter("since")
    number = str(issue["milestone"]["number"]) if issue["milestone"] else "none"
    return (
        set(wanted) <= labels
        and (not assignee or (not people if assignee == "none" else assignee == "*" or assignee.lower() in people))
        and (not creator or creator.lower() == issue["user"]["login"].lower())
        and (not milestone or milestone in ({number, "*"} if number != "none" else {number}))
        and (not since or issue["updated_at"] >= since)
    )
