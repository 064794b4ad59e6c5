SEED = "github/labels-as-string"
"""A repairable case: its workflow after the fix is the seed."""
