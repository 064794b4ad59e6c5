"""The public functions: each builds the parts that it needs and passes them down."""

from mendbench.api.cases import (
    CaseList,
    CheckedCorpus,
    Written,
    check_cases,
    import_case,
    list_cases,
    new_case,
    show_case,
)
from mendbench.api.runs import report, run
from mendbench.api.schemas import SCHEMAS, schema
from mendbench.api.settings import Progress, RunOptions
from mendbench.api.strategies import Rendering, list_strategies, render_strategy

__all__ = [
    "SCHEMAS", "CaseList", "CheckedCorpus", "Progress", "Rendering", "RunOptions", "Written", "check_cases",
    "import_case", "list_cases", "list_strategies", "new_case", "render_strategy", "report", "run", "schema", "show_case",
]  # fmt: skip
