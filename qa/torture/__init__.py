"""What mendbench is put through: each part tries many things that must not hurt it, and counts what was survived.

``python -m qa.torture`` (``make torture``) tries each part's long version; the tests beside it try a quick one.
"""
