"""Stripe's error responses (https://docs.stripe.com/api/errors): an ``error`` with type, code, param and a link.

Sources of the texts: amounts, missing objects by path and by body, keys and declines from pay-rails' recorded
exchanges; unknown parameters from nomadreservations/ngx-stripe issue 20, mage2pro/stripe issue 68 and
microsoft/azure-api-management-monetization issue 57; integers from stripe/stripe-cli issue 585; a JSON body and an
empty text from responses quoted by several callers of the live API; states of a payment from
Automattic/woocommerce-payments issue 487, 202-ecommerce/stripe_official issue 18 and grandnode/grandnode issue 985;
refunds from Sylius/StripePlugin pull request 120; unknown URLs from stripe/stripe-mock's ``invalidRoute``.
"""

from __future__ import annotations

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject

_DOCS = "https://stripe.com/docs/error-codes/"
_LOGS = "https://dashboard.stripe.com/test/logs/"
_CHALLENGE: Headers = (("www-authenticate", 'Bearer realm="Stripe"'),)
_NO_KEY = (
    "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
    "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we "
    "can help at https://support.stripe.com/."
)
_NOT_A_FORM = (
    "Invalid request (check that your POST content type is application/x-www-form-urlencoded). "
    "If you have any questions, we can help at https://support.stripe.com/."
)
_RATE = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."
_ELSEWHERE = (
    "It's possible this PaymentMethod exists on one of your connected accounts, in which case you should retry this "
    "request on that connected account. Learn more at https://stripe.com/docs/connect/authentication"
)
DECLINES = {
    "generic_decline": ("card_declined", "Your card was declined."),
    "insufficient_funds": ("card_declined", "Your card has insufficient funds."),
    "lost_card": ("card_declined", "Your card was declined."),
    "stolen_card": ("card_declined", "Your card was declined."),
    "expired_card": ("expired_card", "Your card has expired."),
    "incorrect_cvc": ("incorrect_cvc", "Your card's security code is incorrect."),
}
"""By decline code: the error's code and text (https://docs.stripe.com/testing#declined-payments)."""


class StripeError(Exception):
    """Ends a request with an error status. ``extra`` are further fields of ``error``."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type_: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        extra: JsonObject | None = None,
        headers: Headers = (),
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.type, self.code, self.param = status, message, type_, code, param
        self.extra, self.headers = extra or {}, headers

    def body(self, request_id: str) -> JsonObject:
        """Return the response body. With a valid key, an error links to the request's log."""
        link = _DOCS + self.code.replace("_", "-") if self.code else None
        log = f"{_LOGS}{request_id}" if self.status in {400, 402, 404} else None
        fields: dict[str, Json] = {
            **self.extra,
            "code": self.code,
            "doc_url": link,
            "message": self.message,
            "param": self.param,
            "request_log_url": log,
            "type": self.type,
        }
        return {"error": {name: value for name, value in fields.items() if value is not None}}


def bad(message: str, param: str | None, code: str | None = None) -> StripeError:
    """Return a 400 about one parameter."""
    return StripeError(400, message, code=code, param=param)


def unknown(names: list[str]) -> StripeError:
    """Return the error for parameters that the endpoint does not have."""
    plural = "s" if len(names) > 1 else ""
    return bad(f"Received unknown parameter{plural}: {', '.join(names)}", names[0], "parameter_unknown")


def missing(name: str) -> StripeError:
    """Return the error for a missing required parameter."""
    return bad(f"Missing required param: {name}.", name, "parameter_missing")


def empty(name: str) -> StripeError:
    """Return the error for an empty text in a parameter that cannot be unset."""
    text = (
        f"You passed an empty string for '{name}'. We assume empty values are an attempt to unset a parameter; however "
        f"'{name}' cannot be unset. You should remove '{name}' from your request or supply a non-empty value."
    )
    return bad(text, name, "parameter_invalid_empty")


def no_such(kind: str, given: str, param: str, *, in_path: bool) -> StripeError:
    """Return the error for an unknown id: 404 in the path, 400 in a parameter."""
    more = f"; {_ELSEWHERE}" if kind == "PaymentMethod" else ""
    message = f"No such {kind}: '{given}'{more}"
    return StripeError(404 if in_path else 400, message, code="resource_missing", param=param)


def no_key() -> StripeError:
    """Return the error for a request without a key."""
    return StripeError(401, _NO_KEY, headers=_CHALLENGE)


def invalid_key(shown: str, *, expired: bool) -> StripeError:
    """Return the error for an invalid or expired key. ``shown`` is the key with its secret part starred."""
    if expired:
        return StripeError(401, f"Expired API Key provided: {shown}", code="api_key_expired", headers=_CHALLENGE)
    return StripeError(401, f"Invalid API Key provided: {shown}", headers=_CHALLENGE)


def not_a_form() -> StripeError:
    """Return the error for a JSON body."""
    return StripeError(400, _NOT_A_FORM)


def rate_limited(retry_after: int | None) -> StripeError:
    """Return the error for a request over the rate limit."""
    headers: Headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    return StripeError(429, _RATE, code="rate_limit", headers=headers)


def key_reused(key: str) -> StripeError:
    """Return the error for an idempotency key that was used with other parameters."""
    text = (
        "Keys for idempotent requests can only be used with the same parameters they were first used with. "
        f"Try using a key other than '{key}' if you meant to execute a different request."
    )
    return StripeError(400, text, type_="idempotency_error")


def declined(decline_code: str) -> StripeError:
    """Return the card issuer's decline. An unknown code is a generic decline."""
    known = decline_code if decline_code in DECLINES else "generic_decline"
    code, message = DECLINES[known]
    extra: JsonObject = {"decline_code": known} if code == "card_declined" else {}
    if known == "generic_decline":
        extra |= {"advice_code": "try_again_later", "network_decline_code": "01"}
    return StripeError(
        402,
        message,
        type_="card_error",
        code=code,
        param="",
        extra=extra,
        headers=(("stripe-should-retry", "false"),),
    )


def wrong_state(message: str) -> StripeError:
    """Return the error for a step that the payment's status does not allow."""
    return StripeError(400, message, code="payment_intent_unexpected_state")
