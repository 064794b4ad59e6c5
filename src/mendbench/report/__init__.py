"""Reports of a stored run. Nothing here runs or judges a trial.

A report is made only from ``run.json``, ``trials.jsonl`` and ``texts.jsonl``: rows become frozen data
(:mod:`~mendbench.report.views`, :mod:`~mendbench.report.tables`, :mod:`~mendbench.report.summary`), the data goes
through a template (:mod:`~mendbench.report.html`), and the caller writes the text to a file.
"""
