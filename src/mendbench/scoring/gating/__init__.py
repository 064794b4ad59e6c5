"""The gate: a run compared with the accepted baseline."""
