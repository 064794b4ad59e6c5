"""The public functions, over the invented corpus: run, resume, record, report, prove, list and render."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench import api
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.errors import BadInput, CheckFailed, UnknownName
from mendbench.results.store import read_run
from mendbench.trial.runner import run_trial
from mendbench.verify import checking
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MATRIX, MODEL, QUIET, RENAMED, ScriptedRecorder, change_case

TRIALS = len(MATRIX) + 2 * 3
"""Two strategies under two policies for three cases, and the two bounds of each case."""
ONE = api.RunOptions(workers=1, fresh=True)
PARTIAL = Path("reports/.latest.partial")


def add_settings(text):
    settings = Path("mendbench.toml")
    settings.write_text(settings.read_text(encoding="utf-8") + text, encoding="utf-8")


def quietly(done, total, last):
    """Take progress and say nothing."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def whole(built, tmp_path_factory):
    """Return a run of the whole matrix, made in a copy of the corpus: nobody may change it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cases.copy_of(built, tmp_path_factory.mktemp("whole")))
        stored = api.run(ONE, quietly)
        return replace(stored, folder=stored.folder.resolve())


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    """Return a copy of the corpus, which the test runs in."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    return Path.cwd()


def untimed(folder=Path("reports/latest")):
    """Return the lines of a run's trials without what depends on the moment."""
    lines = (folder / "trials.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.dumps({**json.loads(line), "timing": None}, sort_keys=True) for line in lines if line]


def files_of(folder=Path("reports/latest")):
    return {name: (folder / name).read_bytes() for name in ("texts.jsonl", "run.json")}


def interrupted(after, options=ONE):
    def interrupt(done, total, last):
        if done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.run(options, interrupt)


def success_of(stored, **wanted):
    (found,) = [total for total in stored.run["totals"] if all(total[name] == value for name, value in wanted.items())]
    return found["scores"]["repair_success"]


def test_a_run_replays_the_matrix_and_leaves_a_whole_folder(root):
    progress = []
    stored = api.run(ONE, lambda *words: progress.append(words))
    assert len(stored.rows) == stored.run["trials"] == TRIALS
    assert [(done, total) for done, total, _ in progress] == [(at, TRIALS) for at in range(1, TRIALS + 1)]
    assert {last for _, _, last in progress} == {row["key"] for row in stored.rows}
    assert sorted(path.name for path in Path("reports/latest").iterdir()) == [
        "index.html",
        "run.json",
        "texts.jsonl",
        "trials.index",
        "trials.jsonl",
    ]
    assert read_run(Path("reports/latest")).run == stored.run
    assert not PARTIAL.exists()


def test_a_run_says_what_it_consists_of_and_what_came_out(whole):
    run = whole.run
    assert run["format"] == 6
    assert run["matrix"][0]["cases"] == [QUIET, CLOSED, RENAMED]
    assert run["corpus"] == {
        "cases": 3,
        "kinds": {"control": 1, "needs_user": 1, "repairable": 1},
        "recorded_from": {"simulator": 3},
    }
    assert run["models"] == {MODEL: {"asked": None, "provenance": [], "sampling": None}}
    assert run["report"] == {"main_model": None, "control_model": None, "note": None}
    assert run["bounds"] == {"crashed": 0, "unjudged": 0}
    assert set(run["digests"]) == {"cases", "corpus", "engine", "frame", "prices", "scorer", "treatments"}


def test_a_run_says_which_model_leads_its_report(root):
    add_settings(f'[report]\nmain_model = "{MODEL}"\nnote = "Few cases."\n')
    assert api.run(ONE, quietly).run["report"] == {"main_model": MODEL, "control_model": None, "note": "Few cases."}


def test_a_main_model_that_is_neither_configured_nor_recorded_is_refused_before_anything_runs(root):
    add_settings('[report]\nmain_model = "elsewhere"\n')
    with pytest.raises(BadInput) as raised:
        api.run(ONE, quietly)
    place = root / "mendbench.toml"
    said = (
        "'elsewhere' is neither configured nor recorded; name a model that is configured or recorded, or leave it out"
    )
    assert str(raised.value) == f"{place}: report.main_model: {said}"
    assert not PARTIAL.exists()


def test_repair_success_is_counted_per_treatment(whole):
    assert (
        success_of(whole, strategy="full-context", policy="naive")["numerator"],
        success_of(whole, strategy="none", policy="naive")["numerator"],
    ) == (1, 0)
    assert success_of(whole, repairer="reference")["numerator"] == 1
    assert success_of(whole, repairer="noop")["numerator"] == 0


def test_two_replays_are_the_same_bytes_but_for_timing_whatever_the_workers(root, whole):
    api.run(replace(ONE, workers=2), quietly)
    assert untimed() == untimed(whole.folder)
    assert files_of() == files_of(whole.folder)


@pytest.mark.parametrize(("after", "workers", "resume"), [(1, 1, True), (TRIALS - 1, 1, False), (5, 2, True)])
def test_an_interrupted_run_is_finished_with_the_same_bytes_but_for_timing(root, whole, after, workers, resume):
    options = replace(ONE, workers=workers)
    interrupted(after, options)
    assert not Path("reports/latest").exists()
    progress = []
    api.run(api.RunOptions(workers=workers, resume=True) if resume else options, lambda *words: progress.append(words))
    assert progress[0][0] > 1
    assert progress[-1][:2] == (TRIALS, TRIALS)
    assert untimed() == untimed(whole.folder)
    assert files_of() == files_of(whole.folder)
    assert not PARTIAL.exists()


def test_a_run_interrupted_in_the_midst_of_a_line_is_finished_too(root, whole):
    interrupted(4)
    torn = PARTIAL / "trials.jsonl"
    torn.write_bytes(torn.read_bytes()[:-40])
    api.run(replace(ONE, resume=True), quietly)
    assert untimed() == untimed(whole.folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: change_case(root, RENAMED, lambda truth: truth.update(title="Another title")),
        lambda root: (root / "own" / "mine.md.j2").write_text(template("other words"), encoding="utf-8"),
        lambda root: (root / "mendbench.toml").write_text(
            (root / "mendbench.toml").read_text() + "parameters = {temperature = 0, max_tokens = 300}\n"
        ),
    ],
)
def test_a_run_is_not_resumed_once_its_cases_its_strategies_or_its_models_parameters_have_changed(root, change):
    (root / "own").mkdir()
    (root / "own" / "mine.md.j2").write_text(template("words"), encoding="utf-8")
    config = root / "mendbench.toml"
    config.write_text(
        config.read_text().replace("[matrix]", '[paths]\nstrategies = ["own"]\n[matrix]'), encoding="utf-8"
    )
    options = replace(ONE, strategies=("mine",), repairers=("rules", "chat"))
    interrupted(2, options)
    change(root)
    with pytest.raises(BadInput, match="changed since the interrupted run began: (cases, corpus|treatments); "):
        api.run(replace(options, resume=True), quietly)
    notes = []
    api.run(options, quietly, notes.append)
    assert "reports/latest: replaces an interrupted run; changed since that began: " in notes[0]


def recordings(root):
    return next((root / "cassettes" / RENAMED).glob("*.yaml"))


def test_a_run_is_not_resumed_once_its_recordings_have_changed(root):
    interrupted(2)
    path = recordings(root)
    path.write_bytes(path.read_bytes() + b"# and more\n")
    with pytest.raises(BadInput, match="changed since the interrupted run began: recordings; "):
        api.run(replace(ONE, resume=True), quietly)


def test_a_run_in_which_a_recording_was_changed_is_refused_and_leaves_nothing_behind(root):
    def changing(done, total, progress):
        path = recordings(root)
        entries = cassette.load(path)
        cassette.append(path, replace(entries[0], key=f"{len(entries):016x}"))

    with pytest.raises(BadInput, match="a recording changed while the run went on, so that some trials are of before"):
        api.run(ONE, changing)
    assert not PARTIAL.exists()
    assert api.run(ONE, quietly).run["trials"] == TRIALS


def template(words):
    front = "title: mine\nsource: here\nsections:\n  - {name: said, label: raw, keep: 1}\n"
    return f"---\n{front}---\n{{% block said %}}{words}{{% endblock %}}\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"names": ("http/renamed",)}, "unknown case 'http/renamed'; did you mean 'http/renamed-field'"),
        ({"strategies": ("full-contxt",)}, "unknown strategy 'full-contxt'; did you mean 'full-context'"),
        ({"policies": ("navie",)}, "unknown policy 'navie'; did you mean 'naive'"),
        ({"repairers": ("rule",)}, "unknown repairer 'rule'; did you mean 'rules'"),
        ({"detector": "structurl"}, "unknown detector 'structurl'; did you mean 'structural'"),
        ({"engines": ("mendbensh",)}, "unknown engine 'mendbensh'; did you mean 'mendbench'"),
        ({"record": "new_episode"}, "unknown record mode 'new_episode'; did you mean 'new_episodes'"),
    ],
)
def test_an_unknown_name_is_reported_with_the_closest_before_anything_is_written(root, options, said):
    with pytest.raises(UnknownName) as raised:
        api.run(replace(ONE, **options), quietly)
    assert said in str(raised.value)
    assert "known: " in str(raised.value)
    assert not Path("reports").exists()


def test_chat_without_a_model_is_refused(root):
    config = Path("mendbench.toml")
    config.write_text(config.read_text().replace(f'models = ["{MODEL}"]', "models = []"), encoding="utf-8")
    with pytest.raises(BadInput, match="no model for the repairer 'chat'"):
        api.run(ONE, quietly)


def test_what_is_asked_for_narrows_the_matrix_and_leaves_the_controls_out(root):
    stored = api.run(replace(ONE, names=(RENAMED,), strategies=("full-context",), policies=("naive",)), quietly)
    assert [row["key"].split(" | ")[2:6] for row in stored.rows] == [["chat", MODEL, "full-context", "naive"]]
    assert stored.run["matrix"][0]["bounds"] == []


def test_a_repairer_without_a_model_needs_no_recorded_answer(root):
    (root / "cassettes" / RENAMED / model_file(MODEL)).unlink()
    stored = api.run(replace(ONE, repairers=("rules",)), quietly)
    assert stored.run["bounds"] == {"crashed": 0, "unjudged": 0}


def test_a_detector_replaces_that_of_every_policy_that_has_one(root):
    stored = api.run(replace(ONE, detector="minimal", repairers=("noop",)), quietly)
    assert {(row["policy"], row["detector"]) for row in stored.rows} == {("naive", None), ("two-layer", "minimal")}


def test_a_missing_answer_opens_the_bounds_and_leaves_all_other_trials_as_they_were(root):
    api.run(ONE, quietly)
    before = {json.loads(line)["key"]: line for line in untimed()}
    path = root / "cassettes" / RENAMED / model_file(MODEL)
    cassette.rewrite(
        path, [entry for entry in cassette.load(path) if "# What happened" not in str(entry.model_request)]
    )
    stored = api.run(ONE, quietly)
    assert stored.run["bounds"] == {"crashed": 0, "unjudged": 2}
    success = success_of(stored, strategy="full-context", policy="naive")
    assert (success["numerator"], success["denominator"], success["bounds"]) == (0, 1, {"low": 0, "high": 1})
    changed = {key for key, line in before.items() if line not in untimed()}
    assert {key.split(" | ")[4] for key in changed} == {"full-context"}
    assert len(changed) == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_broken_cassette_is_one_line_and_leaves_the_folder_as_it_was(root, workers):
    api.run(ONE, quietly)
    before = untimed()
    (root / "cassettes" / QUIET / "world.yaml").write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"quiet-greeting/world\.yaml:1: ") as raised:
        api.run(replace(ONE, names=(QUIET,), workers=workers), quietly)
    assert "\n" not in str(raised.value)
    assert untimed() == before
    assert not PARTIAL.exists()


def test_a_run_in_a_folder_of_something_else_is_refused_and_the_folder_left_alone(root):
    Path("thesis").mkdir()
    Path("thesis/chapter").write_text("one", encoding="utf-8")
    with pytest.raises(BadInput, match="thesis: it holds 'chapter', which is of no run"):
        api.run(replace(ONE, out=Path("thesis")), quietly)
    assert Path("thesis/chapter").read_text() == "one"


def test_recording_asks_for_first_answers_first_and_replay_then_misses_nothing(root, monkeypatch):
    for case_id in (RENAMED, CLOSED, QUIET):
        (root / "cassettes" / case_id / model_file(MODEL)).unlink(missing_ok=True)
    recorder = ScriptedRecorder(
        lambda model_request: cases.edit_response(f"Hello ${{person.response.nick{len(recorder.model_requests)}}}!")
    )
    monkeypatch.setattr("mendbench.api.runs.Recorder", lambda mode, models, **words: recorder)
    progress = []
    recorded = api.run(
        replace(ONE, names=("http",), strategies=("none",), policies=("naive",), record="new_episodes"),
        lambda *words: progress.append(words),
    )
    responses = [last.split(" | ")[0] for _, _, last in progress]
    assert responses == [
        f"answer 1 of {CLOSED}", f"answer 1 of {RENAMED}", f"answer 2 of {CLOSED}", f"answer 2 of {RENAMED}",
        f"answer 3 of {CLOSED}", f"answer 3 of {RENAMED}", CLOSED, RENAMED,
    ]  # fmt: skip
    assert (
        len(recorder.model_requests)
        == len({json.dumps(model_request) for model_request in recorder.model_requests})
        == 6
    )
    lines = untimed()
    monkeypatch.undo()
    monkeypatch.chdir(root)
    replayed = api.run(replace(ONE, names=("http",), strategies=("none",), policies=("naive",)), quietly)
    assert untimed() == lines
    assert replayed.run == recorded.run


def test_a_report_is_written_again_from_the_folder_alone(root):
    stored = api.run(ONE, quietly)
    page = Path("reports/latest/index.html")
    first = page.read_bytes()
    page.unlink()
    assert api.report(Path("reports/latest")).rows == stored.rows
    assert page.read_bytes() == first
    with pytest.raises(BadInput, match="no run is in it"):
        api.report(Path("reports"))


def test_cases_are_listed_by_selection(root):
    assert [row["case"] for row in api.list_cases(("http",), None, None).rows] == [CLOSED, RENAMED]
    assert [row["case"] for row in api.list_cases((), root / "cases", root / "elsewhere").rows] == [
        QUIET,
        CLOSED,
        RENAMED,
    ]
    with pytest.raises(BadInput, match="nowhere: no such folder"):
        api.list_cases((), root / "nowhere", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_cases_are_proved_in_their_order(root, workers):
    progress = []
    proofs = api.check_cases((), None, None, workers=workers, on_progress=lambda *words: progress.append(words)).cases
    assert [proof.case for proof in proofs] == [QUIET, CLOSED, RENAMED]
    assert all(proof.held for proof in proofs)
    assert [(done, total) for done, total, _ in progress] == [(1, 3), (2, 3), (3, 3)]


def test_a_check_executes_no_trial_that_a_run_with_the_same_inputs_executed(root, monkeypatch):
    executed = []
    monkeypatch.setattr(checking, "run_trial", lambda context, key: executed.append(key) or run_trial(context, key))
    assert all(one.held for one in api.check_cases((), None, None, workers=1, on_progress=quietly).cases)
    first = executed[:]
    api.run(api.RunOptions(all=True, workers=1), quietly)
    assert all(one.held for one in api.check_cases((), None, None, workers=1, on_progress=quietly).cases)
    assert first
    assert executed == first


def test_what_a_proof_needs_is_recorded_when_asked_for(root):
    (root / "cassettes" / RENAMED / "world.yaml").unlink()
    (proof,) = api.check_cases((RENAMED,), None, None, record="new_episodes", on_progress=quietly).cases
    assert proof.held
    assert (root / "cassettes" / RENAMED / "world.yaml").is_file()


def test_a_strategy_is_rendered_without_any_model(root):
    (root / "cassettes" / RENAMED / model_file(MODEL)).unlink()
    informed, uninformed = (api.render_strategy(name, RENAMED, None, None) for name in ("full-context", "none"))
    assert informed.prompt.context.strategy == "full-context"
    assert (informed.recall.share, uninformed.recall.share) == (1, 0)
    assert uninformed.holds_fix == "nowhere"
    assert "<secret:" not in uninformed.prompt.user
    with pytest.raises(UnknownName, match="unknown strategy 'full'"):
        api.render_strategy("full", RENAMED, None, None)
    with pytest.raises(UnknownName, match="unknown case"):
        api.render_strategy("none", "http/other", None, None)


def test_what_is_rendered_is_what_is_asked(root):
    rendered = api.render_strategy("full-context", RENAMED, None, None).prompt
    model_requests = [entry.model_request for entry in cassette.load(root / "cassettes" / RENAMED / model_file(MODEL))]
    assert rendered.user in [model_request["messages"][-1]["content"] for model_request in model_requests]


def test_strategies_of_the_configured_folders_are_listed_too(root):
    Path("own").mkdir()
    Path("own/mine.md.j2").write_text(template("words"), encoding="utf-8")
    config = Path("mendbench.toml")
    config.write_text(
        config.read_text().replace("[matrix]", '[paths]\nstrategies = ["own"]\n[matrix]'), encoding="utf-8"
    )
    names = [info.strategy for info in api.list_strategies() if info.kind == "strategy"]
    assert "mine" in names
    assert names == sorted(names)
    stored = api.run(replace(ONE, strategies=("mine",), repairers=("rules",)), quietly)
    assert {row["strategy"] for row in stored.rows} == {"mine"}


def test_an_error_on_purpose_in_progress_keeps_the_trials_that_were_done(root):
    def stop(done, total, last):
        raise CheckFailed("enough")

    with pytest.raises(CheckFailed):
        api.run(ONE, stop)
    assert len((PARTIAL / "trials.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    assert len(api.run(replace(ONE, resume=True), quietly).rows) == TRIALS


PROTOCOL = f"""
format: 1
model: {MODEL}
part: test
cases: {{well-known: [{RENAMED}]}}
contrasts:
  - name: full context against no context
    measure: right_after_first
    stratum: well-known
    treatment: {{strategy: full-context, policy: naive}}
    against: {{strategy: none, policy: naive}}
"""


@pytest.mark.parametrize(
    ("options", "complete"),
    [({"names": (RENAMED,)}, True), ({"names": (CLOSED,)}, False), ({"strategies": ("none",)}, False)],
    ids=["all its cases", "other cases", "one side"],
)
def test_a_run_has_a_protocol_s_plan_if_it_has_all_trials_of_the_contrasts(root, options, complete):
    (root / "cases" / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    stated = api.run(replace(ONE, **options), quietly).run["protocols"]["protocol"]
    assert ("plan" in stated) is complete
