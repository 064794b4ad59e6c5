"""Cases on disk: read strictly, split into parts, and searched for credentials."""
