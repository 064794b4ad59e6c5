"""Pure functions over stored evidence: what the truth says about a trial. Nothing here sends, runs or reads."""
