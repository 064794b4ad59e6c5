"""The public functions: each builds the parts that it needs and passes them down.

A name is imported on first access, so that a command loads only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mendbench.api.ablation import Ablation, AblationRow, ablate_strategy, estimate_ablation
    from mendbench.api.cases import (
        CaseList,
        CheckedCorpus,
        Written,
        check_cases,
        find_credentials,
        import_case,
        list_cases,
        new_case,
        show_case,
    )
    from mendbench.api.comparability import Incomparable
    from mendbench.api.comparing import Comparison, compare, primary_contrasts
    from mendbench.api.detectors import Evaluation, Explanation, evaluate_detectors, explain_responses
    from mendbench.api.engines import EngineCheck, check_engine
    from mendbench.api.exports import annotate, data_frames, export, judged
    from mendbench.api.gating import SelfTest, accept_run, gate, gate_run, self_test
    from mendbench.api.generating import GeneratedCases, generate_cases
    from mendbench.api.merging import merge
    from mendbench.api.private_recordings import adopt_recordings, list_private_recordings
    from mendbench.api.probe_output import Emitted, emit_cases, refuse_outputs, write_probe_page
    from mendbench.api.probing import ProbeOptions, probe_server, write_draft_calls
    from mendbench.api.projects import Initialised, examine_project, init_project
    from mendbench.api.prompts import (
        Asking,
        Exported,
        Imported,
        MissingPrompt,
        PromptDiff,
        diff_prompts,
        export_label_prompts,
        export_prompts,
        import_responses,
    )
    from mendbench.api.repeatability import Repeatability, recorded_repeatability
    from mendbench.api.rescoring import Rescored, rescore
    from mendbench.api.rule_book import Agreement, rule_book_agreement
    from mendbench.api.runs import prune_responses, report, run
    from mendbench.api.schemas import SCHEMAS, schema
    from mendbench.api.scoring import Forensics, forensics, score
    from mendbench.api.settings import Progress, RunOptions, in_silence
    from mendbench.api.strategies import (
        Rendering,
        StrategyPage,
        Survey,
        list_strategies,
        render_strategy,
        show_strategy,
        survey_strategies,
    )
    from mendbench.api.trials import Bench, RanTrial, open_bench
    from mendbench.api.trying import Standing, TryBudget, compare_prompts, read_budget, try_strategy
    from mendbench.api.watching import Snapshot, Watching, snapshots, watch_strategy
    from mendbench.project.health import Health
    from mendbench.report.scores import ScoreLine
    from mendbench.results.store import StoredRun, read_run
    from mendbench.scoring.gating.result import GateResult

__all__ = [
    "SCHEMAS",
    "Ablation",
    "AblationRow",
    "Agreement",
    "Asking",
    "Bench",
    "CaseList",
    "CheckedCorpus",
    "Comparison",
    "Emitted",
    "EngineCheck",
    "Evaluation",
    "Explanation",
    "Exported",
    "Forensics",
    "GateResult",
    "GeneratedCases",
    "Health",
    "Imported",
    "Incomparable",
    "Initialised",
    "MissingPrompt",
    "ProbeOptions",
    "Progress",
    "PromptDiff",
    "RanTrial",
    "Rendering",
    "Repeatability",
    "Rescored",
    "RunOptions",
    "ScoreLine",
    "SelfTest",
    "Snapshot",
    "Standing",
    "StoredRun",
    "StrategyPage",
    "Survey",
    "TryBudget",
    "Watching",
    "Written",
    "ablate_strategy",
    "accept_run",
    "adopt_recordings",
    "annotate",
    "check_cases",
    "check_engine",
    "compare",
    "compare_prompts",
    "data_frames",
    "diff_prompts",
    "emit_cases",
    "estimate_ablation",
    "evaluate_detectors",
    "examine_project",
    "explain_responses",
    "export",
    "export_label_prompts",
    "export_prompts",
    "find_credentials",
    "forensics",
    "gate",
    "gate_run",
    "generate_cases",
    "import_case",
    "import_responses",
    "in_silence",
    "init_project",
    "judged",
    "list_cases",
    "list_private_recordings",
    "list_strategies",
    "merge",
    "new_case",
    "open_bench",
    "primary_contrasts",
    "probe_server",
    "prune_responses",
    "read_budget",
    "read_run",
    "recorded_repeatability",
    "refuse_outputs",
    "render_strategy",
    "report",
    "rescore",
    "rule_book_agreement",
    "run",
    "schema",
    "score",
    "self_test",
    "show_case",
    "show_strategy",
    "snapshots",
    "survey_strategies",
    "try_strategy",
    "watch_strategy",
    "write_draft_calls",
    "write_probe_page",
]  # fmt: skip

_HOMES = {
    "mendbench.api.ablation": (
        "Ablation",
        "AblationRow",
        "ablate_strategy",
        "estimate_ablation",
    ),
    "mendbench.api.cases": (
        "CaseList",
        "CheckedCorpus",
        "Written",
        "check_cases",
        "find_credentials",
        "import_case",
        "list_cases",
        "new_case",
        "show_case",
    ),
    "mendbench.api.comparability": ("Incomparable",),
    "mendbench.api.comparing": (
        "Comparison",
        "compare",
        "primary_contrasts",
    ),
    "mendbench.api.detectors": (
        "Evaluation",
        "Explanation",
        "evaluate_detectors",
        "explain_responses",
    ),
    "mendbench.api.engines": (
        "EngineCheck",
        "check_engine",
    ),
    "mendbench.api.exports": (
        "annotate",
        "data_frames",
        "export",
        "judged",
    ),
    "mendbench.api.gating": (
        "SelfTest",
        "accept_run",
        "gate",
        "gate_run",
        "self_test",
    ),
    "mendbench.api.generating": (
        "GeneratedCases",
        "generate_cases",
    ),
    "mendbench.api.merging": ("merge",),
    "mendbench.api.private_recordings": (
        "adopt_recordings",
        "list_private_recordings",
    ),
    "mendbench.api.projects": (
        "Initialised",
        "examine_project",
        "init_project",
    ),
    "mendbench.api.probe_output": ("Emitted", "emit_cases", "refuse_outputs", "write_probe_page"),
    "mendbench.api.probing": ("ProbeOptions", "probe_server", "write_draft_calls"),
    "mendbench.api.prompts": (
        "Asking",
        "Exported",
        "Imported",
        "MissingPrompt",
        "PromptDiff",
        "diff_prompts",
        "export_label_prompts",
        "export_prompts",
        "import_responses",
    ),
    "mendbench.api.repeatability": (
        "Repeatability",
        "recorded_repeatability",
    ),
    "mendbench.api.rescoring": (
        "Rescored",
        "rescore",
    ),
    "mendbench.api.rule_book": (
        "Agreement",
        "rule_book_agreement",
    ),
    "mendbench.api.runs": (
        "prune_responses",
        "report",
        "run",
    ),
    "mendbench.api.schemas": (
        "SCHEMAS",
        "schema",
    ),
    "mendbench.api.scoring": (
        "Forensics",
        "forensics",
        "score",
    ),
    "mendbench.api.settings": (
        "Progress",
        "RunOptions",
        "in_silence",
    ),
    "mendbench.api.strategies": (
        "Rendering",
        "StrategyPage",
        "Survey",
        "list_strategies",
        "render_strategy",
        "show_strategy",
        "survey_strategies",
    ),
    "mendbench.api.trials": (
        "Bench",
        "RanTrial",
        "open_bench",
    ),
    "mendbench.results.store": (
        "StoredRun",
        "read_run",
    ),
    "mendbench.api.trying": (
        "Standing",
        "TryBudget",
        "compare_prompts",
        "read_budget",
        "try_strategy",
    ),
    "mendbench.api.watching": ("Snapshot", "Watching", "snapshots", "watch_strategy"),
    "mendbench.project.health": ("Health",),
    "mendbench.report.scores": ("ScoreLine",),
    "mendbench.scoring.gating.result": ("GateResult",),
}
"""The public names of each module."""

_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name and return it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
