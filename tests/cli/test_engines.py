"""Engines that are not ours, at the command line: in a run, in its report, in a comparison, in the gate, and checked."""

import json
import shlex
import sys

import pytest

from mendbench.io.canonical_json import canonical_json
from tests.fakes.at_home import at_home  # noqa: F401  a fixture
from tests.fakes.cases import CLOSED, QUIET, RENAMED
from tests.fakes.engines import PLAIN

PLAIN_WORDS = [sys.executable, "-S", "-E", str(PLAIN)]
RUN = ("--repairer", "reference", "--strategy", "none", "--policy", "two-layer", "--workers", "1")


def configure(corpus, **engines):
    """Add engines to the configuration, each with its settings beside its command."""
    lines = ["format = 1", "[matrix]", 'strategies = ["none"]', 'policies = ["two-layer"]', 'repairers = ["reference"]']
    for name, own in engines.items():
        document = {"command": PLAIN_WORDS, "timeout_s": 20.0, **own}
        lines += [f"[engines.{name}]", *(f"{field} = {json.dumps(value)}" for field, value in document.items())]
    (corpus / "mendbench.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def rows(folder):
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text("utf-8").splitlines()]


def test_two_engines_stand_side_by_side_and_the_run_names_their_versions(corpus, mendbench):
    configure(corpus, plain={})
    result = mendbench("run", *RUN, "--engine", "mendbench", "--engine", "plain", "--out", "out")
    assert result.code == 0, result.err
    verdicts = {(row["engine"], row["case"]): (row["verdict"], row["outcome"]) for row in rows(corpus / "out")}
    assert {engine for engine, _ in verdicts} == {"mendbench", "plain"}
    for case in (RENAMED, CLOSED, QUIET):
        assert verdicts["plain", case] == verdicts["mendbench", case]
    run = json.loads((corpus / "out" / "run.json").read_text("utf-8"))
    assert {name: own["version"] for name, own in run["engines"].items()} == {"mendbench": "0.1.0", "plain": "1.5"}
    assert "reference in plain" in result.out
    page = (corpus / "out" / "index.html").read_text("utf-8")
    assert " Engines: mendbench 0.1.0 and plain 1.5." in page
    assert "127.0.0.1" not in (corpus / "out" / "trials.jsonl").read_text("utf-8")


@pytest.mark.usefixtures("at_home")
def test_two_replays_are_the_same_bytes_but_for_their_timing(corpus, mendbench):
    configure(corpus, plain={})
    for out in ("one", "two"):
        assert mendbench("run", RENAMED, *RUN, "--engine", "plain", "--out", out).code == 0
    assert "cannot express" not in (corpus / "one" / "index.html").read_text("utf-8").split("<script")[0]
    first, second = ([canonical_json({**row, "timing": None}) for row in rows(corpus / out)] for out in ("one", "two"))
    assert first == second


@pytest.mark.usefixtures("at_home")
def test_engines_are_compared_and_gated_like_any_treatment(corpus, mendbench):
    configure(corpus, plain={}, swallowing={"command": [*PLAIN_WORDS, "swallows"]})
    words = [word for name in ("plain", "swallowing") for word in ("--engine", name)]
    assert mendbench("run", QUIET, CLOSED, *RUN, *words, "--out", "out").code == 0
    compared = mendbench("compare", "out:engine=plain", "out:engine=swallowing", "--part", "none", "--format", "json")
    assert compared.code == 0, compared.err
    assert "swallowing" in compared.out
    assert mendbench("gate", "out", "--baseline", "b.tsv", "--update").code == 0
    assert mendbench("gate", "out", "--baseline", "b.tsv").code == 0
    assert "swallowing" in (corpus / "b.tsv").read_text("utf-8")


@pytest.mark.usefixtures("at_home")
def test_another_version_of_an_engine_is_named_where_two_runs_are_compared(corpus, mendbench):
    for out, version in (("a", "1.5"), ("b", "1.6")):
        configure(corpus, plain={"version": version})
        assert mendbench("run", QUIET, *RUN, "--engine", "plain", "--out", out).code == 0
    result = mendbench("compare", "a", "b", "--part", "none")
    assert "the engine plain is 1.5 in A and 1.6 in B" in result.out + result.err


@pytest.mark.usefixtures("at_home")
def test_a_case_that_an_engine_cannot_express_is_listed_and_in_no_denominator(corpus, mendbench):
    configure(corpus, plain={"leaves_out": [CLOSED]})
    result = mendbench("run", CLOSED, QUIET, *RUN, "--engine", "plain", "--out", "out")
    assert CLOSED not in {row["case"] for row in rows(corpus / "out")}
    left = json.loads((corpus / "out" / "run.json").read_text("utf-8"))["left_out"]
    assert left == [{"engine": "plain", "case": CLOSED, "why": "its configuration leaves it out"}]
    assert "plain cannot express 1 case." in (corpus / "out" / "index.html").read_text("utf-8")
    assert f"left out: plain cannot express 1 case: {CLOSED}" in result.err


def test_an_engine_that_can_express_no_case_is_bad_input(corpus, mendbench):
    configure(corpus, plain={"node_types": ["smtp"]})
    result = mendbench("run", *RUN, "--engine", "plain", "--out", "out")
    assert result.code == 2
    assert "which this engine does not have. It has: smtp" in result.line


@pytest.mark.parametrize("words", [("run", *RUN, "--out", "out", "--engine"), ("engine", "check")])
def test_a_program_that_is_not_there_is_refused_before_anything_runs(corpus, mendbench, words):
    result = mendbench(*words, "cmd: no-such-program --fast")
    assert result.code == 2
    assert result.line.endswith(
        "engine cmd: no-such-program --fast: its program cannot be run (no-such-program: No such file or directory); "
        "name a program that is there and can be executed"
    )
    assert not (corpus / "out").exists()


def test_a_program_that_cannot_be_executed_is_refused_too(corpus, mendbench):
    (corpus / "adapter.py").write_text("print('{}')")
    result = mendbench("engine", "check", "cmd: ./adapter.py")
    assert (result.code, "(./adapter.py: Permission denied)" in result.line) == (2, True)


def test_a_program_that_dies_crashes_each_of_its_trials_and_the_run_goes_on_and_is_incomplete(corpus, mendbench):
    engine = f"cmd: {shlex.join([*PLAIN_WORDS, 'dies'])}"
    result = mendbench("run", *RUN, "--engine", engine, "--engine", "mendbench", "--out", "out")
    assert result.code == 3
    crashed = [row for row in rows(corpus / "out") if row["verdict"] == "crashed"]
    assert {row["engine"] for row in crashed} == {engine}
    assert len(crashed) == len(rows(corpus / "out")) / 2
    assert result.line.startswith(
        f"crashed: 3 of 3 trials of engine {engine}, so it was not measured; first {QUIET}: EngineFailed: "
    )
    assert "printed no JSON object on standard output; it said last: the flux is inverted" in result.line
    assert result.line.endswith(f"see why with: mendbench engine check {shlex.quote(engine)}")
    assert mendbench("report", "out", "--format", "json").code == 3


def test_the_record_says_whether_other_hosts_were_held_back(corpus, mendbench):
    configure(corpus, plain={}, free={"command": PLAIN_WORDS, "network": "open"})
    engines = ("--engine", "plain", "--engine", "free", "--engine", "mendbench")
    assert mendbench("run", QUIET, *RUN, *engines, "--out", "out").code == 0
    run = json.loads((corpus / "out" / "run.json").read_text("utf-8"))
    document = {name: own.get("network") for name, own in run["engines"].items()}
    assert (document["free"], document["mendbench"]) == ("open", None)
    assert document["plain"] == "held" or document["plain"].startswith("open: this machine cannot hold it (")


def test_prompts_of_an_engine_that_repairs_by_itself_cannot_leave_and_the_user_is_informed(corpus, mendbench):
    looping = [*PLAIN_WORDS[:3], str(PLAIN.with_name("looping.py"))]
    configure(corpus, looping={"command": looping})
    lines = (corpus / "mendbench.toml").read_text("utf-8")
    lines = lines.replace("[matrix]", '[matrix]\nengines = ["looping"]')
    (corpus / "mendbench.toml").write_text(
        f'{lines}\n[models.tiny]\nbase_url = "http://127.0.0.1:9/v1"\nwindow = 4096\n'
    )
    result = mendbench("prompts", "export", "--model", "tiny")
    assert result.code == 2
    assert "engine looping: it asks the model by itself while it runs" in result.line
    assert "mendbench run --engine NAME --model MODEL --record new_episodes" in result.line


UNUSABLE = {
    ("--engine", "cmd:"): "no command; write it as for a shell",
    ("--engine", "cmd: 'open"): "No closing quotation",
    ("--engine", "plan"): "unknown engine 'plan'; did you mean 'plain'?",
    ("--engine", "plain", "--strategy", "itself"): "itself",
}


def test_what_cannot_be_an_engine_is_reported(corpus, mendbench):
    configure(corpus, plain={})
    results = [(words, says, mendbench("run", *words, "--out", "out")) for words, says in UNUSABLE.items()]
    assert [(words, one) for words, says, one in results if one.code != 2 or says not in one.line] == []


@pytest.mark.usefixtures("at_home")
def test_what_records_a_missing_exchange_names_the_engine(corpus, mendbench):
    configure(corpus, plain={})
    (corpus / "cassettes" / RENAMED / "world.yaml").unlink()
    result = mendbench("run", RENAMED, *RUN, "--engine", "plain", "--out", "out")
    assert result.code in {0, 3}  # a simulated service answers for itself
    assert rows(corpus / "out")[0]["derived"] > 0


@pytest.mark.usefixtures("at_home")
def test_check_passes_a_right_engine_and_fails_a_wrong_one(empty, mendbench):
    right = mendbench("engine", "check", f"cmd: {shlex.join(PLAIN_WORDS)}")
    assert (right.code, right.out.splitlines()[-1]) == (0, "all 10 cases hold")
    assert "version 1.5; resumes; our loop repairs; is judged by our detector; http; " in right.out
    assert "held back from other hosts" in right.out.splitlines()[0]
    wrong = mendbench("engine", "check", f"cmd: {shlex.join([*PLAIN_WORDS, 'types'])}", "--format", "json")
    document = json.loads(wrong.out)
    assert (wrong.code, document["holds"]) == (1, False)
    assert [one["case"] for one in document["cases"] if one["wrong"]] == ["types"]
    part = {"part": "mendbench.failures[].unresolved", "cost": "mend does not know which template names nothing"}
    assert part in document["not_reported"]
    assert "not reported, and what that costs:\n" in right.out
    assert f"    {part['part']}: {part['cost']}\n" in right.out


def test_our_own_engine_needs_no_check(empty, mendbench):
    result = mendbench("engine", "check", "mendbench")
    assert result.code == 2
    assert "it is no command, but our own" in result.line
