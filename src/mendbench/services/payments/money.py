"""Currencies and their minimum charge amounts (https://docs.stripe.com/currencies)."""

from __future__ import annotations

from mendbench.services.payments.errors import StripeError, bad

CURRENCIES = (
    "usd", "aed", "afn", "all", "amd", "ang", "aoa", "ars", "aud", "awg", "azn", "bam", "bbd", "bdt",
    "bgn", "bhd", "bif", "bmd", "bnd", "bob", "brl", "bsd", "bwp", "byn", "bzd", "cad", "cdf", "chf",
    "clp", "cny", "cop", "crc", "cve", "czk", "djf", "dkk", "dop", "dzd", "egp", "etb", "eur", "fjd",
    "fkp", "gbp", "gel", "gip", "gmd", "gnf", "gtq", "gyd", "hkd", "hnl", "hrk", "htg", "huf", "idr",
    "ils", "inr", "isk", "jmd", "jod", "jpy", "kes", "kgs", "khr", "kmf", "krw", "kwd", "kyd", "kzt",
    "lak", "lbp", "lkr", "lrd", "lsl", "mad", "mdl", "mga", "mkd", "mmk", "mnt", "mop", "mro", "mur",
    "mvr", "mwk", "mxn", "myr", "mzn", "nad", "ngn", "nio", "nok", "npr", "nzd", "omr", "pab", "pen",
    "pgk", "php", "pkr", "pln", "pyg", "qar", "ron", "rsd", "rub", "rwf", "sar", "sbd", "scr", "sek",
    "sgd", "shp", "sll", "sos", "srd", "std", "szl", "thb", "tjs", "top", "try", "ttd", "twd", "tzs",
    "uah", "ugx", "uyu", "uzs", "vnd", "vuv", "wst", "xaf", "xcd", "xof", "xpf", "yer", "zar", "zmw",
)  # fmt: skip
_LEAST = {"usd": ("$", 50), "eur": ("\u20ac", 50), "gbp": ("\u00a3", 30)}
"""Sign and minimum charge in the smallest unit, for the currencies whose messages are known."""


def known_currency(value: str, param: str) -> str:
    """Return a currency in lower case.

    Raises:
        StripeError: the currency is unknown.
    """
    lower = value.lower()
    if lower not in CURRENCIES:
        listed = ", ".join(CURRENCIES)
        raise bad(f"Invalid currency: {lower}. Stripe currently supports these currencies: {listed}", param)
    return lower


def check_least(amount: int, currency: str, param: str = "amount") -> None:
    """Check that an amount, in the currency's smallest unit, reaches the minimum charge.

    Raises:
        StripeError: ``amount_too_small``.
    """
    sign, least = _LEAST.get(currency, ("", 0))
    if amount < least:
        shown = f"{sign}{least / 100:.2f} {currency}"
        raise bad(f"Amount must be at least {shown}", param, "amount_too_small")


def over_refund(amount: int, left: int, currency: str) -> StripeError:
    """Return the error for a refund that exceeds the remaining amount."""
    sign = _LEAST.get(currency, ("", 0))[0]
    text = (
        f"Refund amount ({sign}{amount / 100:.2f}) is greater than unrefunded amount on charge ({sign}{left / 100:.2f})"
    )
    return bad(text, "amount")
