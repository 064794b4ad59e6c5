"""The search of issues and pull requests (https://docs.github.com/rest/search/search#search-issues-and-pull-requests)."""

from __future__ import annotations

import dataclasses
import re

from mendbench.model.json import JsonObject
from mendbench.services.github.access import find_repo, is_visible
from mendbench.services.github.errors import SEARCH_DOCS, GitHubError, problem, validation_failed
from mendbench.services.github.paging import page_numbers, page_of
from mendbench.services.github.state import Context, Reply, show_issue

MAX_QUERY, MAX_RESULTS = 256, 1000
"""Maximum length of a query, and maximum number of results that paging can reach."""
_TERM = re.compile(r'(-?)(?:([a-z-]+):)?("[^"]*"|\S+)', re.IGNORECASE)
_CANNOT_SEE = (
    "The listed users and repositories cannot be searched either because the resources do not exist "
    "or you do not have permission to view them."
)
_QUALIFIERS = {"is", "type", "state", "repo", "user", "org", "label", "author", "assignee", "milestone"}
_KINDS = {"issue": "issue", "pr": "pull", "pull-request": "pull"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    negated: bool
    name: str
    """The qualifier's name; empty for a word."""
    value: str


def search_issues(context: Context) -> Reply:
    """Search. All terms have to match."""
    query = (context.call.parameter("q") or "").strip()
    if not query:
        raise validation_failed([{"resource": "Search", "field": "q", "code": "missing"}], SEARCH_DOCS)
    if len(query) > MAX_QUERY:
        raise _refused(f"The search is longer than {MAX_QUERY} characters.")
    terms = [
        _Term(negated=bool(minus), name=name.lower(), value=value.strip('"'))
        for minus, name, value in _TERM.findall(query)
    ]
    kinds = {
        _KINDS[term.value.lower()] for term in terms if term.name in {"is", "type"} and term.value.lower() in _KINDS
    }
    if not kinds and context.access.kind != "classic":
        raise _refused("Query must include 'is:issue' or 'is:pull-request'")
    page, size = page_numbers(context.call)
    if page * size > MAX_RESULTS:
        raise GitHubError(422, "Only the first 1000 search results are available", docs=SEARCH_DOCS)
    found = [
        issue for issue in _issues(context, terms) if all(_holds(term, issue) is not term.negated for term in terms)
    ]
    found.sort(
        key=lambda issue: (issue["created_at"], issue["number"]), reverse=context.call.parameter("order") != "asc"
    )
    listed = page_of(context, found)
    body = {"total_count": len(found), "incomplete_results": False, "items": listed.body}
    return Reply(body=body, headers=listed.headers)


def _refused(text: str) -> GitHubError:
    return validation_failed([{"message": text, **problem("Search", "q")}], SEARCH_DOCS)


def _issues(context: Context, terms: list[_Term]) -> list[JsonObject]:
    """Return the issues of the repositories that the query names, or of all repositories that the caller can see."""
    found: list[JsonObject] = []
    for full_name in _scope(context, terms):
        inside = dataclasses.replace(context, full_name=full_name)
        found += [show_issue(inside, number) for number in (*inside.part("issues"), *inside.part("pulls"))]
    return found


def _scope(context: Context, terms: list[_Term]) -> list[str]:
    visible = [name for name in context.draft.get("repos") or {} if is_visible(context.draft, context.access, name)]
    places = [term for term in terms if term.name in {"repo", "user", "org"} and not term.negated]
    named: set[str] = set()
    for place in places:
        if place.name == "repo":
            known = find_repo(context.draft, place.value)
            named |= {known} & set(visible) if known else set()
        else:
            named |= {name for name in visible if name.split("/")[0].lower() == place.value.lower()}
    if places and not named and not _has_user(context, places):
        raise _refused(_CANNOT_SEE)
    return [name for name in visible if not places or name in named]


def _has_user(context: Context, places: list[_Term]) -> bool:
    users = {login.lower() for login in context.draft.get("users") or {}}
    return any(place.name != "repo" and place.value.lower() in users for place in places)


def _holds(term: _Term, issue: JsonObject) -> bool:
    value = term.value.lower()
    if not term.name:
        return value in f"{issue['title']} {issue['body'] or ''}".lower()
    return value in _values(term.name, issue) if term.name in _QUALIFIERS else not term.negated


def _values(name: str, issue: JsonObject) -> set[str]:
    """Return the values that an issue has for a qualifier."""
    if name in {"is", "type", "state"}:
        kinds = {word for word, kind in _KINDS.items() if (kind == "pull") is ("pull_request" in issue)}
        return {*kinds, issue["state"]}
    if name in {"repo", "user", "org"}:
        place: str = issue["repository_url"].split("/repos/", 1)[1].lower()
        return {place if name == "repo" else place.partition("/")[0]}
    milestone = issue["milestone"]
    found = {
        "label": [label["name"] for label in issue["labels"]],
        "author": [issue["user"]["login"]],
        "assignee": [person["login"] for person in issue["assignees"]],
        "milestone": [milestone["title"]] if milestone else [],
    }
    return {str(text).lower() for text in found[name]}
