"""Offline evaluation of workflow repair: recorded failures, real repairs, judged by labelled truth."""

__version__ = "0.1.0"
