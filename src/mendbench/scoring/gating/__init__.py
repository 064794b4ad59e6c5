"""A run held against what was last accepted."""
