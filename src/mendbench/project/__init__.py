"""A repository that uses mendbench: the files that it starts with, and what is configured, missing or stale in it."""
