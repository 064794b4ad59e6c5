"""Corpus, matrix, trials and results: runs checks and variants, and stores the evidence that scoring judges."""
