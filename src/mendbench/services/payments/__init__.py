"""The Stripe API v1, simulated (https://docs.stripe.com/api)."""

from mendbench.services.payments.service import Payments as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.payments.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
