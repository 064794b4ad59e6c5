"""Our own detector: it reads the structure of an answer, and words only where structure says nothing.

:mod:`.reading` opens an answer into codes, texts and statuses; :mod:`.codes` and :mod:`.words` are the tables that say
whose a code or a phrase is; :mod:`.judging` asks them in order.
"""

from mendbench.detectors.mend.judging import DETECTOR, Mend

__all__ = ["DETECTOR", "Mend"]
