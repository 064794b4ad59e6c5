"""How long a text is for a model, without the model's tokenizer."""

from __future__ import annotations

BYTES_PER_TOKEN = 3.2
"""Bytes of JSON and English a token holds, low on purpose: an estimate that is too high cuts a little early, one too low overflows."""


def estimate(text: str) -> int:
    """Return about how many tokens ``text`` has; never zero for a text that is not empty."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return 0 if not size else max(1, round(size / BYTES_PER_TOKEN))
