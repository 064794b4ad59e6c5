"""From what happened in a trial to what the truth says about it."""
