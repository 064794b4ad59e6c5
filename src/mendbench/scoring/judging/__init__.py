"""Judging: from the events of a trial to its verdict by the case's ground truth."""
