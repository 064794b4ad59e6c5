"""Proves cases: each fails as labelled, the right edits pass, and nothing else does."""
