"""Secrets out, their names in: redaction, encodings, and the search for credentials."""
