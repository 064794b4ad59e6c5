"""The folder of a run: its rows, its totals, and the baseline that the gate compares it with."""
