"""The tables of the configuration file, as pydantic reads them."""

from __future__ import annotations

import sys
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from mendbench.corpus.split import Part
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
        description="name by which its server knows it, where one model stands in several tables; left out, the table's own",
    )
    concurrency: int | None = Field(
        None,
        description="asks that may be under way at once while recording; left out, one after the other",
        ge=1,
        le=1000,
    )
    requests_per_minute: float | None = Field(
        None, description="asks that its server is sent in a minute at most, evenly spread; left out, no limit", gt=0
    )
    recording: int = Field(
        0,
        description="another number asks every prompt anew even at temperature 0, which measures the noise of recording",
        ge=0,
    )
    api_key_env: str | None = Field(None, description="name of the environment variable that holds the key")
    parameters: dict[str, Json] = Field(
        default_factory=lambda: {"temperature": 0, "max_tokens": 400},
        description="sampling parameters, sent as they are",
    )
    seed: int | None = Field(
        None,
        description="sent at a temperature above 0, plus 1000 for each sample and 1 for each repeat of a prompt; left out, no seed is sent",
    )
    response_format: dict[str, Json] | None = None
    window: int = Field(8192, description="context window, tokens", gt=512)
    provider: str | None = Field(
        None,
        description="whose timeouts hold, and whose published price, where base_url does not determine it; "
        "left out, what stands before the slash in the model's name, and no price",
    )
    timeout_s: float | None = Field(
        None, description="how long to wait for a response, seconds; left out, the provider's, or 600 without one", gt=0
    )
    sampling: Literal["unknown"] | None = Field(
        None,
        description="unknown: the parameters that its responses were sampled with are not known, so it has no pass@k, "
        "repeatability, latency and cost, and its token counts are estimates",
    )
    asked: str | None = Field(
        None, description="how it was asked, where not one prompt at a time: shown with its results", max_length=200
    )


class RepairerConfig(_Priced):
    """The operator's own repairer, a program or a Python function. It runs unsandboxed and only while recording."""

    command: list[str] = Field(
        default_factory=list, description="program and arguments: prompt on standard input, answer on standard output"
    )
    callable: str | None = Field(
        None,
        description="package.module:function, called with the system and the user message",
        pattern=r"^[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*$",
    )
    window: int = Field(8192, description="tokens that a prompt and its response may have together", gt=512)
    timeout_s: float = Field(600.0, description="how long to wait for a program's answer, seconds", gt=0)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.command) == (self.callable is not None):
            raise ValueError("give either 'command' or 'callable'")
        return self


class EngineConfig(Table):
    """The operator's own engine: a command that executes a workflow, and may also repair it (docs/engines.md)."""

    command: list[str] = Field(min_length=1, description="program and arguments, run in the working folder")
    timeout_s: float = Field(120.0, description="how long one execution may take, seconds", gt=0)
    memory_mb: int = Field(2048, description="how much memory it may take, with all that it starts", gt=0)
    output_kb: int = Field(8192, description="how much it may print on standard output", gt=0)
    responses: int = Field(
        3, description="how many responses of the model one that repairs by itself gets in a trial", ge=1, le=20
    )
    network: Literal["held", "open"] = Field(
        "held",
        description="held: it reaches the world and no other host, where the machine can hold it; open: it has the machine's network",
    )
    traces: str | None = Field(None, description="folder in which what it writes to MENDBENCH_TRACE_DIR is kept")
    leaves_out: list[str] = Field(
        default_factory=list, description="cases or families whose workflows it cannot express"
    )
    version: str | None = Field(None, description="its version, where it does not say so itself")
    resume: bool | None = Field(
        None, description="whether it goes on from a checkpoint, where it does not say so itself"
    )
    repairs: bool | None = Field(None, description="whether it repairs by itself, where it does not say so itself")
    judge: Literal["engine", "mendbench", "named"] | None = Field(
        None, description="which side decides between errors and warnings, unless the engine declares it"
    )
    mcp: bool | None = Field(None, description="whether it speaks MCP itself, where it does not say so itself")
    node_types: list[str] | None = Field(
        None, description="types of nodes that it has, where it does not say so itself"
    )


class MatrixConfig(Table):
    """The components that are crossed with the cases."""

    cases: list[str] = Field(
        default_factory=list,
        description="ids, families or patterns of the cases to run where none is named; empty for all",
    )
    engines: list[str] = ["mendbench"]
    strategies: list[str] = Field(["summary"], min_length=1)
    policies: list[str] = Field(["naive"], min_length=1)
    repairers: list[str] = Field(
        default_factory=list, description="what responds; by default chat if there are models, else the rule book"
    )
    models: list[str] = []
    samples: int = Field(1, ge=1)
    part: Part = Field("all", description="part of the corpus's split that it is confined to")
    controls: list[str] = Field(default_factory=list, description="repairers run once a case, as floor and ceiling")

    @model_validator(mode="after")
    def _repairers_by_default(self) -> Self:
        if not self.repairers:
            object.__setattr__(self, "repairers", ["chat"] if self.models else ["rules"])
        return self


class SweepConfig(Table):
    """An additional matrix for a run without flags. Omitted fields are as in ``matrix``."""

    only_with_all: bool = Field(default=False, description="whether it runs only with `mendbench run --all`")
    cases: list[str] = Field(default_factory=list, description="as in matrix; empty for all")
    part: Part = Field("all", description="part of the corpus's split that it is confined to")
    engines: list[str] | None = None
    strategies: list[str] | None = Field(None, min_length=1)
    policies: list[str] | None = Field(None, min_length=1)
    repairers: list[str] | None = None
    models: list[str] | None = None
    samples: int | None = Field(None, ge=1)
    controls: list[str] = Field(default_factory=list, description="as in matrix")


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
        description="the file that runs are held against, relative to the folder of the configuration file",
        min_length=1,
    )
    new: bool = Field(default=False, description="whether a wrong trial fails that the baseline does not have")
    gone: Literal["fail", "show"] = Field(
        "show", description="what a trial of the baseline does that the run does not have"
    )
    worse_outcome: Literal["fail", "show"] = Field(
        "fail",
        description="what a trial does that was wrong and is wrong in a graver way, with the responses that it had",
    )
    more_wasted: Literal["fail", "show"] = Field(
        "fail", description="what a trial does that wastes more attempts, with the responses that it had"
    )
    more_attempts: Literal["fail", "show"] = Field(
        "show",
        description="whether a trial fails that takes more attempts to the same outcome, with the responses that it had",
    )
    fewer_facts: Literal["fail", "show"] = Field(
        "show", description="what a trial does whose first prompt states fewer facts of the case"
    )
    more_tokens: Literal["fail", "show"] = Field(
        "show", description="what a trial does whose first prompt has more context tokens than token_tolerance allows"
    )
    token_tolerance: FiniteFloat = Field(0.1, description="share of the context tokens before that may be added", ge=0)
    slower: Literal["fail", "show"] = Field(
        "show",
        description="what a trial does that takes longer on the virtual clock than time_tolerance allows, with the responses that it had",
    )
    time_tolerance: FiniteFloat = Field(0.1, description="share of the time before that may be added", ge=0)
    changed_recording: Literal["inconclusive", "show", "fail"] = Field(
        "inconclusive",
        description="what a trial does whose world responds to the same request otherwise than before: exit 3, only a line, or exit 1",
    )
    margin: float = Field(
        0.05,
        description="share of what was at stake (cases answered again that are right before or now) that may be lost, net of those won, "
        "before the gate is inconclusive",
        ge=0,
        lt=1,
    )
    alpha: float = Field(
        0.05, description="chance of failing where nothing changed but the responses drawn", gt=0, le=0.5
    )
    part: Literal["all", "train", "test"] = Field(
        "all", description="part of the corpus's split that limits hold for; all: each on its own"
    )
    engines: list[str] = Field(default_factory=list, description="engines that limits hold for")
    strategies: list[str] = Field(default_factory=list, description="strategies that limits hold for")
    policies: list[str] = Field(default_factory=list, description="policies that limits hold for")
    repairers: list[str] = Field(
        default_factory=list, description="repairers that limits hold for; left out, all but the run's controls"
    )
    models: list[str] = Field(default_factory=list, description="models that limits hold for")
    limits: dict[str, FiniteFloat] = Field(
        default_factory=dict, description="min_ or max_ and the name of a score, such as max_wasted = 1.0"
    )


class ReportConfig(Table):
    """The headline of reports. It is configured here and never chosen by outcome."""

    main_model: str | None = Field(
        None, description="model of the headline, configured or recorded; left out, the first model of the matrix"
    )
    control_model: str | None = Field(
        None,
        description="the main model, asked in a way that its figures have to hold in, such as each prompt alone: its first responses lead",
    )
    note: str | None = Field(
        None, description="what limits conclusions about the main model: shown beside its results", max_length=600
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
