"""The public functions: each builds the parts that it needs and passes them down."""

from mendbench.api.ablation import Ablation, AblationRow, ablate_strategy
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
from mendbench.api.prompts import (
    Asking,
    Exported,
    Imported,
    MissingPrompt,
    PromptDiff,
    diff_prompts,
    export_prompts,
    import_answers,
)
from mendbench.api.runs import prune_answers, report, run
from mendbench.api.schemas import SCHEMAS, schema
from mendbench.api.settings import Progress, RunOptions
from mendbench.api.strategies import (
    Rendering,
    StrategyPage,
    Survey,
    list_strategies,
    render_strategy,
    show_strategy,
    survey_strategies,
)

__all__ = [
    "SCHEMAS",
    "Ablation",
    "AblationRow",
    "Asking",
    "CaseList",
    "CheckedCorpus",
    "Exported",
    "Imported",
    "MissingPrompt",
    "Progress",
    "PromptDiff",
    "Rendering",
    "RunOptions",
    "StrategyPage",
    "Survey",
    "Written",
    "ablate_strategy",
    "check_cases",
    "diff_prompts",
    "export_prompts",
    "import_answers",
    "import_case",
    "list_cases",
    "list_strategies",
    "new_case",
    "prune_answers",
    "render_strategy",
    "report",
    "run",
    "schema",
    "show_case",
    "show_strategy",
    "survey_strategies",
]  # fmt: skip
