"""Prompts leave as lines, are answered elsewhere, and come back: until nothing is missing, and the run is the recorded one."""

import csv
import json
import re
from pathlib import Path

import pytest

from mendbench.cassettes import cassette
from mendbench.config.tables import ModelConfig
from mendbench.strategies.template import TEMPLATES
from mendbench.trial.runner import run_trial
from tests.fakes import cases, prompts
from tests.fakes.prompts import few_strategies  # noqa: F401  a fixture

ONE = ("--workers", "1")
pytestmark = pytest.mark.usefixtures("few_strategies")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The invented corpus with the recordings of its worlds alone. Nobody may change it."""
    return prompts.write_bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def empty(bare, tmp_path, monkeypatch):
    """A copy of it to be changed, which is the current folder."""
    root = cases.copy_of(bare, tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def exported(after, bare, empty):
    """The prompts of all first attempts, exported to p.jsonl."""
    cases.copy_of(after(("prompts", "export", "--out", "p.jsonl", *ONE), start=bare), empty)
    return empty / "p.jsonl"


@pytest.fixture(scope="module")
def imported(after, bare, tmp_path_factory):
    """The corpus whose first prompts were answered in the shape ``plain``. Nobody may change it."""
    exported = after(("prompts", "export", "--out", "p.jsonl", *ONE), start=bare)
    root = cases.copy_of(exported, tmp_path_factory.mktemp("imported"))
    (root / "a").write_text(prompts.in_shape("plain", prompts.replies(root / "p.jsonl")), encoding="utf-8")
    return after(("prompts", "import", "a", "--prompts", "p.jsonl", *ONE), start=root)


@pytest.fixture
def answered(imported, empty):
    """A copy of it to be changed, which is the current folder."""
    return cases.copy_of(imported, empty)


def bring(mendbench, text, *words, name="a"):
    Path(name).write_text(text, encoding="utf-8", newline="")
    return mendbench("prompts", "import", name, "--prompts", "p.jsonl", *ONE, *words)


def recorded(root):
    return {path: path.read_bytes() for path in sorted((root / "cassettes").rglob(f"{cases.MODEL}.yaml"))}


def entries(root):
    return [entry for path in recorded(root) for entry in cassette.load(path)]


def document(result):
    return json.loads(result.out)


def edited(root):
    """Write a template that differs from a shipped one in a heading, and return its name."""
    text = (TEMPLATES / "full-context.md.j2").read_text(encoding="utf-8").replace("Errors to Fix", "Mistakes to Mend")
    (root / "mine.md.j2").write_text(text, encoding="utf-8")
    return "mine.md.j2"


def row_of(root, key):
    """Return what a trial came to, whoever answered."""
    row, _ = run_trial(cases.context_of(root), key)
    attempts = [(one["status"], one["label"]) for one in row["attempts"]]
    return row["verdict"], row["outcome"], row["stop_reason"], attempts


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in (1, 2, 3))])
def test_a_round_trip_ends_where_recording_ends_whatever_shape_each_round_has(empty, built, mendbench, first):
    rounds, shapes = [], [*prompts.SHAPES[first:], *prompts.SHAPES[:first]]
    for at in range(4):
        exported = mendbench("prompts", "export", "--out", "p.jsonl", *ONE)
        assert exported.code == 0
        text = (empty / "p.jsonl").read_text(encoding="utf-8")
        if not text:
            break
        rounds.append(text.count("\n"))
        responses = prompts.in_shape(shapes[at], prompts.replies(empty / "p.jsonl"))
        assert bring(mendbench, responses, "--provenance", f"round {at}").code == 0
        if not at:
            assert all(row_of(empty, key)[3] for key in cases.MATRIX if key.case == cases.RENAMED)
    assert len(rounds) > 1
    assert [row_of(empty, key) for key in cases.MATRIX] == [row_of(built, key) for key in cases.MATRIX]
    assert mendbench("run", *ONE).code == 0
    assert {entry.provenance for entry in entries(empty)} == {f"round {at}" for at in range(len(rounds))}
    assert {entry.key for entry in entries(empty)} == {entry.key for entry in entries(built)}


def test_first_attempts_are_each_exported_once_and_second_ones_when_the_first_are_answered(answered, mendbench):
    first = prompts.replies(answered / "p.jsonl")
    assert len({name for name, _ in first}) == len(first) == 4
    mendbench("prompts", "export", "--out", "p.jsonl", *ONE)
    second = prompts.replies(answered / "p.jsonl")
    assert second
    assert not {name for name, _ in first} & {name for name, _ in second}


def test_an_export_gives_the_same_bytes_each_time_and_to_standard_output(empty, exported, mendbench):
    result = mendbench("prompts", "export", *ONE)
    assert result.out == exported.read_text(encoding="utf-8")
    assert result.line == "4 prompts without a response; 0 answered, 12 trials"
    assert mendbench("prompts", "export", "--workers", "2").out == result.out


def test_a_selection_exports_a_part_under_the_same_ids(empty, exported, mendbench):
    whole = set(exported.read_text(encoding="utf-8").splitlines())
    words = (cases.RENAMED, "--strategy", "none", "--policy", "naive", "--model", cases.MODEL)
    part = set(mendbench("prompts", "export", *words, *ONE).out.splitlines())
    assert len(part) == 1
    assert part < whole


def test_samples_are_drawn_apart_and_come_back(empty, mendbench):
    path = empty / "mendbench.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "parameters = { temperature = 0.8, max_tokens = 400 }\n", encoding="utf-8")
    words = (cases.RENAMED, "--strategy", "full-context", "--samples", "2", *ONE)
    mendbench("prompts", "export", *words, "--out", "p.jsonl")
    assert {name[-3:] for name, _ in prompts.replies(empty / "p.jsonl")} == {"0-0", "1-0"}
    assert bring(mendbench, prompts.in_shape("plain", prompts.replies(empty / "p.jsonl"))).code == 0
    assert sorted(entry.model_request["draw"] for entry in entries(empty)) == [[0, 0], [1, 0]]
    assert mendbench("prompts", "export", *words).out == ""


@pytest.mark.parametrize(
    ("more", "suffix"), [("recording = 1", "-t1"), ("parameters = { temperature = 0.8, max_tokens = 90 }", "-0-0")]
)
def test_a_further_table_of_a_model_has_prompts_of_its_own_and_they_come_back(empty, mendbench, more, suffix):
    path = empty / "mendbench.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f'{text}[models.again]\nserved_as = "{cases.MODEL}"\n{more}\n', encoding="utf-8")
    words = ("--model", "again", "--policy", "naive", *ONE)
    mendbench("prompts", "export", *words, "--out", "p.jsonl")
    result = prompts.replies(empty / "p.jsonl")
    assert result
    assert all(name.endswith(suffix) for name, _ in result)
    done = bring(mendbench, prompts.in_shape("plain", result))
    assert (done.code, entries(empty)) == (0, []), "no matrix names this model"
    assert sum(len(cassette.load(path)) for path in (empty / ".mendbench").rglob("*.yaml")) == len(result)
    assert not {name for name, _ in result} & {
        line["custom_id"] for line in map(json.loads, mendbench("prompts", "export", *words).out.splitlines())
    }


def test_a_nodes_prompt_that_an_edit_led_to_travels_too(empty, mendbench):
    prompts.add_rhyme(empty, "Rhyme on ${person.response.name}")
    right = {"node": "rhyme", "path": "params.prompt", "value": "Rhyme on ${person.response.called}"}
    words = (prompts.RHYME, "--policy", "naive", *ONE)
    asked = []
    for at in range(2):
        mendbench("prompts", "export", *words, "--out", "p.jsonl")
        result = prompts.replies(empty / "p.jsonl", lambda body: json.dumps({"edits": [right]}))
        asked.append({json.loads(line)["body"]["model"] for line in Path("p.jsonl").read_text().splitlines()})
        assert (at, bring(mendbench, prompts.in_shape("plain", result)).code) == (at, 0)
    assert asked == [{cases.MODEL}, {prompts.POET}]


def test_a_nodes_own_prompt_travels_too(empty, mendbench):
    prompts.add_rhyme(empty)
    seen = []
    for _ in range(2):
        mendbench("prompts", "export", prompts.RHYME, "--out", "p.jsonl", *ONE)
        result = prompts.replies(
            empty / "p.jsonl", lambda body: body["messages"][0]["content"].replace("Rhyme on", "A rhyme for")
        )
        seen += [text for _, text in result]
        assert bring(mendbench, prompts.in_shape("openai", result)).code == 0
    assert seen == ["A rhyme for Runa", "A rhyme for Leif"]
    assert mendbench("prompts", "export", prompts.RHYME, *ONE).out == ""
    assert (empty / "cassettes" / prompts.RHYME / f"{prompts.POET}.yaml").is_file()


def test_prompts_of_a_template_file_come_back_when_it_is_named(empty, mendbench):
    edited(empty)
    mendbench("prompts", "export", cases.RENAMED, "--strategy", "mine.md.j2", "--out", "p.jsonl", *ONE)
    text = prompts.in_shape("plain", prompts.replies(empty / "p.jsonl"))
    lost = bring(mendbench, text)
    assert lost.code == 1
    assert "unplaced: 1 line (no trial asks; name its strategy with --strategy" in lost.out
    assert bring(mendbench, text, "--strategy", "mine.md.j2").code == 0


def test_a_dry_run_writes_nothing_and_says_what_would_be(empty, exported, mendbench):
    text = prompts.in_shape("plain", prompts.replies(exported))
    result = bring(mendbench, text, "--dry-run")
    assert (result.code, result.out) == (0, "4 responses would be recorded in 2 cases; 4 prompts were exported\n")
    assert recorded(empty) == {}


def test_importing_twice_changes_nothing(answered, mendbench):
    before = recorded(answered)
    assert len(entries(answered)) == 4
    result = bring(mendbench, (answered / "a").read_text(encoding="utf-8"))
    assert (result.code, recorded(answered)) == (0, before)
    assert "4 responses recorded already" in result.out


def test_another_answer_is_refused_and_with_replace_it_stands(answered, mendbench):
    result = prompts.replies(answered / "p.jsonl")
    before = recorded(answered)
    other = prompts.in_shape("plain", [*result[:-1], (result[-1][0], "Good day")])
    refused = bring(mendbench, other)
    assert refused.code == 2
    assert refused.line.startswith(f"a:4: another response to {result[-1][0]} than ")
    assert recorded(answered) == before
    done = bring(mendbench, other, "--replace", "--format", "json")
    assert (done.code, [one["custom_id"] for one in document(done)["replaced"]]) == (0, [result[-1][0]])


def test_tokens_that_were_counted_later_are_taken_over_with_replace_and_not_without(answered, mendbench):
    result = prompts.replies(answered / "p.jsonl")
    before = recorded(answered)
    counted = prompts.in_shape("openai", result)
    assert "4 responses recorded already" in bring(mendbench, counted).out
    assert recorded(answered) == before
    done = bring(mendbench, counted, "--replace", "--format", "json")
    assert (done.code, len(document(done)["replaced"])) == (0, 4)
    assert all(b'"prompt_tokens":11' in entry.response.body.replace(b" ", b"") for entry in entries(answered))


def test_a_line_that_is_cut_off_stops_everything_unless_the_rest_is_asked_for(empty, exported, mendbench):
    text = prompts.in_shape("openai", prompts.replies(exported))[:-30]
    result = bring(mendbench, text)
    assert result.code == 2
    assert re.match(r"a:4:\d+: no whole line of JSON \(", result.line)
    assert result.line.endswith("fetch the file again, or mend the line; or leave such lines out with --skip-broken")
    assert recorded(empty) == {}
    rest = bring(mendbench, text, "--skip-broken")
    assert rest.code == 1
    assert "broken: 1 line (left out)" in rest.out
    assert len(entries(empty)) == 3


def test_how_many_lines_are_broken_is_said(empty, exported, mendbench):
    assert "(and 2 more such lines)" in bring(mendbench, "{\n{\n{\n").line


def test_two_answers_to_one_prompt_stop_everything_and_equal_ones_count_once(empty, exported, mendbench):
    result = prompts.replies(exported)
    twice = bring(mendbench, prompts.in_shape("plain", [*result, (result[0][0], "Good day")]))
    assert (twice.code, twice.line) == (
        2, f"a:5: another response to {result[0][0]} than at a:1; delete one of the two lines",
    )  # fmt: skip
    assert recorded(empty) == {}
    same = bring(mendbench, prompts.in_shape("plain", [*result, result[0]]))
    assert same.code == 0
    assert "1 line repeated another line" in same.out
    assert len(entries(empty)) == 4


def test_an_unknown_id_is_named_and_the_others_are_imported(empty, exported, mendbench):
    result = bring(mendbench, prompts.in_shape("plain", [*prompts.replies(exported), ("ask-of-somebody", "hi")]))
    assert result.code == 1
    assert "unknown: 1 line (not exported)\n  a:5: ask-of-somebody\n" in result.out
    assert len(entries(empty)) == 4


def test_what_was_not_answered_is_reported_and_exported_again(empty, exported, mendbench):
    result = prompts.replies(exported)
    lines = [prompts.openai_line(*result[0]), {"custom_id": result[1][0], "result": {"type": "expired"}}]
    lines.append(
        {"custom_id": result[2][0], "response": None, "error": {"code": "batch_expired", "message": "too late"}}
    )
    done = bring(mendbench, prompts.jsonl(lines))
    assert done.code == 3
    assert f"a:2: {result[1][0]}: expired" in done.out
    assert f"a:3: {result[2][0]}: batch_expired: too late" in done.out
    assert "absent: 1 exported prompt without a line" in done.out
    assert len(entries(empty)) == 1
    mendbench("prompts", "export", "--out", "p.jsonl", *ONE)
    assert {name for name, _ in result[1:]} <= {name for name, _ in prompts.replies(exported)}


@pytest.mark.parametrize(
    "make",
    [
        lambda name: prompts.openai_line(name, None, refusal="I can't help with that."),
        lambda name: prompts.anthropic_line(name, "I can't help with that.", stop_reason="refusal"),
    ],
)
def test_a_refusal_is_an_answer_that_mends_nothing(empty, exported, mendbench, make):
    done = bring(mendbench, prompts.jsonl([make(name) for name, _ in prompts.replies(exported)]))
    assert done.code == 0
    assert {"I can't help with that." in entry.response.body.decode() for entry in entries(empty)} == {True}
    mendbench("prompts", "export", "--out", "p.jsonl", *ONE)
    second = prompts.replies(exported, lambda body: body["messages"][1]["content"])
    assert {"# Your last answer was not usable" in prompt for _, prompt in second} == {True}


def test_a_model_that_calls_itself_otherwise_is_kept_and_reported(empty, exported, mendbench):
    text = prompts.in_shape("openai", prompts.replies(exported))
    assert f"4 responses of tiny-coder-2026-01-01, which was asked as {cases.MODEL}" in bring(mendbench, text).out
    assert document(bring(mendbench, text, "--format", "json"))["models"] == [
        {"asked": cases.MODEL, "answered": "tiny-coder-2026-01-01", "responses": 4}
    ]


def test_prompts_whose_parameters_were_configured_again_are_not_asked_any_more(empty, exported, mendbench):
    path = empty / "mendbench.toml"
    path.write_text(
        path.read_text(encoding="utf-8") + "parameters = { temperature = 0, max_tokens = 90 }\n", encoding="utf-8"
    )
    done = bring(mendbench, prompts.in_shape("plain", prompts.replies(exported)))
    assert done.code == 1
    assert "unplaced: 4 lines" in done.out
    assert recorded(empty) == {}


def test_the_exported_file_has_to_be_the_one_that_was_exported(empty, exported, mendbench):
    exported.write_text(
        exported.read_text(encoding="utf-8").replace("A workflow failed", "A workflow fell", 1), encoding="utf-8"
    )
    refused = bring(mendbench, "")
    assert refused.code == 2
    assert refused.line.startswith("p.jsonl:1: the prompt is not the one that its id 'ask-")


def test_a_spreadsheet_is_read(empty, exported, mendbench):
    with Path("sheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([("custom_id", "content"), *prompts.replies(exported)])
    result = mendbench("prompts", "import", "sheet.csv", "--prompts", "p.jsonl", *ONE)
    assert (result.code, len(entries(empty))) == (0, 4)


UNUSABLE = (
    (("export", "--model", "tiny-codr"), "unknown model 'tiny-codr'; did you mean 'tiny-coder'?"),
    (("export", "--strategy", "nome"), "unknown strategy 'nome'; did you mean 'none'?"),
    (
        ("export", "--policy", "naive", "--detector", "structral"),
        "unknown detector 'structral'; did you mean 'structural'?",
    ),
    (("export", "--policy", "niave"), "unknown policy 'niave'; did you mean 'naive'?"),
    (("export", "http/nothing"), "unknown case 'http/nothing'"),
    (("export", "--part", "train"), "no such file, so the corpus has no parts"),
    (("export", "--out", "."), "--out .: "),
    (("export", "--out", "p.jsonl/x"), "--out p.jsonl/x: "),
    (("import", "nowhere", "--prompts", "p.jsonl"), "nowhere: no such file"),
    (("import", "a", "--prompts", "nowhere"), "nowhere: no such file"),
    (("import", "a"), "prompts import: Missing option '--prompts'"),
    (("diff", "--cassettes", "nowhere"), "--cassettes nowhere: no such folder"),
)


def test_what_cannot_be_used_is_reported_in_one_line(exported, mendbench):
    results = [(words, says, mendbench("prompts", *words)) for words, says in UNUSABLE]
    assert [(words, one) for words, says, one in results if one.code != 2 or says not in one.line] == []


def test_without_a_model_nothing_can_be_asked(empty, mendbench):
    path = empty / "mendbench.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace('repairers = ["chat"]', 'repairers = ["rules"]'), encoding="utf-8"
    )
    assert mendbench("prompts", "export", *ONE).line == "matrix: no selected trial asks a model; name one with --model"
    assert mendbench("prompts", "export", "--model", cases.MODEL, *ONE).code == 0


def test_a_trial_that_lacks_another_recording_is_named(empty, mendbench):
    cases.make_live(empty, cases.RENAMED)
    result = mendbench("prompts", "export", cases.RENAMED, "--policy", "naive", "--strategy", "none", *ONE)
    assert (result.code, result.out) == (0, "")
    assert f"stopped: {cases.RENAMED} | none | naive | {cases.MODEL} | 0: no recording answers GET " in result.err


def test_a_diff_shows_what_an_edited_template_leaves_behind(corpus, mendbench):
    result = mendbench("prompts", "diff", "--strategy", edited(corpus), "--policy", "naive", *ONE)
    assert result.code == 3
    assert "\n-## Errors to Fix\n+## Mistakes to Mend\n" in result.out
    assert result.out.endswith(
        "0 prompts answered, 2 without a response; 3 trials\n2 trials stop there: their later requests depend on the response\n"
    )


def test_a_diff_of_what_is_recorded_finds_nothing_missing(corpus, mendbench):
    result = mendbench("prompts", "diff", *ONE)
    assert result.code == 0
    assert "0 without a response; 12 trials" in result.out


def test_a_diff_shows_a_few_or_all_and_json_has_every_missing_prompt(empty, mendbench):
    few = mendbench("prompts", "diff", *ONE)
    assert few.out.count("no prompt is recorded of tiny-coder there") == 3
    assert "1 more without a response; --full shows all" in few.out
    assert mendbench("prompts", "diff", "--full", *ONE).out.count("no prompt is recorded") == 4
    found = document(mendbench("prompts", "diff", "--format", "json", *ONE))
    assert (found["missing"], len(found["prompts"]), found["trials"]) == (4, 4, 12)


def test_a_diff_names_a_parameter_that_changed(corpus, mendbench):
    path = corpus / "mendbench.toml"
    path.write_text(
        path.read_text(encoding="utf-8") + "parameters = { temperature = 0, max_tokens = 90 }\n", encoding="utf-8"
    )
    result = mendbench("prompts", "diff", cases.RENAMED, "--strategy", "none", *ONE)
    assert "in params.max_tokens" in result.out
    assert ModelConfig().parameters["max_tokens"] != 90
