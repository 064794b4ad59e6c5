"""Readers of a stored run: what it says, told to a person. Nothing here runs a trial or judges one.

A report is a view of ``run.json``, ``trials.jsonl`` and ``texts.jsonl`` and of nothing else: rows become frozen data
(:mod:`~mendbench.report.views`, :mod:`~mendbench.report.tables`, :mod:`~mendbench.report.summary`), the data goes
through a template (:mod:`~mendbench.report.html`), and whoever asked writes the text to a file.
"""
