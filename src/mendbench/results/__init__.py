"""The folder of a run: its rows, its totals, and the baseline that it is held against."""
