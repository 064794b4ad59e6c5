"""Estimates of token counts, without the model's tokenizer."""

from __future__ import annotations

BYTES_PER_TOKEN = 3.2
"""Bytes of JSON and English per token, low on purpose: an estimate that is too high cuts slightly early, one too low overflows."""


def estimate(text: str) -> int:
    """Return the approximate number of tokens in ``text``; never zero for a text that is not empty."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return 0 if not size else max(1, round(size / BYTES_PER_TOKEN))
