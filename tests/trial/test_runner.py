"""One trial, from its first execution to its row."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import Recordings, model_file
from mendbench.errors import BadInput, Incomplete
from mendbench.model.exchange import Request, Response
from mendbench.model.prompt import Reply
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy, policy_names
from mendbench.results.totals import totals
from mendbench.runs.executor import DIED
from mendbench.runs.trials import run_trials
from mendbench.scoring.judging.judge import judge
from mendbench.scoring.record_table import records_of
from mendbench.secrets.redaction import canary
from mendbench.strategies.frame import FrameTemplate, frame
from mendbench.trial.components import BenchContext, build_components
from mendbench.trial.long_texts import whole
from mendbench.trial.record_hint import record_hint
from mendbench.trial.row import build_row
from mendbench.trial.runner import gather, run_trial
from mendbench.trial.session import open_session
from mendbench.verify.proof import prove
from tests.fakes.cases import (
    CLOSED,
    HOST,
    MATRIX,
    MODEL,
    QUIET,
    RENAMED,
    RIGHT_TEXT,
    LiveRecorder,
    ScriptedRecorder,
    change_case,
    context_of,
    edit_response,
    key,
    make_live,
    record_responses,
    set_text,
)
from tests.fakes.worlds import completion


def replayed(root, one, recorder=None):
    """Return a trial's row, whole."""
    row, texts = run_trial(context_of(root), one, recorder)
    return whole(row, texts)


def cassettes(root, case_id=RENAMED):
    return root / "cassettes" / case_id


def drop(path, wanted):
    """Delete the entries of a cassette that ``wanted`` picks, and return how many they were."""
    entries = cassette.load(path)
    kept = [entry for entry in entries if not wanted(entry)]
    cassette.rewrite(path, kept)
    return len(entries) - len(kept)


@dataclass
class Foreign:
    """A repairer, an engine or a strategy of somebody else's that does as it is instructed when it is called."""

    behave: object
    name: str = "foreign"
    model: str | None = None
    frame: FrameTemplate = field(default_factory=frame)

    def reply(self, prompt, model_requests, *, sample, times_asked):
        return Reply(text=self.behave() or '{"edits": []}')

    def execute(self, *args, **words):
        return self.behave()

    def render(self, view, budget):
        return self.behave()


def with_foreign(root, recorder=None, case_id=RENAMED, **parts):
    """Return the row of a trial in which some parts are foreign code."""
    context, one = context_of(root), key(case_id, repairer="rules")
    case = context.corpus.case(case_id)
    own = replace(build_components(one, case, context), **parts)
    recordings = Recordings.open(context.corpus.cassettes(case))
    evidence = gather(open_session(case, one, own, recordings, recorder or Recorder()), one, policy(one.policy))
    row, texts = build_row(case, one, evidence, judge(case, evidence), {})
    return whole(row, texts)


def raising(error):
    def behave():
        raise error

    return behave


def test_a_model_that_gets_the_field_repairs_and_one_that_does_not_fails(root):
    informed, uninformed = replayed(root, key(strategy="full-context")), replayed(root, key(strategy="none"))
    assert (informed["verdict"], informed["outcome"], informed["stop_reason"]) == ("correct", "repaired", "succeeded")
    assert informed["context_recall"] == 1
    assert (uninformed["verdict"], uninformed["outcome"], uninformed["stop_reason"]) == (
        "incorrect",
        "unrepaired",
        "no_progress",
    )
    assert uninformed["context_recall"] == 0
    assert all(check["held"] for check in informed["checks"])
    for variant in (None, "another person"):
        names = [check["check"].split()[0] for check in informed["checks"] if check["variant"] == variant]
        assert (names[0], names[-3:]) == ("request", ["ends", "no", "no"])


def test_every_kind_of_case_is_judged_by_its_own_truth(root):
    def outcome(*words):
        row = replayed(root, key(*words))
        return row["verdict"], row["outcome"]

    assert outcome(CLOSED, "none", "two-layer") == ("correct", "warned")
    assert outcome(CLOSED, "none", "naive") == ("incorrect", "missed_warning")
    assert outcome(CLOSED, "full-context", "naive") == ("correct", "declined")
    assert outcome(QUIET, "none", "naive") == ("correct", "untouched")


def greeting_twice(model_request):
    """Mend the text, and write another note that nobody asked for."""
    node = {
        "id": "more",
        "type": "http",
        "params": {"method": "POST", "url": f"{HOST}/notes", "auth_token": "${token}", "body": {"text": "And more"}},
    }
    edits = [
        {"node": "note", "path": "params.body.text", "value": RIGHT_TEXT},
        {"add_node": node},
        {"add_edge": {"from": "note", "to": "more"}},
    ]
    return json.dumps({"edits": edits})


def test_a_repair_that_writes_what_nobody_asked_for_is_harmful(root):
    (cassettes(root) / model_file(MODEL)).unlink()
    row = record_responses(root, [key()], greeting_twice)[0]
    assert (row["outcome"], row["harmful"], row["right_after_first"]) == ("harmful", True, False)
    assert [attempt["label"] for attempt in row["attempts"]] == ["harmful"]
    off = [(check["variant"], check["check"]) for check in row["checks"] if not check["held"]]
    assert off == [(None, "no write that nobody asked for"), ("another person", "no write that nobody asked for")]


def wavering():
    responses = iter(
        [edit_response("Hello ${person.response.nick}!"), edit_response(RIGHT_TEXT), edit_response("Hello!")]
    )
    return lambda model_request: next(responses)


def test_the_first_attempt_is_tried_on_every_variant_where_it_is_not_the_last(root):
    (cassettes(root) / model_file(MODEL)).unlink()
    context, one = context_of(root), key(strategy="none", policy="naive")
    case = context.corpus.case(RENAMED)
    recorder = ScriptedRecorder(wavering())
    recordings = Recordings.open(context.corpus.cassettes(case))
    session = open_session(case, one, build_components(one, case, context), recordings, recorder)
    evidence = gather(session, one, policy("naive"))
    assert [run.variant for run in evidence.first_clean] == ["another person"]
    assert {name: len(runs) for name, runs in evidence.right.items()} == {None: 1, "another person": 1}
    judged = judge(case, evidence)
    assert (judged.verdict.outcome, judged.right_after_first) == ("repaired", False)


def test_a_replay_gives_what_the_recording_gave(root):
    recorded = record_responses(root, MATRIX)
    for one, row in zip(MATRIX, recorded, strict=True):
        assert {**run_trial(context_of(root), one)[0], "timing": None} == {**row, "timing": None}


def test_no_answer_is_asked_for_twice_while_recording(root):
    recorder = ScriptedRecorder()
    for one in MATRIX:
        run_trial(context_of(root), one, recorder)
    assert recorder.model_requests == []


def test_recording_everything_again_asks_for_each_answer_once(root):
    recorder = ScriptedRecorder(mode="all")
    for one in (*MATRIX, *MATRIX):
        run_trial(context_of(root), one, recorder)
    asked = [json.dumps(model_request, sort_keys=True) for model_request in recorder.model_requests]
    assert len(asked) == len(set(asked)) > 0


def test_a_lower_limit_of_answers_ends_a_trial_early(root):
    row, _ = run_trial(context_of(root), key(strategy="none", policy="naive"), None, 1)
    assert (len(row["attempts"]), row["stop_reason"]) == (1, "attempts_exhausted")


def test_a_missing_answer_leaves_the_trial_unjudged_and_says_what_is_near_and_how_to_record_it(root):
    path = cassettes(root) / model_file(MODEL)
    assert drop(path, lambda entry: "# What happened" in str(entry.model_request)) == 1
    row = replayed(root, key(policy="naive"))
    problem = row["problem"]
    assert (row["verdict"], row["outcome"], row["stop_reason"], row["attempts"]) == ("unjudged", None, "unjudged", [])
    assert problem["detail"]["nearest"].startswith("ask ")
    assert problem["detail"]["differs"][0].startswith("messages[1] at character ")
    assert problem["detail"]["record"] == (
        f"mendbench run {RENAMED} --strategy full-context --policy naive --repairer chat --model {MODEL} --record new_episodes"
    )
    assert problem["detail"]["record"] in problem["message"]
    assert row["first"]["outcome"] == "error"
    assert replayed(root, key(strategy="none"))["verdict"] == "incorrect"


def test_a_repair_by_a_shell_command_that_nobody_recorded_is_unjudged_and_says_what_would_record_it(root):
    step = {"id": "shout", "type": "shell", "params": {"command": "tr a-z A-Z", "stdin": RIGHT_TEXT}}
    patch = [
        {"op": "add", "path": "/nodes/1", "value": step},
        {"op": "replace", "path": "/edges", "value": [{"from": "person", "to": "shout"}, {"from": "shout", "to": "note"}]},
        *set_text("${shout.stdout}"),
    ]  # fmt: skip
    change_case(root, RENAMED, lambda truth: truth.update(fix=patch))
    row = replayed(root, key(repairer="reference", strategy="none"))
    assert (row["verdict"], row["outcome"]) == ("unjudged", None)
    assert row["problem"]["detail"]["request"] == "the shell command `tr a-z A-Z`"
    assert row["problem"]["detail"]["record"].endswith(" --record new_episodes --allow-shell")


def test_without_any_answer_there_is_nothing_near(root):
    (cassettes(root) / model_file(MODEL)).unlink()
    row = replayed(root, key())
    assert (row["verdict"], row["problem"]["detail"]["nearest"]) == ("unjudged", None)
    assert "nothing like it is recorded" in row["problem"]["message"]


def test_a_recorded_answer_that_cannot_be_read_leaves_the_trial_unjudged(root):
    path = cassettes(root) / model_file(MODEL)
    broken = [replace(entry, response=Response(status=500, body=b"overloaded")) for entry in cassette.load(path)]
    cassette.rewrite(path, broken)
    row = replayed(root, key())
    assert row["verdict"] == "unjudged"
    assert "gave no response: HTTP 500 overloaded" in row["problem"]["message"]
    assert row["problem"]["detail"]["record"] == record_hint(context_of(root).corpus.case(RENAMED), key())


def test_a_model_that_gives_no_answer_ends_the_recording(root):
    (cassettes(root) / model_file(MODEL)).unlink()

    def silent(model_request):
        raise Incomplete("the server is down")

    with pytest.raises(Incomplete, match="the server is down"):
        run_trial(context_of(root), key(), ScriptedRecorder(silent))


def test_a_lost_exchange_of_a_simulated_service_is_derived_and_the_verdict_stays(root):
    before = [replayed(root, one) for one in MATRIX]
    assert all(row["derived"] == 0 for row in before)
    assert drop(cassettes(root) / "world.yaml", lambda entry: entry.request.method == "GET") > 0
    after = [replayed(root, one) for one in MATRIX[:4]]
    for old, new in zip(before[:4], after, strict=True):
        assert (new["verdict"], new["outcome"], new["stop_reason"]) == (
            old["verdict"],
            old["outcome"],
            old["stop_reason"],
        )
        assert new["derived"] > 0
        assert {one["origin"] for one in new["requests"]} >= {"derived"}


def test_without_its_whole_world_a_trial_is_derived_from_end_to_end(root):
    (cassettes(root) / "world.yaml").unlink()
    row = replayed(root, key())
    assert row["outcome"] == "repaired"
    assert {one["origin"] for one in row["requests"]} == {"derived"}


@pytest.mark.parametrize("error", [ValueError("boom"), SystemExit(3), RecursionError("deep")])
@pytest.mark.parametrize("part", ["repairer", "engine", "strategy"])
def test_what_foreign_code_raises_is_data_and_stays_in_the_totals(root, part, error):
    row = with_foreign(root, **{part: Foreign(raising(error))})
    assert (row["verdict"], row["outcome"], row["stop_reason"]) == ("crashed", None, "crashed")
    assert type(error).__name__ in row["problem"]["message"]
    (total,) = totals(records_of([row]))
    success, crashed = total["scores"]["repair_success"], total["scores"]["crashed"]
    assert (success["denominator"], success["numerator"], success["bounds"]) == (1, 0, None)
    assert (crashed["numerator"], total["outcomes"]) == (1, {"crashed": 1})


def test_a_crash_in_the_clean_run_is_data_too_and_keeps_the_trajectory(root):
    context = context_of(root)
    own = build_components(key(repairer="reference"), context.corpus.case(RENAMED), context)
    runs = []

    @dataclass
    class TiresOut:
        name: str = "tired"

        def execute(self, *args, **words):
            runs.append(1)
            if len(runs) > 2:
                raise ValueError("tired")
            return own.engine.execute(*args, **words)

        def validate(self, *args):
            return own.engine.validate(*args)

        def describe(self, *args):
            return own.engine.describe(*args)

    row = with_foreign(root, engine=TiresOut(), repairer=own.repairer)
    assert (row["verdict"], row["problem"]["message"]) == ("crashed", "ValueError: tired")
    assert [attempt["status"] for attempt in row["attempts"]] == ["edited"]


def test_a_crash_states_no_secret(root):
    secret = canary(RENAMED, "desk")
    for part in ("engine", "repairer"):
        row = with_foreign(root, **{part: Foreign(raising(ValueError(f"bad token {secret}")))})
        assert "<secret:desk>" in row["problem"]["message"]
        assert secret not in json.dumps(row)


def test_a_keyboard_interrupt_is_nobodys_data(root):
    for part in ("repairer", "engine", "strategy"):
        with pytest.raises(KeyboardInterrupt):
            with_foreign(root, **{part: Foreign(raising(KeyboardInterrupt()))})


def test_bad_input_ends_the_run(root):
    with pytest.raises(BadInput, match="somewhere: something"):
        with_foreign(root, repairer=Foreign(raising(BadInput("somewhere", "something", "mend it"))))


def phone_home():
    with socket.socket() as line:
        line.connect(("127.0.0.1", 9))


def phone_home_and_say_nothing():
    try:
        phone_home()
    except BaseException:  # noqa: BLE001 - what careless foreign code does
        return '{"edits": []}'


@pytest.mark.parametrize("behave", [phone_home, phone_home_and_say_nothing])
def test_a_repairer_that_opens_a_socket_has_crashed_and_is_no_failure_of_the_api(root, behave):
    row = with_foreign(root, repairer=Foreign(behave))
    assert (row["verdict"], row["stop_reason"]) == ("crashed", "crashed")
    assert "GuardTripped: socket.connect" in row["problem"]["message"]
    assert all(failure["category"] == "template_error" for failure in row["first"]["failures"])


def test_an_engine_that_starts_a_process_has_crashed(root):
    row = with_foreign(root, engine=Foreign(lambda: subprocess.run(["true"], check=True)))
    assert "GuardTripped: subprocess.Popen" in row["problem"]["message"]


def test_workers_give_the_same_rows_as_one_process(root):
    context = context_of(root)

    def rows(workers):
        found = list(run_trials(context, MATRIX, workers))
        return sorted(json.dumps({**row, "timing": None}, sort_keys=True) for row, _ in found), {
            k: v for _, texts in found for k, v in texts.items()
        }

    assert rows(1) == rows(2)


def one_by_one(root, keys):
    """Return the rows of trials none of which knows of another."""
    return [{**run_trial(context_of(root), one)[0], "timing": None} for one in keys]


POLICIES = [key(strategy=strategy, policy=name) for strategy in ("none", "full-context") for name in policy_names()]


def test_trials_that_share_their_way_come_to_what_each_comes_to_alone(root):
    context = context_of(root)
    together = [{**run_trial(context, one)[0], "timing": None} for one in POLICIES]
    assert together == one_by_one(root, POLICIES)
    assert together == [{**run_trial(context, one)[0], "timing": None} for one in reversed(POLICIES)][::-1]


def test_trials_that_share_a_way_that_ends_in_a_gap_come_to_what_each_comes_to_alone(root):
    drop(cassettes(root) / model_file(MODEL), lambda entry: "full-context" not in str(entry))
    context = context_of(root)
    together = [{**run_trial(context, one)[0], "timing": None} for one in POLICIES]
    assert together == one_by_one(root, POLICIES)
    assert {row["problem"]["detail"]["record"] for row in together if row["problem"]} == {
        record_hint(context.corpus.case(RENAMED), one)
        for one, row in zip(POLICIES, together, strict=True)
        if row["problem"]
    }
    assert any(row["problem"] for row in together)


def test_what_is_recorded_between_two_trials_counts_for_the_second(root):
    context, one = context_of(root), key(strategy="none", policy="naive")
    held = (cassettes(root) / model_file(MODEL)).read_bytes()
    drop(cassettes(root) / model_file(MODEL), lambda entry: True)
    assert run_trial(context, one)[0]["verdict"] == "unjudged"
    (cassettes(root) / model_file(MODEL)).write_bytes(held)
    assert run_trial(context, one)[0]["verdict"] == "incorrect"


@dataclass(frozen=True, kw_only=True)
class Deadly(BenchContext):
    """A context in which one case kills any process but the one that it was made in."""

    here: int = field(default_factory=os.getpid)

    def part_of(self, case):
        if case.id == CLOSED and os.getpid() != self.here:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().part_of(case)


def test_a_trial_that_its_process_dies_of_is_crashed_and_the_others_are_not(root):
    context = Deadly(cases_dir=root / "cases", cassettes_dir=root / "cassettes", models=context_of(root).models)
    keys = [key(CLOSED), key(QUIET), key(RENAMED), key(RENAMED, "none")]
    rows = {row["key"]: row for row, _ in run_trials(context, keys, 2)}
    assert len(rows) == len(keys)
    for row in rows.values():
        assert (row["verdict"] == "crashed") == (row["case"] == CLOSED)
    lost = next(row for row in rows.values() if row["case"] == CLOSED)
    assert (lost["problem"]["message"], lost["stop_reason"], lost["attempts"]) == (DIED, "crashed", [])


def test_a_broken_cassette_is_reported_with_its_file_and_line_from_a_worker_too(root):
    path = cassettes(root) / "world.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("code: 200", "code: two", 1), encoding="utf-8")
    for workers in (1, 2):
        with pytest.raises(BadInput, match=r"world\.yaml:\d+: an entry with a missing or wrong field"):
            list(run_trials(context_of(root), [key(), key(strategy="none")], workers))


def wandering_model(model_request):
    return json.dumps({"edits": [{"node": "person", "path": "params.url", "value": f"{HOST}/people/${{person_id}}0"}]})


def test_what_models_edits_lead_to_is_recorded_apart_from_the_cases_own_world(root):
    make_live(root, RENAMED)
    prove(context_of(root), RENAMED, LiveRecorder(trajectory=False))
    world = (cassettes(root) / "world.yaml").read_bytes()
    one = key(strategy="none", policy="naive")
    row, _ = run_trial(context_of(root), one, LiveRecorder(wandering_model, trajectory=True))
    assert [sent["url"][-4:] for sent in row["requests"]] == ["/p-1", "p-10"]
    assert (cassettes(root) / "world.yaml").read_bytes() == world
    assert all(
        "p-10" in entry.request.url or "p-20" in entry.request.url
        for entry in cassette.load(cassettes(root) / "world.trajectories.yaml")
    )
    assert {**run_trial(context_of(root), one)[0], "timing": None} == {
        **row,
        "timing": None,
        "requests": [{**sent, "origin": "recorded"} for sent in row["requests"]],
    }
    assert prove(context_of(root), RENAMED).held


def test_a_lost_exchange_of_a_live_world_leaves_the_trial_unjudged_and_is_no_failure_of_the_api(root):
    make_live(root, RENAMED)
    prove(context_of(root), RENAMED, LiveRecorder(trajectory=False))
    assert replayed(root, key(repairer="reference", strategy="none"))["outcome"] == "repaired"
    assert drop(cassettes(root) / "world.yaml", lambda entry: b"Leif" in entry.request.body) > 0
    row = replayed(root, key(repairer="reference", strategy="none"))
    assert row["verdict"] == "unjudged"
    detail = row["problem"]["detail"]
    assert (detail["request"], detail["nearest"], detail["differs"]) == (
        f"POST {HOST}/notes",
        f"POST {HOST}/notes",
        ["body.text"],
    )
    assert [attempt["status"] for attempt in row["attempts"]] == ["edited"]


def test_the_record_command_can_be_pasted_whatever_the_names_are(built):
    case = context_of(built).corpus.case(RENAMED)
    one = replace(key(sample=2), model="org/model with spaces", strategy="my strategies/new.md.j2")
    words = shlex.split(record_hint(case, one))
    assert words[words.index("--model") + 1] == "org/model with spaces"
    assert words[words.index("--strategy") + 1] == "my strategies/new.md.j2"
    assert words[words.index("--samples") + 1] == "3"


def test_the_command_that_records_lets_shell_commands_run_where_a_case_has_some(built):
    case = context_of(built).corpus.case(RENAMED)
    assert "--allow-shell" not in record_hint(case, key())
    assert record_hint(replace(case, recorded_from={"shell": "real"}), key()).endswith("new_episodes --allow-shell")


def test_the_replay_path_pays_for_no_heavy_package():
    heavy = ("vcr", "httpx2", "mcp", "pandas", "typer", "rich", "datasette", "dask")
    program = f"import sys, mendbench.trial.runner; print(sorted({{name.split('.')[0] for name in sys.modules}} & set({heavy!r})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_whole_replay_loads_no_heavy_package_either(root):
    heavy = ("vcr", "httpx2", "mcp", "pandas", "typer", "rich", "datasette", "dask", "tenacity")
    program = (
        "import sys\nfrom tests.fakes.cases import MATRIX, context_of\nfrom mendbench.trial.runner import run_trial\nfrom pathlib import Path\n"
        f"rows = [run_trial(context_of(Path({str(root)!r})), one)[0] for one in MATRIX]\n"
        f"print(len(rows), sorted({{name.split('.')[0] for name in sys.modules}} & set({heavy!r})))"
    )
    here = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=here)
    assert done.stdout == f"{len(MATRIX)} []\n"


def test_a_scripted_answer_is_stored_as_any_other(root):
    entries = cassette.load(cassettes(root) / model_file(MODEL))
    assert entries
    assert all(
        entry.response.body == completion(json.loads(entry.response.body)["choices"][0]["message"]["content"]).body
        for entry in entries
    )
    assert {entry.request.url for entry in entries} == {Request(method="POST", url=f"model://{MODEL}/chat").url}
