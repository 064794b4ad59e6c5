"""Failing cases derived from working workflows: break one thing, prove that only its inverse repairs it."""
