import json
import re
import shutil
import signal
from typing import get_type_hints

import pytest

from mendbench import api
from mendbench.cli import options, prompts, run
from tests.fakes import cases
from tests.fakes.planted import record_credential
from tests.fakes.tables import for_each

TEMPLATE = """---
title: What the API answered, and nothing else
source: invented
sections:
  - {name: answers, label: state, keep: 1}
---
{% block answers %}
{% for failure in failures %}
{{ failure.message }}
{{ failure.upstream_data | tojson }}
{{ failure.available_fields | tojson }}
{% endfor %}
{% endblock %}
"""

LOOSE_EDGE = json.dumps(
    {**cases.workflow("Hello ${person.response.name}!"), "edges": [{"from": "person", "to": "noet"}]}
)


def rows_of(folder):
    rows = [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name != "timing"} for row in rows]


def test_a_new_strategy_file_is_tried_with_the_rule_book_and_nothing_recorded(corpus, rules):
    shutil.rmtree(corpus / "cassettes")
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    result = rules(strategy="mine.md.j2")
    assert (result.code, result.err) == (0, "")
    assert "mine.md.j2" in result.out
    assert result.out.endswith("3 trials; report: reports/latest/index.html\n")
    assert [(row["case"], row["strategy"], row["repairer"]) for row in rows_of(corpus / "reports/latest")] == [
        (case, "mine.md.j2", "rules") for case in (cases.QUIET, cases.CLOSED, cases.RENAMED)
    ]
    prompts = (corpus / "reports/latest/texts.jsonl").read_text(encoding="utf-8")
    assert "What happened" in prompts or "Unresolved" in prompts


def test_a_recording_with_a_credential_is_refused_before_a_trial_runs_and_nothing_is_written(corpus, mendbench):
    planted = record_credential(corpus, cases.RENAMED)
    for command in (("run", "--workers", "1"), ("prompts", "export", "--out", "prompts.jsonl")):
        result = mendbench(*command)
        assert result.code == 2
        assert f"cassettes/{cases.RENAMED}/world.yaml:{planted.line}: " in result.line
        assert "record it again" in result.line
        assert planted.value not in result.out + result.err
    assert [path for path in corpus.rglob("*") if path.is_file() and planted.value in path.read_text("utf-8")] == [
        planted.path
    ]
    assert not list(corpus.glob("reports/**/*"))
    assert mendbench("run", cases.QUIET, "--workers", "1").code == 0


def test_a_case_with_a_credential_in_its_own_files_is_not_run(corpus, mendbench):
    cases.change_case(corpus, cases.QUIET, lambda truth: truth["inputs"].update(token="k-77aa88bb99cc00dd"))
    result = mendbench("run", cases.QUIET, "--workers", "1")
    assert result.code == 2
    assert re.search(rf"cases/{cases.QUIET}/case\.yaml:\d+: inputs\.token: ", result.line)


def test_the_configured_matrix_replays_from_recordings(corpus, mendbench):
    result = mendbench("run", "--workers", "1")
    assert (result.code, result.err) == (0, "")
    assert cases.MODEL in result.out
    assert {path.name for path in (corpus / "reports/latest").iterdir()} == {
        "index.html",
        "run.json",
        "texts.jsonl",
        "trials.index",
        "trials.jsonl",
    }
    full = next(line for line in result.out.splitlines() if line.startswith("full-context"))
    assert full.split()[1:4] == ["1", "|", "1"]


def test_json_is_the_run_document(corpus, rules):
    result = rules("--format", "json")
    assert json.loads(result.out) == json.loads((corpus / "reports/latest/run.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("words", "chosen"), [(("http/*",), 2), (("http",), 2), (("*/quiet-*", "http/closed*"), 2), ((), 3)]
)
def test_cases_are_chosen_by_id_family_and_pattern(corpus, rules, words, chosen):
    rules(*words, "--out", "chosen")
    assert len(rows_of(corpus / "chosen")) == chosen


def test_one_trial_is_not_called_trials(corpus, rules):
    assert rules(cases.QUIET).out.endswith("\n1 trial; report: reports/latest/index.html\n")


@for_each(
    ("words", "says"),
    [
        (("http/renamed-feild",), f"unknown case 'http/renamed-feild'; did you mean '{cases.RENAMED}'? known: control, "),
        (("--strategy", "sumary"), "unknown strategy 'sumary'; did you mean 'summary'? known: agent-json, cli-json, "),
        (("--policy", "two-layers"), "unknown policy 'two-layers'; did you mean 'two-layer'? known: "),
        (("--repairer", "rulse"), "unknown repairer 'rulse'; did you mean 'rules'? known: callable, chat, "),
        (("--engine", "mendbnch"), "unknown engine 'mendbnch'; did you mean 'mendbench'? known: mendbench"),
        (("--detector", "structrl"), "unknown detector 'structrl'; did you mean 'structural'? known: coded, "),
        (("--record", "newepisodes"), "unknown record mode 'newepisodes'; did you mean 'new_episodes'? known: all, new_episodes, none"),
        (("--strategy", "nowhere.md.j2"), "nowhere.md.j2: no such file"),
        (("--strategy", "a/b"), "a/b: not a template file; give a file whose name ends in .md.j2"),
        (("--cases", "nowhere"), "nowhere: no such folder; name the folder of the cases with --cases"),
        (("--cassettes", "nowhere"), "--cassettes nowhere: no such folder; name the folder of the recordings"),
        (("--resume", "nowhere"), "nowhere: there is no unfinished run to resume; start one without --resume"),
        (("--out", "."), "--out .: a folder without a name of its own"),
        (("--out", ""), "--out .: a folder without a name of its own"),
        (("--out", "/"), "--out /: a folder without a name of its own"),
        (("--out", "one", "--resume", "two"), "--out one: another folder than --resume two; omit --out to resume"),
        (("--out", "/dev/null/run"), "choose another folder with --out"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_ends_the_run_before_it_writes(corpus, mendbench, words, says):
    before = sorted(corpus.rglob("*"))
    result = mendbench("run", "--workers", "1", *words)
    assert (result.code, result.out) == (2, "")
    assert says in result.line
    assert sorted(corpus.rglob("*")) == before


@pytest.mark.parametrize(
    ("file", "text", "place", "found"),
    [
        ("cases/http/renamed-field/case.yaml", "title: [", "case.yaml:", ""),
        ("cases/http/renamed-field/case.yaml", "titel: x", "case.yaml", ""),
        ("cases/http/renamed-field/workflow.json", "{", "workflow.json:1:2", ""),
        ("cases/http/renamed-field/workflow.json", "[]", "workflow.json", "list"),
        (
            "cases/http/renamed-field/workflow.json",
            LOOSE_EDGE,
            "workflow.json: edges.0.to",
            "unknown node 'noet'; did you mean 'note'?",
        ),
        ("mendbench.toml", "format = [", "mendbench.toml", ""),
        ("mendbench.toml", "matrix = 1", "mendbench.toml: matrix", ""),
        ("cassettes/http/renamed-field/world.yaml", "hello\n", "world.yaml:1", "'hello"),
        ("cassettes/http/renamed-field/world.yaml", "", "world.yaml", "a recording without a whole exchange"),
        (
            "cassettes/http/renamed-field/world.yaml",
            "version: 1\n",
            "world.yaml",
            "a recording without a whole exchange",
        ),
        (
            "cassettes/http/renamed-field/world.trajectories.yaml",
            "",
            "trajectories.yaml",
            "a recording without a whole exchange",
        ),
        ("mine.md.j2", "no front matter", "mine.md.j2:1", "no front matter"),
        ("mine.md.j2", TEMPLATE.replace("failure.message", "falure.message"), "mine.md.j2:9", "'falure'"),
        ("mine.md.j2", TEMPLATE.replace("{% endfor %}", ""), "mine.md.j2:", ""),
    ],
)
def test_a_broken_file_is_named_with_the_place_in_it_and_the_mend(corpus, rules, file, text, place, found):
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    (corpus / file).write_text(text, encoding="utf-8")
    result = rules(cases.RENAMED, strategy="mine.md.j2")
    assert (result.code, result.out) == (2, "")
    assert place in result.line.split("; ")[0]
    assert found in result.line
    assert "; " in result.line
    assert not (corpus / "reports/latest").exists()


def test_a_missing_answer_leaves_the_trial_unjudged_and_says_what_would_record_it(corpus, mendbench):
    responses = corpus / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml"
    assert responses.is_file()
    responses.unlink()
    result = mendbench("run", "http/*", "--workers", "1", "--policy", "naive", "--record", "none")
    assert result.code == 3
    assert "0–1 | 0–1" in result.out
    first, *each = result.err.splitlines()
    assert first == (
        "mendbench: unjudged: 2 of 4 trials miss a recording; "
        "record what is missing with: mendbench run 'http/*' --policy naive --record new_episodes --workers 1"
    )
    assert len(each) == 2
    for line in each:
        assert line.startswith(f"mendbench: unjudged: {cases.RENAMED} | ")
        assert "no recording answers the model request" in line
        assert line.endswith("--record new_episodes")


def test_without_the_folder_of_recordings_no_trial_that_needs_one_is_run(corpus, rules, mendbench):
    shutil.rmtree(corpus / "cassettes")
    result = mendbench("run", "--workers", "1")
    assert (result.code, result.out) == (2, "")
    assert result.line.startswith(
        f"{corpus}/cassettes: no such folder of recordings; restore it, name another one with "
    )
    assert not (corpus / "reports").exists()
    assert rules().code == 0


def test_an_unknown_model_is_answered_with_those_known_and_the_file_that_a_new_one_belongs_to(corpus, mendbench):
    config = corpus / "mendbench.toml"
    config.write_text(config.read_text().split("models = ")[0], encoding="utf-8")
    result = mendbench("run", "--model", "gpt-9")
    assert result.code == 2
    assert result.line == (
        f"model: unknown model 'gpt-9'; known: {cases.MODEL}; to use a new one, add [models.\"gpt-9\"] to {config}"
    )


def forget_recordings(corpus):
    for path in (corpus / "cassettes").rglob("*.yaml"):
        path.unlink()


def test_many_missing_answers_are_a_few_lines_and_the_report_has_them_all(corpus, mendbench):
    forget_recordings(corpus)
    result = mendbench("run", "--workers", "1")
    assert result.code == 3
    lines = result.err.splitlines()
    assert len(lines) == 5
    assert lines[-1].endswith(" more; all stand in reports/latest/index.html")
    again = mendbench("report")
    assert (again.code, again.out) == (3, result.out)


def test_a_resumed_run_is_asked_to_record_into_its_folder(corpus, mendbench, monkeypatch):
    forget_recordings(corpus)
    with monkeypatch.context() as pressed:
        interrupt_after_first(pressed)
        assert mendbench("run", "http/*", "--policy", "naive", "--workers", "1", "--out", "half").code == 130
    result = mendbench("run", "--workers", "1", "--resume", "half")
    assert result.code == 3
    assert "with: mendbench run 'http/*' --out half --policy naive --record new_episodes --workers 1\n" in result.err


def interrupt_after_first(monkeypatch, number=signal.SIGINT):
    """Press Ctrl-C, or send another signal, when the first trial is done."""
    run = api.run

    def interrupted(options, progress, note):
        def on_progress(done, total, last):
            progress(done, total, last)
            signal.raise_signal(number)

        return run(options, on_progress, note)

    monkeypatch.setattr(api, "run", interrupted)


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_says_the_command_that_finishes_the_run_and_it_does(
    corpus, mendbench, rules, monkeypatch, number, code, word
):
    rules("http/*", "--out", "whole")
    with monkeypatch.context() as pressed:
        interrupt_after_first(pressed, number)
        result = rules("http/*", "--out", "my run", "--allow-shell", "--fresh")
    assert (result.code, result.out) == (code, "")
    assert not (corpus / "my run").exists()
    command = result.line.removeprefix(f"{word}; finish it with: ")
    assert command == "mendbench run --resume 'my run' --allow-shell --fresh --workers 1"
    assert mendbench("run", "--resume", "my run").code == 0
    assert rows_of(corpus / "my run") == rows_of(corpus / "whole")
    assert sorted(path.name for path in corpus.iterdir()) == [
        ".mendbench",
        "cases",
        "cassettes",
        "mendbench.toml",
        "my run",
        "whole",
    ]


def test_ctrl_c_before_the_first_trial_says_that_nothing_is_there_to_finish(corpus, rules, monkeypatch):
    def interrupted(options, progress, note):
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "run", interrupted)
    result = rules()
    assert (result.code, result.line) == (130, "interrupted; no trial was done, and nothing was written")


def test_the_same_command_goes_on_from_an_interrupted_run_and_another_one_replaces_it(corpus, rules, monkeypatch):
    with monkeypatch.context() as pressed:
        interrupt_after_first(pressed)
        rules()
    with monkeypatch.context() as pressed:
        interrupt_after_first(pressed)
        result = rules()
    going_on, interrupted = result.err.splitlines()
    assert going_on.startswith("mendbench: reports/latest: goes on from an interrupted run (trials done: 1); delete ")
    assert interrupted.startswith("mendbench: interrupted; finish it with: ")
    result = rules(cases.QUIET)
    assert (result.code, len(rows_of(corpus / "reports/latest"))) == (0, 1)
    assert (
        result.line
        == "reports/latest: replaces an interrupted run; changed since that began: cases, options, recordings, treatments, trials"
    )


def test_a_resumed_run_names_the_options_that_differ_from_those_it_began_with(corpus, mendbench, rules, monkeypatch):
    with monkeypatch.context() as pressed:
        interrupt_after_first(pressed)
        rules("http/*")
    given = ("--strategy", "none", "--policy", "two-layer", "--samples", "2", "--record", "none", "--workers", "2")
    result = mendbench("run", "--resume", "reports/latest", *given)
    assert result.code == 2
    assert result.line == (
        "--resume reports/latest: --strategy none (it began with --strategy full-context), --samples 2 (it began with no --samples); "
        "leave out what differs, or give the command without --resume to begin again"
    )
    assert mendbench("run", "--resume", "reports/latest", "http/*", "--policy", "two-layer").code == 0
    assert {row["strategy"] for row in rows_of(corpus / "reports/latest")} == {"full-context"}


def test_a_file_is_no_folder_for_a_run(corpus, rules):
    (corpus / "notes.txt").write_text("years", encoding="utf-8")
    result = rules("--out", "notes.txt")
    assert (result.code, result.line) == (
        2,
        "notes.txt: a file, and a run needs a folder; choose another folder with --out",
    )


def test_a_folder_that_holds_something_else_is_left_alone(corpus, rules):
    (corpus / "mine").mkdir()
    (corpus / "mine" / "thesis.txt").write_text("years", encoding="utf-8")
    result = rules("--out", "mine")
    assert result.code == 2
    assert result.line == "mine: it holds 'thesis.txt', which is of no run; choose another folder with --out"
    assert (corpus / "mine" / "thesis.txt").read_text(encoding="utf-8") == "years"


def test_a_run_is_not_replaced_while_something_else_lies_in_its_folder(corpus, rules):
    rules("--out", "mine")
    (corpus / "mine" / "notes.txt").write_text("read me", encoding="utf-8")
    result = rules("--out", "mine", "--fresh")
    assert (result.code, "'notes.txt'" in result.line) == (2, True)
    assert (corpus / "mine" / "notes.txt").read_text(encoding="utf-8") == "read me"


def test_a_complete_run_is_replaced(corpus, rules):
    rules()
    rules(cases.QUIET)
    assert len(rows_of(corpus / "reports/latest")) == 1


def test_a_report_of_no_run_says_how_to_make_one(empty, mendbench):
    result = mendbench("report")
    assert (result.code, result.line) == (2, "reports/latest: no run is in it; make one with `mendbench run`")


def test_a_report_is_written_again(corpus, rules, mendbench):
    made = rules("--out", "mine")
    (corpus / "mine" / "index.html").unlink()
    result = mendbench("report", "mine")
    assert (result.code, result.err) == (0, "")
    assert result.out == made.out
    assert (corpus / "mine" / "index.html").is_file()


def test_a_report_in_json_is_the_run_document(corpus, rules, mendbench):
    made = rules("--format", "json")
    assert json.loads(mendbench("report", "--format", "json").out) == json.loads(made.out)


@for_each("name", ["strategies", "policies", "detector", "models", "samples"])
def test_what_selects_trials_is_one_option_of_all_commands_that_select_them(name):
    commands = (run.run, prompts.export, prompts.diff)
    assert {str(get_type_hints(one, include_extras=True)[name]) for one in commands} == {
        str(getattr(options, name.capitalize()))
    }
