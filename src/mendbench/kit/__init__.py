"""The floor: small pure functions that every other package stands on, and the two effects that all share (files, backoff)."""
