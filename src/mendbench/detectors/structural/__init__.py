"""Our own detector: it reads the structure of a response, and words only where structure says nothing.

:mod:`.reading` opens a response into codes, texts and statuses; :mod:`.codes` and :mod:`.words` are the tables that say
whose a code or a phrase is; :mod:`.judging` asks them in order.
"""

from mendbench.detectors.structural.judging import DETECTOR, Structural

__all__ = ["DETECTOR", "Structural"]
