"""How services say that something failed: envelopes, refusals, status phrases, network faults, and when to try again."""
