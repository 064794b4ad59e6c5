"""Pasted HTTP transcripts, with or without their command lines."""
