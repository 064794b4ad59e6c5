"""The ``weighted`` detector: it observes failures itself, weighs all evidence, and says how sure it is.

:mod:`.opening` parses a body; :mod:`.observing` decides whether the response is a failure; :mod:`.weighing` weighs whether an edit could
help. ``weights.tsv``, ``phrases.tsv`` and ``codes.tsv`` are its tables.
"""

from mendbench.detectors.weighted.detector import DETECTOR, Weighted

__all__ = ["DETECTOR", "Weighted"]
