"""Replay and record: every exchange with the world and with a model goes through a cassette."""
