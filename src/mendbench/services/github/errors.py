"""GitHub's error responses (https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api)."""

from __future__ import annotations

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject

DOCS = "https://docs.github.com/rest"
"""The documentation link of errors outside an endpoint: unknown route, unknown repository, invalid token."""
RATE_DOCS = f"{DOCS}/overview/resources-in-the-rest-api#rate-limiting"
SECONDARY_DOCS = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
REDIRECT_DOCS = "https://docs.github.com/v3/#http-redirects"
SEARCH_DOCS = "https://docs.github.com/v3/search/"
LIST_ISSUES_DOCS = "https://docs.github.com/v3/issues/#list-issues"


class GitHubError(Exception):
    """Ends a request with an error status.

    ``errors`` are the entries of ``errors[]``. ``docs`` is the documentation link; None means a body with only a
    message.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        docs: str | None = DOCS,
        errors: list[JsonObject] | None = None,
        headers: Headers = (),
        extra: JsonObject | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.docs, self.errors = status, message, docs, errors
        self.headers, self.extra = headers, extra or {}

    def body(self) -> JsonObject:
        """Return the response body. Its ``status`` is a string."""
        body: JsonObject = {"message": self.message, **self.extra}
        if self.errors is not None:
            body["errors"] = self.errors
        if self.docs is not None:
            body |= {"documentation_url": self.docs, "status": str(self.status)}
        return body


def not_found(docs: str = DOCS) -> GitHubError:
    """Return the error for an object that does not exist or that the caller may not see."""
    return GitHubError(404, "Not Found", docs=docs)


def invalid_request(problems: list[str], docs: str) -> GitHubError:
    """Return the error for a body that does not match the endpoint's schema. It has no ``errors``."""
    return GitHubError(422, "Invalid request.\n\n" + "\n".join(problems), docs=docs)


def validation_failed(errors: list[JsonObject], docs: str) -> GitHubError:
    """Return the error for values that match the schema but that the model rejects."""
    return GitHubError(422, "Validation Failed", docs=docs, errors=errors)


def problem(resource: str, field: str, code: str = "invalid", **more: Json) -> JsonObject:
    """Return one entry of ``errors[]``."""
    return {**more, "resource": resource, "field": field, "code": code}
