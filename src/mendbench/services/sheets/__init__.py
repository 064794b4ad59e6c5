"""The Google Sheets API v4, simulated (https://developers.google.com/workspace/sheets/api/reference/rest)."""

from mendbench.services.sheets.service import Sheets as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
