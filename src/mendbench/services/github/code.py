"""Repositories, branches, files, pull requests and users."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from mendbench.model.json import Json, JsonObject
from mendbench.services.github.errors import GitHubError, invalid_request, not_found, problem, validation_failed
from mendbench.services.github.paging import page_of
from mendbench.services.github.state import SITE, Context, Reply, show_pull, show_repo, show_user


def get_repo(context: Context) -> Reply:
    """Show the repository."""
    return Reply(body=show_repo(context))


def get_user(context: Context) -> Reply:
    """Show a user by login, or the caller."""
    login = context.params.get("login") or context.access.login
    if login is None:
        raise GitHubError(401, "Requires authentication", docs=context.docs)
    users = context.draft.get("users") or {}
    known = next((name for name in users if name.lower() == login.lower()), None)
    if known is None:
        raise not_found(context.docs)
    record = users[known]
    named = {"name": record.get("name"), "email": record.get("email"), "company": record.get("company")}
    return Reply(body={**show_user(context.draft, known), **named})


def list_branches(context: Context) -> Reply:
    """List branches."""
    return page_of(context, [_shown_branch(context, name) for name in context.part("branches")])


def get_branch(context: Context) -> Reply:
    """Show one branch."""
    name = context.params["branch"]
    if name not in context.part("branches"):
        raise GitHubError(404, "Branch not found", docs=context.docs)
    return Reply(body=_shown_branch(context, name))


def get_contents(context: Context) -> Reply:
    """Show a file with its content in base64, or list a directory."""
    branch = context.call.parameter("ref") or context.repo.get("default_branch", "main")
    if branch not in context.part("branches"):
        raise GitHubError(404, f"No commit found for the ref {branch}", docs=context.docs)
    files, path = _files(context, branch), context.params.get("path", "").strip("/")
    if path in files:
        return Reply(body=_shown_file(context, path, _bytes(files[path]), branch))
    inside = {
        name.removeprefix(f"{path}/" if path else "") for name in files if not path or name.startswith(f"{path}/")
    }
    if not inside:
        raise not_found(context.docs)
    return Reply(body=[_shown_entry(context, path, name, branch) for name in sorted({n.split("/")[0] for n in inside})])


def put_contents(context: Context) -> Reply:
    """Create or change a file. A change needs the ``sha`` of the file that it replaces."""
    body, path = context.body, context.params["path"].strip("/")
    branch = body.get("branch") or context.repo.get("default_branch", "main")
    if branch not in context.part("branches"):
        raise GitHubError(404, f"Branch {branch} not found", docs=context.docs)
    try:
        content = base64.b64decode("".join(body["content"].split()).encode(), validate=True)
    except (binascii.Error, ValueError):
        raise GitHubError(422, "content is not valid Base64", docs=context.docs) from None
    files = _files(context, branch)
    exists, sha = path in files, body.get("sha")
    if exists and not sha:
        raise invalid_request(['"sha" wasn\'t supplied.'], context.docs)
    if sha and sha != (_sha(_bytes(files[path])) if exists else None):
        raise GitHubError(409, f"{path} does not match {sha}", docs=context.docs)
    files[path] = _stored(content)
    parent = context.part("branches")[branch].get("sha", "")
    commit = hashlib.sha1(
        f"{parent}{path}{_sha(content)}{body['message']}".encode("utf-8", "replace"), usedforsecurity=False
    ).hexdigest()
    context.part("branches")[branch]["sha"] = commit
    shown = {key: value for key, value in _shown_file(context, path, content, branch).items() if key != "content"}
    made = {"sha": commit, "message": body["message"], "html_url": f"{SITE}/{context.full_name}/commit/{commit}"}
    return Reply(status=200 if exists else 201, body={"content": shown, "commit": made})


def list_pulls(context: Context) -> Reply:
    """List pull requests, newest first."""
    state = context.call.parameter("state") or "open"
    if state not in {"open", "closed", "all"}:
        raise validation_failed([problem("PullRequest", "state", value=state)], context.docs)
    shown = [show_pull(context, number) for number in sorted(context.part("pulls"), key=int, reverse=True)]
    head, base = context.call.parameter("head"), context.call.parameter("base")
    wanted = [
        pull
        for pull in shown
        if state in {"all", pull["state"]}
        and head in {None, pull["head"]["label"]}
        and base in {None, pull["base"]["ref"]}
    ]
    return page_of(context, wanted)


def get_pull(context: Context) -> Reply:
    """Show one pull request."""
    if context.params["number"] not in context.part("pulls"):
        raise not_found(context.docs)
    return Reply(body=show_pull(context, context.params["number"]))


def create_pull(context: Context) -> Reply:
    """Open a pull request. Both branches are checked before either is refused."""
    body, owner = context.body, context.full_name.split("/")[0]
    head, base = own_branch(owner, str(body["head"])), str(body["base"])
    branches = context.part("branches")
    errors = [
        {"resource": "PullRequest", "field": field, "code": "invalid"}
        for field, name in (("base", base), ("head", head))
        if name not in branches
    ]
    if not str(body["title"]).strip():
        errors.append({"resource": "PullRequest", "code": "missing_field", "field": "title"})
    if not errors:
        errors = _unwanted(context, owner, head, base)
    if errors:
        raise validation_failed(errors, context.docs)
    number = context.next_number()
    context.part("pulls")[number] = {
        "title": str(body["title"]),
        "body": body.get("body"),
        "state": "open",
        "draft": bool(body.get("draft")),
        "user": context.access.login,
        "head": head,
        "base": base,
        "created_at": context.now,
    }
    return Reply(status=201, body=show_pull(context, number))


def own_branch(owner: str, head: str) -> str:
    """Return a pull request's ``head`` without the owner prefix (``octocat:new-feature``), if the prefix is ``owner``.

    Owner names are case-insensitive (https://docs.github.com/rest/pulls/pulls#create-a-pull-request).
    """
    prefix = f"{owner}:"
    return head[len(prefix) :] if head.lower().startswith(prefix.lower()) else head


def update_pull(context: Context) -> Reply:
    """Change a pull request's title, body, state or base."""
    number, body = context.params["number"], context.body
    if number not in context.part("pulls"):
        raise not_found(context.docs)
    base = body.get("base")
    if base is not None and base not in context.part("branches"):
        text = f"Proposed base branch '{base}' was not found"
        raise validation_failed([{"message": text, **problem("PullRequest", "base")}], context.docs)
    changes = {key: body[key] for key in ("title", "body", "state", "base") if body.get(key) is not None}
    context.part("pulls")[number] |= {**changes, "updated_at": context.now}
    return Reply(body=show_pull(context, number))


def _unwanted(context: Context, owner: str, head: str, base: str) -> list[JsonObject]:
    branches = context.part("branches")
    custom: JsonObject = {"resource": "PullRequest", "code": "custom"}
    if head == base or branches[head].get("sha") == branches[base].get("sha"):
        return [{**custom, "message": f"No commits between {base} and {head}"}]
    same = [p for p in context.part("pulls").values() if (p.get("head"), p.get("base")) == (head, base)]
    if any(pull.get("state", "open") == "open" for pull in same):
        return [{**custom, "message": f"A pull request already exists for {owner}:{head}."}]
    return []


def _shown_branch(context: Context, name: str) -> JsonObject:
    sha = context.part("branches")[name].get("sha", "")
    return {"name": name, "commit": {"sha": sha, "url": f"{context.url}/commits/{sha}"}, "protected": False}


def _files(context: Context, branch: str) -> JsonObject:
    found: JsonObject = context.part("files").setdefault(branch, {})
    return found


def _bytes(stored: Json) -> bytes:
    return base64.b64decode(stored["base64"]) if isinstance(stored, dict) else str(stored).encode("utf-8", "replace")


def _stored(content: bytes) -> Json:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _sha(content: bytes) -> str:
    """Return the id that git gives a blob."""
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest()


def _shown_file(context: Context, path: str, content: bytes, branch: str) -> JsonObject:
    encoded = re.sub(r"(.{60})", r"\1\n", base64.b64encode(content).decode())
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": _sha(content),
        "size": len(content),
        "url": f"{context.url}/contents/{path}?ref={branch}",
        "html_url": f"{SITE}/{context.full_name}/blob/{branch}/{path}",
        "type": "file",
        "content": encoded if encoded.endswith("\n") else f"{encoded}\n",
        "encoding": "base64",
    }


def _shown_entry(context: Context, folder: str, name: str, branch: str) -> JsonObject:
    path = f"{folder}/{name}" if folder else name
    stored = _files(context, branch).get(path)
    content = _bytes(stored) if stored is not None else b""
    kind = "file" if stored is not None else "dir"
    sha = _sha(content if stored is not None else path.encode("utf-8", "replace"))
    url = f"{context.url}/contents/{path}?ref={branch}"
    return {"name": name, "path": path, "sha": sha, "size": len(content), "url": url, "type": kind}
