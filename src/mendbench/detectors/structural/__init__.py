"""Our own detector: it reads the structure of a response, and words only where the structure is not enough.

:mod:`.reading` opens a response into codes, texts and statuses; :mod:`.codes` and :mod:`.phrases` are tables that map a code or a phrase to
the workflow or the user; :mod:`.rule_order` applies them in order.
"""

from mendbench.detectors.structural.rule_order import DETECTOR, Structural

__all__ = ["DETECTOR", "Structural"]
