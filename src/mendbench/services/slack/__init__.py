"""The Slack Web API, simulated (https://docs.slack.dev/apis/web-api)."""

from mendbench.services.slack.service import Slack as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
