"""The Stripe API v1, simulated (https://docs.stripe.com/api)."""

from mendbench.services.payments.service import Payments as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
