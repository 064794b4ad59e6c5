"""How services report failures: envelopes, refusals, status phrases, network faults and retries."""
