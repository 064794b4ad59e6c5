"""The Google Sheets API v4, simulated (https://developers.google.com/workspace/sheets/api/reference/rest)."""

from mendbench.services.sheets.service import Sheets as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.sheets.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
