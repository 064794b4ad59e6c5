"""Cases, as they stand on the disk: read strictly, split into parts, and searched for credentials."""
