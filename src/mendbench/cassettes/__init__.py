"""Recordings on disk: vcrpy's format, the keys of exchanges, and the folder of a case's recordings."""
