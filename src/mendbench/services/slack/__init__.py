"""The Slack Web API, simulated (https://docs.slack.dev/apis/web-api)."""

from mendbench.services.slack.service import Slack as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.slack.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
