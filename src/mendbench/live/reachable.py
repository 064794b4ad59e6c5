"""Whether a server can be reached at all."""

from __future__ import annotations

import socket

from mendbench.exchanges.urls import DEFAULT_PORTS, split_url

CONNECT_S = 3.0
"""Seconds that a connection may take."""


def unreachable(base_url: str) -> str | None:
    """Return why nothing can be sent to a server; None if something listens there. A connection is opened, and nothing is sent."""
    parts = split_url(base_url)
    try:
        place = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 80)
        with socket.create_connection(place, timeout=CONNECT_S):
            return None
    except (OSError, ValueError) as error:
        return f"nothing listens at {base_url} ({getattr(error, 'strerror', None) or error})"
