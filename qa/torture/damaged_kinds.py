"""The kinds of file that are read, a right one of each, and the public way by which each is read."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mendbench import api, workflow_app
from mendbench.api.plans import plan_of
from mendbench.api.settings import open_context
from mendbench.cassettes.recordings import Recordings
from mendbench.cli import trace_text
from mendbench.cli.main import _code
from mendbench.config.config_file import load_config
from mendbench.corpus.credentials import in_file
from mendbench.corpus.protocol import read_protocols
from mendbench.corpus.split import read_split
from mendbench.engines.document import NoDocument, document_in, execution_of, without_moments
from mendbench.importing.scaffold import Draft, write_draft
from mendbench.report.html import render_html
from mendbench.results.store import open_run
from mendbench.runtime import trace_views
from mendbench.runtime.parse import parse_workflow
from mendbench.runtime.trace_file import read_trace
from qa.torture.damaged_inputs import HEAD, TAIL
from tests.fakes import cases, prompts, whole_runs
from tests.fakes.commands import split_corpus_line

RUN = Path("reports/latest")
RECORDED = Path("cassettes") / cases.RENAMED
CASE = Path("cases") / cases.RENAMED
NEW = "http/imported"
OPTIONS = api.RunOptions(workers=1)
WIDE = api.RunOptions(
    names=(cases.RENAMED,),
    strategies=("full-context",),
    policies=("naive",),
    repairers=("chat",),
    workers=1,
    out=Path("reports/again"),
)

UNKNOWN = ("policy", "engine", "matrix", "--model", "/cases")
"""Where names stand that a configuration has and nothing knows: a flag may have given them as well, so that neither is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file."""

    name: str
    file: Path
    """In the desk."""
    format: str
    read: Callable[[], Iterable[object]]
    """Reads it in the desk, which is the working folder, and returns the errors that are data."""
    places: tuple[str, ...] = ()
    """What else an error may be placed by: a file that what is wrong with this one shows in."""
    often: int = 1
    """It is dear: one in so many inputs is tried."""
    draft: bool = False
    """It is not meant to be taken as it is, but reported."""


def build(root: Path) -> None:
    """Make a small desk that holds a right file of each kind."""
    cases.build(root)
    with contextlib.chdir(root):
        (root / "cases/split.yaml").write_text(
            "format: 1\ntrain: [desk-quiet]\ntest: [desk-renamed-field, desk-closed-ledger]\nhalf: [desk-quiet]\n",
            "utf-8",
        )
        side = "{strategy: none, policy: naive}"
        (root / "cases/protocol.yaml").write_text(
            f"format: 1\nmodel: {cases.MODEL}\npart: test\ncontrasts:\n- {{name: c, measure: repair_success, treatment: {side}, against: {side}}}\n"
            "frozen: {frame: abc, strategies: {none: abc}}\n", "utf-8"
        )  # fmt: skip
        write_draft(Draft(family="http", name="new-one"), root / "drafts")
        (root / "flow.json").write_text(json.dumps(cases.workflow(cases.RIGHT_TEXT)), "utf-8")
        (root / "mine.md.j2").write_text(
            f"{HEAD}{{% for one in failures %}}{{{{ one.message|fenced }}}}{{% endfor %}}\n{TAIL}\n", "utf-8"
        )
        api.run(api.RunOptions(names=(cases.RENAMED, cases.CLOSED), policies=("naive",), workers=1))
        api.accept_run(RUN, baseline="baseline.tsv")
        for number in (1, 2):
            api.run(api.RunOptions(policies=("naive",), workers=1, out=Path(f"shard{number}"), shard=_shard(number)))
        plan = {"keys": [], "digests": {}, "treatments": {}}
        shutil.copytree(RUN, "reports/.open.partial")
        (root / "reports/.open.partial/plan.json").write_text(json.dumps(plan), "utf-8")
        responses = {f"GET {cases.HOST}/people/p-1": (200, {"name": "Runa"})}
        ended, *_ = whole_runs.run(
            cases.workflow("Hello ${person.response.nick}!"), responses, inputs=dict(cases.INPUTS), auto_repair=False
        )
        assert ended.trace is not None
        shutil.copy(ended.trace, "trace.json")
        _write_sources(root)


def _shard(number: int) -> object:
    from mendbench.runs.shards import Shard  # noqa: PLC0415

    return Shard(number=number, of=2)


def _write_sources(root: Path) -> None:
    """Write a file of each kind that a case or answers can be imported from."""
    sent = {"method": "GET", "url": f"{cases.HOST}/people/p-1", "headers": [{"name": "Accept", "value": "*/*"}]}
    content = {"size": 2, "mimeType": "application/json", "text": '{"called": "Runa"}'}
    came = {"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}], "content": content}
    (root / "a.har").write_text(
        json.dumps({"log": {"version": "1.2", "entries": [{"time": 12.6, "request": sent, "response": came}]}}), "utf-8"
    )
    interaction = {"request": {"method": "GET", "uri": f"{cases.HOST}/people/p-1", "headers": {"Accept": ["*/*"]}, "body": None},
            "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["application/json"]}, "body": {"string": '{"called": "Runa"}'}}}  # fmt: skip
    (root / "vcr.json").write_text(json.dumps({"version": 1, "interactions": [interaction]}), "utf-8")
    import yaml  # noqa: PLC0415

    (root / "vcr.yaml").write_text(yaml.safe_dump({"version": 1, "interactions": [interaction]}), "utf-8")
    output = {
        "response": {"called": "Runa"},
        "status_code": 200,
        "response_headers": {"content-type": "application/json"},
        "response_time": 0.8,
    }
    event = {
        "node_id": "person",
        "node_type": "HttpNode",
        "duration_ms": 812.4,
        "success": True,
        "shared_before": dict(cases.INPUTS),
        "shared_after": {"person": output},
    }
    (root / "engine.json").write_text(json.dumps({"format_version": "1.2.0", "nodes": [event]}), "utf-8")
    lines = [
        {"kind": "meta", "format_version": "2.8.0", "inputs": dict(cases.INPUTS)},
        {"kind": "blob", "md5": "ab12", "value": "Runa"},
        {"kind": "event", "id": 0, "seq": 0, "parent_id": None, "node_id": "person", "node_type": "HttpNode", "duration_ms": 1.5, "status": "success", "node_output": {**output, "response": {"called": {"$a_blob": "ab12"}}}},
    ]  # fmt: skip
    (root / "events.json").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    shutil.move(RECORDED / f"{cases.MODEL}.yaml", "answers.yaml")
    (root / "prompts.jsonl").write_text(
        "".join(f"{line.rstrip()}\n" for line in api.export_prompts(WIDE, api.in_silence).lines), "utf-8"
    )
    shutil.move("answers.yaml", RECORDED / f"{cases.MODEL}.yaml")
    said = prompts.replies(root / "prompts.jsonl")
    for shape in ("openai", "anthropic", "plain", "csv"):
        with contextlib.suppress(KeyError):
            (root / f"answers-{shape}").write_text(prompts.in_shape(shape, said), "utf-8")
    own = {"success": False, "status": "failed", "errors": [{"node_id": "note", "category": "template_error", "message": "m", "fixable": True}],
           "warnings": [{"node_id": "person", "message": "w"}], "execution": {"steps": [{"node_id": "person", "status": "completed", "duration_ms": 3}]}, "outputs": {},
           "checkpoint": {"completed_nodes": ["person"], "node_actions": {"person": "default"}, "failed_node": "note"},
           "mendbench": {"nodes": {"person": {"state": "success", "outputs": {"a": 1}, "tries": 1}}, "failures": [], "completed": ["person"], "resume": {"a": 1}, "duration_ms": 4}}  # fmt: skip
    (root / "engine.out").write_text(json.dumps(own), "utf-8")


_COUNTS: Counter[str] = Counter()
SHARE = 25
"""One input in so many goes through the command line too."""
SOMETIMES = 4
"""And one in so many through what is dear."""


def every(times: int, purpose: str) -> bool:
    """Return whether it is the turn of a purpose: the first time, and then each so many times, whatever else is counted."""
    _COUNTS[purpose] += 1
    return (_COUNTS[purpose] - 1) % times == 0


def command(*words: str) -> list[object]:
    """Run the command in this process and return what it said wrong, one in :data:`SHARE` times of each command."""
    if not every(SHARE, " ".join(words)):
        return []
    out, err, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["mendbench", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = _code()
    finally:
        sys.argv = argv
    _, printed = split_corpus_line(err.getvalue())
    lines = printed.count("\n")
    if code == 4 or "Traceback" in printed or (code == 2 and lines != 1):
        raise AssertionError(f"{' '.join(words)} ended with {code} and said: {printed[-400:]!r}")
    return []


def _world() -> list[object]:
    Recordings.open(RECORDED).world_entries()
    if every(SOMETIMES, "render"):
        api.render_strategy("full-context", cases.RENAMED, None, None)
    return command("case", "check", cases.RENAMED, "--workers", "1")


def _model() -> list[object]:
    Recordings.open(RECORDED).model_entries(cases.MODEL)
    return command(
        "run",
        cases.RENAMED,
        "--strategy",
        "full-context",
        "--policy",
        "naive",
        "--workers",
        "1",
        "--out",
        "reports/again",
    )


def _cases() -> list[object]:
    found = api.list_cases((), None, None)
    with contextlib.suppress(api_error()):
        api.show_case(cases.RENAMED, None, None)
    return [*found.broken, *command("case", "check", cases.RENAMED, "--workers", "1")]


def api_error() -> type[Exception]:
    from mendbench.errors import MendbenchError  # noqa: PLC0415

    return MendbenchError


def _checked_case() -> list[object]:
    return [
        line
        for one in api.check_cases((cases.RENAMED,), None, None, workers=1, on_progress=api.in_silence).cases
        for line in getattr(one, "problems", ())
    ]


def _workflow() -> list[object]:
    document = workflow_app.read_workflow(Path("flow.json"))
    workflow_app.inspect_workflow(document)
    workflow_app.check_workflow(document, None)
    return [*command("workflow", "validate", "flow.json"), *command("workflow", "inspect", "flow.json")]


def _strategy() -> list[object]:
    api.show_strategy("./mine.md.j2")
    api.render_strategy("./mine.md.j2", cases.RENAMED, None, None)
    return command("strategy", "render", "./mine.md.j2", cases.RENAMED)


def _baseline() -> list[object]:
    api.gate(RUN, baseline="baseline.tsv")
    return command("gate", str(RUN), "--baseline", "baseline.tsv")


def _run() -> list[object]:
    stored = api.read_run(RUN)
    api.score(stored)
    api.forensics(stored)
    for purpose, use in _OF_A_RUN.items():
        if every(SHARE, purpose):
            use(stored)
    return [
        *command("report", str(RUN), "--all"),
        *command("report", str(RUN), "--junit", "j.xml", "--markdown", "m.md"),
    ]


def _rescored() -> None:
    shutil.copytree(RUN, "reports/rescored", dirs_exist_ok=True)
    api.rescore(Path("reports/rescored"))


_OF_A_RUN: dict[str, Callable[[api.StoredRun], object]] = {
    "html": render_html,
    "compare": lambda _stored: api.compare(RUN, RUN),
    "gate": lambda stored: api.gate(stored, baseline="baseline.tsv"),
    "rescore": lambda _stored: _rescored(),
}
"""What else is made of a run."""


def _settings() -> list[object]:
    loaded = load_config(Path.cwd())
    plan_of(loaded.config, OPTIONS, open_context(loaded, OPTIONS).corpus)
    return command("strategy", "list")


def _importing(**source: Path) -> Callable[[], list[object]]:
    def read() -> list[object]:
        for folder in ("made/cases", "made/cassettes"):
            shutil.rmtree(folder, ignore_errors=True)
        document = json.loads(Path("flow.json").read_text("utf-8"))
        api.import_case(
            NEW, Path("made/cases"), Path("made/cassettes"), workflow=document, inputs={"person_id": "p-1"}, **source
        )
        return []

    return read


def _responses(name: str) -> Callable[[], list[object]]:
    def read() -> list[object]:
        api.import_responses(Path(name), Path("prompts.jsonl"), WIDE, api.in_silence, dry_run=True)
        return []

    return read


_VIEWS = (
    (trace_views.error_of_node, trace_text.error),
    (lambda trace, node: trace_views.node_view(trace, node, full=True), trace_text.fields),
    (lambda trace, node: trace_views.node_view(trace, node, full=False), trace_text.fields),
    (trace_views.validation_diff, trace_text.difference),
    (lambda trace, node: trace_views.node_io(trace, node, request=True, response=True), trace_text.node_io),
    (lambda trace, _node: trace_views.errors_of_node(trace, None), trace_text.all_errors),
)
"""What can be asked of a trace, and how it is said."""


def _trace() -> list[object]:
    trace = read_trace(Path("trace.json"))
    trace_text.errors(trace_views.errors_list(trace))
    for node in trace_views.node_ids(trace):
        for view, words in _VIEWS:
            with contextlib.suppress(api_error()):
                words(view(trace, node))
    return [
        *command("errors", "list", "--trace", "trace.json"),
        *command("node", "inspect", "note", "--full", "--trace", "trace.json"),
        *command("debug", "node-io", "--node", "note", "--trace", "trace.json"),
    ]


def _engine() -> list[object]:
    workflow, _ = parse_workflow(json.loads(Path("flow.json").read_text("utf-8")))
    assert workflow is not None
    try:
        document = without_moments(document_in(Path("engine.out").read_bytes().decode("utf-8", "replace")))
        execution_of(document, workflow)
    except NoDocument as error:
        assert len(str(error)) < 600, error
    return []


def _resumed() -> list[object]:
    with open_run(Path("reports/open"), {"keys": [], "digests": {}, "treatments": {}}, resume=True) as folder:
        folder.done()
    return []


def _merged() -> list[object]:
    shutil.rmtree("reports/merged", ignore_errors=True)
    api.merge([Path("shard1"), Path("shard2")], Path("reports/merged"))
    return []


def _reported_protocol() -> list[object]:
    read_protocols(Path("cases"))
    return []


def _secrets(name: str) -> Callable[[], list[object]]:
    def read() -> list[object]:
        return [*in_file(Path(name)), *command("case", "secrets", name)]

    return read


def _reported_split() -> list[object]:
    read_split(Path("cases"))
    return command("case", "list")


KINDS: tuple[Kind, ...] = (
    Kind(name="cassettes of a world", file=RECORDED / "world.yaml", format="yaml", read=_world),
    Kind(name="cassettes of a model", file=RECORDED / f"{cases.MODEL}.yaml", format="yaml", read=_model),
    Kind(name="cases", file=CASE / "case.yaml", format="yaml", read=_cases),
    Kind(name="cases, proved", file=CASE / "case.yaml", format="yaml", read=_checked_case, often=10),
    Kind(name="workflows of cases", file=CASE / "workflow.json", format="json", read=_cases, places=("case.yaml",)),
    Kind(name="workflows of cases, proved", file=CASE / "workflow.json", format="json", read=_checked_case, places=("case.yaml",), often=10),
    Kind(name="new cases with labels", file=Path("drafts/http/new-one/case.yaml"), format="yaml", read=lambda: api.list_cases((), Path("drafts"), None).broken, places=("workflow.json",), draft=True),
    Kind(name="splits", file=Path("cases/split.yaml"), format="yaml", read=_reported_split),
    Kind(name="protocols", file=Path("cases/protocol.yaml"), format="yaml", read=_reported_protocol),
    Kind(name="workflows", file=Path("flow.json"), format="json", read=_workflow),
    Kind(name="strategies", file=Path("mine.md.j2"), format="template", read=_strategy),
    Kind(name="baselines", file=Path("baseline.tsv"), format="tsv", read=_baseline),
    Kind(name="runs: trials.jsonl", file=RUN / "trials.jsonl", format="jsonl", read=_run),
    Kind(name="runs: texts.jsonl", file=RUN / "texts.jsonl", format="jsonl", read=_run),
    Kind(name="runs: run.json", file=RUN / "run.json", format="json", read=_run),
    Kind(name="shards to merge: run.json", file=Path("shard1/run.json"), format="json", read=_merged),
    Kind(name="shards to merge: trials.jsonl", file=Path("shard2/trials.jsonl"), format="jsonl", read=_merged),
    Kind(name="unfinished runs: trials.jsonl", file=Path("reports/.open.partial/trials.jsonl"), format="jsonl", read=_resumed),
    Kind(name="unfinished runs: texts.jsonl", file=Path("reports/.open.partial/texts.jsonl"), format="jsonl", read=_resumed),
    Kind(name="unfinished runs: plan.json", file=Path("reports/.open.partial/plan.json"), format="json", read=_resumed, places=("reports/.open.partial",)),
    Kind(name="configurations", file=Path("mendbench.toml"), format="toml", read=_settings, places=UNKNOWN),
    Kind(name="imported HAR files", file=Path("a.har"), format="json", read=_importing(har=Path("a.har"))),
    Kind(name="imported cassettes, YAML", file=Path("vcr.yaml"), format="yaml", read=_importing(cassette=Path("vcr.yaml"))),
    Kind(name="imported cassettes, JSON", file=Path("vcr.json"), format="json", read=_importing(cassette=Path("vcr.json"))),
    Kind(name="imported traces", file=Path("trace.json"), format="json", read=_importing(trace=Path("trace.json"))),
    Kind(name="imported engine traces", file=Path("engine.json"), format="json", read=_importing(trace=Path("engine.json"))),
    Kind(name="imported engine events", file=Path("events.json"), format="jsonl", read=_importing(trace=Path("events.json"))),
    Kind(name="answers: OpenAI batch", file=Path("answers-openai"), format="jsonl", read=_responses("answers-openai")),
    Kind(name="answers: Anthropic batch", file=Path("answers-anthropic"), format="jsonl", read=_responses("answers-anthropic")),
    Kind(name="answers: plain", file=Path("answers-plain"), format="jsonl", read=_responses("answers-plain")),
    Kind(name="answers: CSV", file=Path("answers-csv"), format="csv", read=_responses("answers-csv")),
    Kind(name="exported prompts", file=Path("prompts.jsonl"), format="jsonl", read=_responses("answers-openai")),
    Kind(name="traces", file=Path("trace.json"), format="json", read=_trace),
    Kind(name="searched for secrets, YAML", file=Path("vcr.yaml"), format="yaml", read=_secrets("vcr.yaml")),
    Kind(name="searched for secrets, JSON", file=Path("engine.json"), format="json", read=_secrets("engine.json")),
    Kind(name="searched for secrets, lines", file=Path("events.json"), format="jsonl", read=_secrets("events.json")),
    Kind(name="output of engines", file=Path("engine.out"), format="json", read=_engine),
)  # fmt: skip
