"""Redaction of secrets, encodings, and the search for credentials."""
