"""Runs one workflow for real, with or without repair, and writes a trace."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.api_errors.chat_responses import limit_in
from mendbench.config.config_file import Loaded, load_config
from mendbench.config.tables import Config, ModelConfig
from mendbench.detectors import detector
from mendbench.errors import BadInput
from mendbench.live.shell import variables_named
from mendbench.model.execution import Execution
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import Attempt
from mendbench.repair.policies import ATTENDED, UNATTENDED, policy
from mendbench.repairers import Options, repairer
from mendbench.runtime.parse import salvaged
from mendbench.runtime.trace import RunHistory, build_trace
from mendbench.runtime.trace_file import LAST, write_trace
from mendbench.secrets.redaction import Redactor, sanitise
from mendbench.strategies import Budget, strategy
from mendbench.version import __version__
from mendbench.workflow_app.choices import Choose
from mendbench.workflow_app.history import Story
from mendbench.workflow_app.live_environment import SANDBOX, Outside, configured_model, real_outside
from mendbench.workflow_app.observed_engine import WatchedEngine
from mendbench.workflow_app.results import result_document
from mendbench.workflow_app.session import Repairing, RunEvent, RunParts, WorkflowSession

CHAT = "chat"
"""The repairer that needs a model."""


def default_policy(*, auto_repair: bool, attended: bool) -> str:
    """Return the policy of a run for which none is named.

    ``attended``: somebody can say what to do about a warning, so a wrong one costs little. Repairs without anybody use
    :data:`~mendbench.repair.policies.UNATTENDED`.
    """
    return UNATTENDED if auto_repair and not attended else ATTENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options for running a workflow."""

    inputs: Mapping[str, Json] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Secret inputs: name of the input, name of the environment variable with its value."""
    auto_repair: bool = False
    strategy: str = "full-context"
    repairer: str = CHAT
    model: str | None = None
    """None for the first one of the configured matrix."""
    policy: str = ATTENDED
    detector: str | None = None
    """Replaces the policy's detector."""
    request: str | None = None
    """The purpose of the workflow, in the user's words."""
    trace: Path | None = None
    """None for the last trace of the current folder."""
    allow_shell: bool = False
    files: Path | None = None
    """The folder for file nodes; None for ``.mendbench/sandbox`` in the current folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """The result of a run."""

    document: JsonObject
    """The agent error format, sanitised. The command line prints it and the MCP server returns it."""
    execution: Execution
    """The last execution."""
    attempts: tuple[Attempt, ...]
    repaired: JsonObject | None
    """The workflow that ran last, if a repairer or a choice changed it and it did not end in an error."""
    trace: Path
    untraced: BadInput | None = None
    """The error if the trace could not be written; the workflow has still run."""

    @property
    def success(self) -> bool:
        """Whether neither an error nor a warning stopped it."""
        return bool(self.document["success"])


def run_workflow(
    document: JsonObject,
    options: RunOptions,
    *,
    file: str | None = None,
    on_event: Callable[[RunEvent], None] | None = None,
    outside: Outside | None = None,
    choose: Choose | None = None,
) -> WorkflowRun:
    """Run a workflow, repair it if requested, write the trace, and return the result.

    ``outside`` replaces the real world. Once the run has begun, the trace is always written, if possible. ``choose`` is
    called if a warning stops the run, at most :data:`~mendbench.workflow_app.choices.MAX_CHOICES` times.

    Raises:
        BadInput: an option is invalid, or the workflow has shell nodes and none may run. Then nothing was sent.
        Incomplete: the repairer's model gave no response.
    """
    parts = _parts(document, options, file, on_event)
    story = Story(given=document, document=document, inputs=parts.inputs)
    begun = contextlib.nullcontext(outside) if outside is not None else real_outside(
        parts.config, parts.redactor, allow_shell=options.allow_shell, folder=options.files or SANDBOX,
        variables=variables_named(document),
    )  # fmt: skip
    with begun as reach:
        started = reach.clock.now_ms()
        broken: BaseException | None = None
        try:
            WorkflowSession(
                parts=parts,
                story=story,
                reach=reach,
                request=options.request,
                secrets=options.secrets,
                on_event=on_event,
            ).whole(choose)
        except BaseException as error:
            broken = error
            raise
        finally:
            result = _result(parts, story, broken)
            place = Path(options.trace or LAST)
            history = RunHistory(
                version=__version__, started_ms=started, file=file, inputs=parts.inputs, before=story.given,
                after=story.last.document, executions=tuple(story.ran), attempts=tuple(story.attempts),
                traffic=reach.world.traffic(), result=result, choices=tuple(story.choices),
            )  # fmt: skip
            untraced: BadInput | None = None
            try:
                write_trace(build_trace(history, parts.redactor.value), place)
            except BadInput as error:  # raising it would hide the result or the error of the run
                untraced = error
    last = story.last
    changed = story.edited and last.execution.outcome != "error"
    return WorkflowRun(
        document=result,
        execution=last.execution,
        attempts=tuple(story.attempts),
        repaired=last.document if changed else None,
        trace=place,
        untraced=untraced,
    )


def _parts(
    document: JsonObject, options: RunOptions, file: str | None, on_event: Callable[[RunEvent], None] | None
) -> RunParts:
    """Build everything, so that a wrong name is reported before anything is sent."""
    if not options.allow_shell:
        _refuse_shell(document, file or "workflow")
    secrets = _secrets(options)
    loaded = load_config()
    redactor, rules = Redactor(secrets), policy(options.policy)
    judge = options.detector or rules.detector
    return RunParts(
        engine=WatchedEngine(redactor, on_event),
        inputs={**options.inputs, **secrets},
        redactor=redactor,
        rules=rules,
        detector=detector(judge) if judge else None,
        config=loaded.config,
        repairing=_repairing(loaded, options) if options.auto_repair else None,
    )


def _secrets(options: RunOptions) -> dict[str, str]:
    """Return the secrets by the names of their inputs."""
    found: dict[str, str] = {}
    for name, variable in options.secrets.items():
        value = os.environ.get(variable)
        if not value:
            unset = f"the environment variable {variable!r} of the input {name!r} is not set"
            raise BadInput("--secret", unset, "set it, or name another variable")
        if name in options.inputs:
            raise BadInput("--secret", f"{name!r} is given with --input too", "give it once")
        found[name] = value
    return found


def _refuse_shell(document: JsonObject, file: str) -> None:
    found = next((node.id for node in salvaged(document).nodes if node.type == "shell"), None)
    if found is not None:
        raise BadInput(f"{file}: node {found!r}", "a shell command, and none may run", "allow it with --allow-shell")


def _repairing(loaded: Loaded, options: RunOptions) -> Repairing:
    config = loaded.config
    chosen = strategy(options.strategy, loaded.strategy_dirs)
    name = None
    if options.repairer == CHAT:
        name = options.model or _model_with_server(config)
    used = configured_model(config.models, name) if name else ModelConfig()
    limit = limit_in(used.parameters)
    tokens = limit[1] if limit else None
    made = Options(model=name, params=used.parameters, response_format=used.response_format)
    budget = Budget(window=used.window, response=tokens if isinstance(tokens, int) else Budget().response)
    return chosen, repairer(options.repairer, made), budget


def _model_with_server(config: Config) -> str | None:
    """Return the first model with a server, preferably one of the matrix; if there is none, the first of the matrix."""
    names = (*config.matrix.models, *config.models)
    return next((name for name in names if config.models[name].base_url is not None), next(iter(names), None))


def _result(parts: RunParts, story: Story, broken: BaseException | None) -> JsonObject:
    last = story.last
    described = parts.engine.describe(last.document, last.execution)
    result = result_document(
        described, last.execution, attempts=tuple(story.attempts), changed=story.repaired, stop=story.stop, broken=broken,
        choices=tuple(story.choices),
    )  # fmt: skip
    clean: JsonObject = sanitise(parts.redactor.value(result))
    return clean
