"""Requests and responses as values: URLs in one spelling, parsed bodies, placeholders."""
