"""Error codes, and who can fix each one: one table for all services.

Codes are normalised before comparison: ``AccessDeniedException``, ``access-denied`` and ``ACCESS_DENIED`` are all
``access_denied``. Sources: Slack's Web API reference (each method's errors), Google's ``google.rpc.Code``, the
GraphQL error codes of Apollo, GitHub, Linear and Shopify, OAuth 2.0 (RFC 6749 section 5.2), Kubernetes' status reasons,
Stripe's error codes, the common errors of AWS, JSON-RPC 2.0 section 5.1 and the Model Context Protocol.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Side: TypeAlias = Literal["edit", "user"]
"""What can help: an edit of the workflow, or the user (including waiting)."""

_EDIT = (
    # Slack: the request's form
    "no_text", "msg_too_long", "msg_blocks_too_long", "markdown_text_conflict", "too_many_attachments",
    "bad_timestamp", "unknown_method", "method_deprecated", "deprecated_endpoint", "json_not_object",
    "as_user_not_supported", "metadata_too_large", "not_array", "comment_required", "duplicate_block_id",
    "name_too_long",
    # OAuth 2.0: the content of the request
    "unsupported_grant_type", "unsupported_response_type",
    # GraphQL: the document
    "graphql_validation_failed", "graphql_parse_failed", "undefined_field", "undefined_type",
    "argument_not_accepted", "variable_mismatch", "argument_literals_incompatible", "selection_mismatch",
    "operation_resolution_failure", "persisted_query_not_found",
    # google.rpc
    "out_of_range", "unimplemented",
    # models, and servers of models
    "model_not_found", "context_length_exceeded", "string_above_max_length", "unsupported_value", "idempotency",
    # search engines and stores
    "mapper_parsing", "parsing", "json_parse", "query_shard", "serialization", "content_too_large",
    "payload_too_large", "request_too_large", "unrecognized_keys", "property_doesnt_exist", "unexpected_token",
    "invalid_page_token", "invalid_next_token", "invalid_pagination_token", "invalid_continuation_token", "type_mismatch", "required",
    "password_too_short", "password_too_long",
    "extra_forbidden",
)  # fmt: skip

_USER = (
    # Slack: the caller, and the resources
    "account_inactive", "ekm_access_denied", "org_login_required", "team_access_not_granted", "team_added_to_org",
    "two_factor_setup_required", "is_archived", "user_not_visible", "user_disabled", "user_is_bot",
    "user_is_restricted", "user_is_ultra_restricted", "user_is_restricted_from_dm", "edit_window_closed",
    "name_taken", "no_reaction", "no_service", "no_service_id", "no_team", "no_active_hooks", "action_prohibited",
    "channel_is_archived", "free_team_not_allowed", "paid_only", "paid_teams_only", "plan_upgrade_required",
    "feature_not_enabled", "over_limit", "too_many_requests", "too_many_reactions", "too_many_members",
    "too_many_users", "accesslimited", "ratelimited", "request_timeout", "timeout", "fatal", "internal",
    "internal_server", "internal_failure", "external_channel_migrating", "method_not_supported_for_channel_type",
    "slack_connect_file_link_sharing_blocked", "last_ra_channel", "ura_max_channels", "storage_limit_reached",
    "rollup", "missing_scope", "user_is_self", "not_pinned", "not_starred", "file_deleted", "expired_trigger_id",
    "not_in_channel", "not_authed", "token_revoked", "token_expired", "access_denied", "no_permission",
    "restricted_action", "not_allowed_token_type", "rate_limited", "rate_limit_exceeded", "quota_exceeded",
    "already_in_channel", "already_reacted", "cant_invite_self", "team_disabled", "app_not_installed",
    # OAuth 2.0: the grant and the client
    "invalid_grant", "invalid_client", "consent_required", "interaction_required", "login_required",
    # google.rpc
    "not_found", "permission_denied", "unauthenticated", "resource_exhausted", "unavailable", "deadline_exceeded",
    "aborted", "cancelled", "data_loss", "failed_precondition", "unknown",
    # HTTP's own words, as services repeat them
    "unauthorized", "forbidden", "payment_required", "conflict", "gone", "locked", "server", "service",
    "bad_gateway",
    # Stripe, AWS, Kubernetes, models
    "resource_missing", "card", "card_declined", "lock_timeout", "insufficient_quota", "insufficient_funds",
    "overloaded", "request_throttled", "slow_down", "no_such_key", "no_such_bucket", "bucket_already_owned_by_you",
    "server_timeout", "unrecognized_client", "signature_does_not_match", "request_expired",
    "provisioned_throughput_exceeded", "limit_exceeded", "invalid_client_token_id", "invalid_access_key_id",
    "conditional_check_failed",
)  # fmt: skip

CODES: dict[str, Side] = {**dict.fromkeys(_EDIT, "edit"), **dict.fromkeys(_USER, "user")}
"""Codes that are conclusive by themselves."""

WEAK = frozenset({
    "invalid_request", "invalid_argument", "invalid_input", "invalid", "invalid_parameter", "validation",
    "bad_request", "bad_user_input", "input", "unprocessable", "unprocessable_entity", "unprocessable_content",
    "custom", "invalid_params", "request", "graphql", "api", "about", "blank", "object", "value", "oauth",
})  # fmt: skip
"""Codes as general as HTTP 400. The words decide, because services also use them for missing resources."""

USER_WORDS = frozenset({
    "auth", "authed", "authentication", "authorization", "token", "credential", "credentials", "password",
    "permission", "permissions", "permitted", "scope", "scopes", "quota", "throttled", "throttling", "ratelimited",
    "unauthorized", "unauthenticated", "forbidden", "login", "apikey", "billing", "subscription",
})  # fmt: skip
"""A code with one of these words is about permissions or limits."""

USER_AFFIXES = re.compile(
    r"""
      ^(?: already_ | cant_ | cannot_ | not_in_ | restricted_ | not_allowed | no_permission | quota_ | rate_limit
         | access_ )
    | _(?: not_found | not_exists? | denied | revoked | expired | disabled | limited | unavailable | inactive | deleted
         | already_exists | exists | exhausted | limit_exceeded | rate_exceeded | throughput_exceeded | not_allowed
         | api_key | timed_out | declined | archived | restricted )$
    """,
    re.VERBOSE,
)

EDIT_AFFIXES = re.compile(
    r"""
      ^(?: invalid_ | missing_ | malformed | unsupported_ | bad_ | parse_ | parameter_ | unrecognized_ | unexpected_
         | too_many_ | duplicate_ )
    | _(?: required | too_long | too_short | too_large | too_big | too_small | too_many | not_supported | unsupported
         | missing | invalid | malformed | mismatch | parsing | parse_failed | validation_failed | min_value
         | max_value )$
    """,
    re.VERBOSE,
)

RPC: dict[int, Side] = {
    -32700: "edit", -32600: "edit", -32601: "edit", -32602: "edit",
    -32001: "user", -32002: "user", -32020: "user", -32021: "user", -32022: "user",
}  # fmt: skip
"""Conclusive JSON-RPC codes: the request's form on one side; on the other timeouts, missing resources and failed negotiation. Codes that
any failure may have (-32000, -32603) are not here.
"""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TAIL = re.compile(r"_(?:exception|error|errors|fault|failure)$")
_MAX_WORDS = 4


def spelled(code: str) -> str:
    """Return ``code`` normalised as in the tables; empty if it is a sentence instead of a code."""
    if len(code) > 200 or len(code.split()) > _MAX_WORDS:  # noqa: PLR2004 (longer ones are no codes, nor the URI of one)
        return ""
    last = re.split(r"[#/]", code.strip().rstrip("/"))[-1]
    return re.sub(r"[\s\-.]+", "_", _CAMEL.sub("_", last)).lower().strip("_")


def side_of(code: str) -> Side | None:
    """Return who can fix an error with this ``code``, or None if it is inconclusive."""
    whole = spelled(code)
    short = _TAIL.sub("", whole)
    for name in (whole, short):
        if name in CODES:
            return CODES[name]
    if not short or short in WEAK or whole in WEAK:
        return None
    if USER_WORDS.intersection(short.split("_")) or USER_AFFIXES.search(short):
        return "user"
    return "edit" if EDIT_AFFIXES.search(short) else None


def side_of_token(token: str) -> Side | None:
    """Return who can fix an error whose text contains this word with underscores, or None.

    Stricter than :func:`side_of`, because names of tools and fields (``get_token``, ``access_log``) look like codes.
    """
    if token in CODES:
        return CODES[token]
    if token.startswith("invalid_"):
        return side_of(token)
    return "user" if token.endswith("_not_found") else None
