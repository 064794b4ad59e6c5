"""The tables of the configuration file, as pydantic reads them."""

from __future__ import annotations

import sys
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from mendbench.model.json import Json

FORMAT = 1
"""1: the first."""

LARGEST = sys.float_info.max
"""The largest number that a table may hold: JSON has no infinity."""


class Table(BaseModel):
    """A table: strict, frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class PricesConfig(Table):
    """What tokens cost."""

    input_per_million: float = Field(description="US dollars for a million tokens of prompts", ge=0, lt=1e9)
    output_per_million: float = Field(description="US dollars for a million tokens of responses", ge=0, lt=1e9)


class _Priced(Table):
    """The configured price of responses; otherwise the published price, or unknown."""

    prices: PricesConfig | None = Field(None, description="what its tokens cost")
    free: bool = Field(default=False, description="whether its responses cost nothing")

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        if self.free and self.prices is not None:
            raise ValueError("both 'prices' and 'free' are given: leave one of them out")
        return self


class ModelConfig(_Priced):
    """One chat model, behind any server that speaks the OpenAI chat completions API."""

    base_url: str | None = Field(
        None, description="such as http://127.0.0.1:8091/v1; needed to record, never to replay"
    )
    served_as: str | None = Field(
        None,
        description="its name at the server, if several tables configure one model; default: the table's name",
    )
    concurrency: int | None = Field(
        None,
        description="concurrent requests while recording; default: one",
        ge=1,
        le=1000,
    )
    requests_per_minute: float | None = Field(
        None, description="maximum number of requests per minute, evenly spread; default: no limit", gt=0
    )
    recording: int = Field(
        0,
        description="another number requests every response again, even at temperature 0; this measures the noise of recording",
        ge=0,
    )
    api_key_env: str | None = Field(None, description="name of the environment variable that holds the key")
    parameters: dict[str, Json] = Field(
        default_factory=lambda: {"temperature": 0, "max_tokens": 400},
        description="sampling parameters, sent as they are",
    )
    seed: int | None = Field(
        None,
        description="sent at a temperature above 0, plus 1000 for each sample and 1 for each repeat of a prompt; default: no seed",
    )
    response_format: dict[str, Json] | None = None
    window: int = Field(8192, description="context window, tokens", gt=512)
    provider: str | None = Field(
        None,
        description="whose timeouts hold, and whose published price, where base_url does not determine it; "
        "left out, what stands before the slash in the model's name, and no price",
    )
    timeout_s: float | None = Field(
        None, description="timeout of a response in seconds; default: the provider's, or 600", gt=0
    )
    sampling: Literal["unknown"] | None = Field(
        None,
        description="unknown: the sampling parameters of its responses are not known, so it has no pass@k, "
        "repeatability, latency and cost, and its token counts are estimates",
    )
    asked: str | None = Field(
        None,
        description="how its responses were obtained, if not one prompt at a time; shown with its results",
        max_length=200,
    )


class RepairerConfig(_Priced):
    """The operator's own repairer, a program or a Python function. It runs unsandboxed and only while recording."""

    command: list[str] = Field(
        default_factory=list,
        description="program and arguments; it reads the prompt from standard input and prints the response",
    )
    callable: str | None = Field(
        None,
        description="package.module:function, called with the system and the user message",
        pattern=r"^[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*$",
    )
    window: int = Field(8192, description="maximum number of tokens of a prompt and its response together", gt=512)
    timeout_s: float = Field(600.0, description="timeout of a program in seconds", gt=0)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.command) == (self.callable is not None):
            raise ValueError("give either 'command' or 'callable'")
        return self


class EngineConfig(Table):
    """The operator's own engine: a command that executes a workflow, and may also repair it (docs/engines.md)."""

    command: list[str] = Field(min_length=1, description="program and arguments, run in the working folder")
    timeout_s: float = Field(120.0, description="timeout of one execution in seconds", gt=0)
    memory_mb: int = Field(2048, description="memory limit for it and its child processes", gt=0)
    output_kb: int = Field(8192, description="maximum size of its standard output", gt=0)
    responses: int = Field(
        3,
        description="maximum number of model responses in a trial, for an engine with its own repair loop",
        ge=1,
        le=20,
    )
    network: Literal["held", "open"] = Field(
        "held",
        description="held: it reaches no host but the world, if the machine supports that; open: it has the machine's network",
    )
    traces: str | None = Field(None, description="folder that keeps the files it writes to MENDBENCH_TRACE_DIR")
    leaves_out: list[str] = Field(
        default_factory=list, description="cases or families whose workflows it cannot express"
    )
    version: str | None = Field(None, description="its version, unless it declares it")
    resume: bool | None = Field(None, description="whether it resumes from a checkpoint, unless it declares it")
    repairs: bool | None = Field(None, description="whether it has its own repair loop, unless it declares it")
    judge: Literal["engine", "mendbench", "named"] | None = Field(
        None, description="which side decides between errors and warnings, unless the engine declares it"
    )
    mcp: bool | None = Field(None, description="whether it speaks MCP itself, unless it declares it")
    node_types: list[str] | None = Field(None, description="its node types, unless it declares them")


class MatrixConfig(Table):
    """The components that are crossed with the cases."""

    cases: list[str] = Field(
        default_factory=list,
        description="ids, families or patterns of cases, if the command names none; empty: all",
    )
    engines: list[str] = ["mendbench"]
    strategies: list[str] = Field(["summary"], min_length=1)
    policies: list[str] = Field(["naive"], min_length=1)
    repairers: list[str] = Field(
        default_factory=list, description="repairers; default: chat if a model is configured, otherwise rules"
    )
    models: list[str] = []
    samples: int = Field(1, ge=1)
    part: str = Field("all", description="part of the corpus or of one of its editions; default: all parts")
    bounds: list[str] = Field(
        default_factory=list, description="repairers that run once per case, as lower and upper bounds"
    )

    @model_validator(mode="after")
    def _repairers_by_default(self) -> Self:
        if not self.repairers:
            object.__setattr__(self, "repairers", ["chat"] if self.models else ["rules"])
        return self


class SweepConfig(Table):
    """An additional matrix for a run without flags. Omitted fields are as in ``matrix``."""

    only_with_all: bool = Field(default=False, description="whether it runs only with `mendbench run --all`")
    cases: list[str] = Field(default_factory=list, description="as in matrix; empty: all")
    part: str = Field("all", description="part of the corpus or of one of its editions; default: all parts")
    engines: list[str] | None = None
    strategies: list[str] | None = Field(None, min_length=1)
    policies: list[str] | None = Field(None, min_length=1)
    repairers: list[str] | None = None
    models: list[str] | None = None
    samples: int | None = Field(None, ge=1)
    bounds: list[str] = Field(default_factory=list, description="as in matrix")


class McpServerConfig(Table):
    """One MCP server that workflows can reach when they are run outside the benchmark: a command, or a URL."""

    command: list[str] = Field(default_factory=list, description="program and arguments of a server on standard input")
    env: list[str] = Field(default_factory=list, description="names of the environment variables that it gets")
    url: str | None = Field(None, description="address of a server that speaks streamable HTTP")


class PathsConfig(Table):
    """Folders, relative to the folder of the configuration file."""

    cases: str = "cases"
    cassettes: str = "cassettes"
    strategies: list[str] = []
    private: str = Field(
        ".mendbench/recordings",
        description="recordings of strategies, models, repairers and engines that no matrix here names",
    )
    out: str = "reports/latest"


class GateConfig(Table):
    """When ``mendbench gate`` fails. ``limits`` apply to each treatment that the lists select, and to all if the lists are empty."""

    baseline: str = Field(
        "baseline.tsv",
        description="the baseline, relative to the folder of the configuration file",
        min_length=1,
    )
    new: bool = Field(default=False, description="whether a wrong trial that is not in the baseline fails the gate")
    gone: Literal["fail", "show"] = Field(
        "show", description="effect of a trial that is in the baseline and not in the run"
    )
    worse_outcome: Literal["fail", "show"] = Field(
        "fail",
        description="effect of a wrong trial whose outcome became worse with unchanged responses",
    )
    more_wasted: Literal["fail", "show"] = Field(
        "fail", description="effect of a trial that wastes more attempts with unchanged responses"
    )
    more_attempts: Literal["fail", "show"] = Field(
        "show",
        description="effect of a trial that needs more attempts for the same outcome with unchanged responses",
    )
    fewer_facts: Literal["fail", "show"] = Field(
        "show", description="effect of a trial whose first prompt states fewer facts of the case"
    )
    more_tokens: Literal["fail", "show"] = Field(
        "show", description="effect of a trial whose first prompt has more context tokens than token_tolerance allows"
    )
    token_tolerance: FiniteFloat = Field(0.1, description="tolerated increase of context tokens, as a share", ge=0)
    slower: Literal["fail", "show"] = Field(
        "show",
        description="effect of a trial that takes longer on the virtual clock than time_tolerance allows, with unchanged responses",
    )
    time_tolerance: FiniteFloat = Field(0.1, description="tolerated increase of time, as a share", ge=0)
    changed_recording: Literal["inconclusive", "show", "fail"] = Field(
        "inconclusive",
        description="effect of a trial whose world responds differently to the same request: exit 3, only a line, or exit 1",
    )
    margin: float = Field(
        0.05,
        description="share of what was at stake (cases answered again that are right before or now) that may be lost, net of those won, "
        "before the gate is inconclusive",
        ge=0,
        lt=1,
    )
    alpha: float = Field(
        0.05, description="probability of failing if nothing but the sampled responses changed", gt=0, le=0.5
    )
    part: Literal["all", "train", "test"] = Field(
        "all", description="part of the corpus that limits apply to; all: each part separately"
    )
    engines: list[str] = Field(default_factory=list, description="engines that limits apply to")
    strategies: list[str] = Field(default_factory=list, description="strategies that limits apply to")
    policies: list[str] = Field(default_factory=list, description="policies that limits apply to")
    repairers: list[str] = Field(
        default_factory=list, description="repairers that limits apply to; default: all except the run's bounds"
    )
    models: list[str] = Field(default_factory=list, description="models that limits apply to")
    limits: dict[str, FiniteFloat] = Field(
        default_factory=dict, description="min_ or max_ and the name of a score, such as max_wasted = 1.0"
    )


class ReportConfig(Table):
    """The headline of reports. It is configured here and never chosen by outcome."""

    main_model: str | None = Field(
        None, description="model of the headline, configured or recorded; default: the first model of the matrix"
    )
    control_model: str | None = Field(
        None,
        description="the main model, asked in a way that its figures have to hold in, such as each prompt alone: its first responses lead",
    )
    note: str | None = Field(
        None, description="limitation of conclusions about the main model; shown with its results", max_length=600
    )


class Config(Table):
    """All of ``mendbench.toml``."""

    format: int = FORMAT
    paths: PathsConfig = PathsConfig()
    matrix: MatrixConfig = MatrixConfig()
    sweeps: dict[str, SweepConfig] = {}
    models: dict[str, ModelConfig] = {}
    repairers: dict[str, RepairerConfig] = {}
    engines: dict[str, EngineConfig] = {}
    mcp: dict[str, McpServerConfig] = {}
    gate: GateConfig = GateConfig()
    report: ReportConfig = ReportConfig()
