"""The proof of a case: a sound one holds, and each way of being unsound has its finding."""

import json
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.errors import BadInput
from mendbench.recording.recorder import Recorder
from mendbench.secrets.redaction import canary
from mendbench.trial.clean_runs import CleanRunner
from mendbench.verify.proof import MutantFate, Proof, prove, proved_with
from tests.fakes.cases import (
    CLOSED,
    HOST,
    QUIET,
    RENAMED,
    RIGHT_TEXT,
    LiveRecorder,
    change_case,
    context_of,
    make_live,
    renamed_case,
    set_text,
    workflow,
    write_case,
)

ALL = (
    "the broken workflow fails as labelled",
    "two executions agree",
    "no edit fails",
    "the reference fix passes",
    "the fixed workflow runs as labelled",
    "the wrong fix fails: hard-codes the name",
    "the wrong fix fails: greets the town",
    "no mutant survives",
    "no fact stands in the frame",
    "every fact is stated",
    "no prompt depends on the truth",
    "services and cassette agree",
    "no recorded exchange is unused",
    "no secret is on a cassette",
)


def proved(root, case_id=RENAMED, recorder=None, **more):
    return prove(context_of(root, **more), case_id, recorder)


def failed(root, case_id=RENAMED, change=None):
    """Return what does not hold of a case after a change of its truth, once what it needs is recorded again."""
    if change is not None:
        change_case(root, case_id, change)
        for path in (root / "cassettes" / case_id).glob("*.yaml"):
            path.unlink()
        proved(root, case_id, Recorder("new_episodes"))
    return {finding.what: finding.why for finding in proved(root, case_id).findings if not finding.held}


def test_a_sound_case_holds_and_everything_that_the_proof_demands_is_listed_once(root):
    found = {case_id: proved(root, case_id) for case_id in (RENAMED, CLOSED, QUIET)}
    assert [(case_id, one) for case_id, proof in found.items() for one in proof.findings if not one.held] == []
    assert all(proof.held for proof in found.values())
    assert tuple(finding.what for finding in found[RENAMED].findings) == ALL
    assert "no edit passes" in {finding.what for finding in found[CLOSED].findings}


def test_a_fix_that_does_not_fix_is_found(root):
    found = failed(root, change=lambda truth: truth.update(fix=set_text("Hello ${person.response.nick}!")))
    assert "judged" in found["the reference fix passes"]
    off = found["the fixed workflow runs as labelled"]
    assert off.startswith(
        "note is failed, labelled success (Unresolved variables in parameter 'body.text': ${person.response.nick}"
    )
    assert off.endswith("; correct expect.after_fix in case.yaml, or mend the workflow or the state")
    assert "on the variant 'another person': note failed with Unresolved variables" in found["the reference fix passes"]


def test_a_fix_that_passes_only_on_the_cases_own_data_is_found(root):
    found = failed(
        root, change=lambda truth: truth.update(fix=set_text("Hello Runa!"), wrong_fixes=truth["wrong_fixes"][1:] * 2)
    )
    assert set(found) == {"the reference fix passes"}
    assert found["the reference fix passes"].startswith(f"judged plausible; request POST {HOST}/notes")


def test_a_fix_that_does_not_apply_is_found(root):
    found = failed(root, change=lambda truth: truth.update(fix=[{"op": "remove", "path": "/nodes/nowhere"}]))
    assert "nowhere" in found["the fix applies"]


def test_an_accepted_fix_that_does_not_apply_is_found(root):
    accepted = {"why": "is no fix", "patch": [{"op": "remove", "path": "/nodes/nowhere"}]}
    assert "nowhere" in failed(root, change=lambda truth: truth.update(accepts=[accepted]))["the fix applies"]


def test_a_fix_that_does_not_validate_is_found(root):
    found = failed(
        root,
        change=lambda truth: truth.update(fix=[{"op": "replace", "path": "/nodes/note/type", "value": "no-such-type"}]),
    )
    assert (
        found["the reference fix passes"] == "the fixed workflow does not validate: Unknown node type: 'no-such-type'"
    )


def test_an_accepted_fix_that_does_not_fix_is_found(root):
    accepted = {"why": "greets the town", "patch": set_text("Hello ${person.response.town}!")}
    found = failed(root, change=lambda truth: truth.update(accepts=[accepted]))
    assert "judged plausible" in found["the accepted fix passes: greets the town"]


def test_a_wrong_fix_that_passes_is_found(root):
    right = {"why": "is right after all", "patch": set_text(RIGHT_TEXT)}
    found = failed(root, change=lambda truth: truth["wrong_fixes"].append(right))
    assert set(found) == {"the wrong fix fails: is right after all"}
    assert found["the wrong fix fails: is right after all"].startswith(
        "judged repaired; every check holds on all data: "
    )


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ([{"op": "remove", "path": "/nodes/nowhere"}], "it does not apply"),
        (
            [{"op": "replace", "path": "/nodes/note/type", "value": "no-such-type"}],
            "it does not validate, so it tempts nobody: Unknown node type: 'no-such-type'",
        ),
    ],
)
def test_a_wrong_fix_that_nobody_could_make_is_found(root, patch, why):
    found = failed(root, change=lambda truth: truth["wrong_fixes"].append({"why": "is no fix", "patch": patch}))
    assert why in found["the wrong fix fails: is no fix"]


def test_a_check_that_can_never_be_reached_is_found(root):
    found = failed(
        root, change=lambda truth: truth["checks"].append({"request": {"method": "PUT", "url": f"{HOST}/never"}})
    )
    assert set(found) == {"the reference fix passes"}
    assert f"request PUT {HOST}/never: accepted 0 times" in found["the reference fix passes"]


def test_checks_that_any_edit_would_pass_are_found(root):
    def blind(truth):
        truth.update(checks=[{"kept": ["note"]}])
        truth["variants"][0]["checks"] = [{"kept": ["note"]}]

    found = failed(root, change=blind)
    wrong = {"the wrong fix fails: hard-codes the name", "the wrong fix fails: greets the town"}
    assert set(found) == {*wrong, "no mutant survives"}
    assert proved(root).mutation_score < 0.6


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ({"person": "success", "note": "success"}, "note is failed, labelled success"),
        ({"person": "error", "note": "error"}, "person is success, labelled error"),
        ({"person": "success", "note": "not_run"}, "note is failed, labelled not_run"),
    ],
)
def test_wrong_labels_are_found(root, labels, why):
    found = failed(root, change=lambda truth: truth["expect"].update(first=labels))
    assert set(found) == {"the broken workflow fails as labelled"}
    assert found["the broken workflow fails as labelled"].startswith(why)


def test_of_a_node_that_did_not_run_the_earlier_error_is_reported(root):
    document = workflow("Hello ${person.response.name}!")
    document["nodes"].append({"id": "thanks", "type": "transform", "params": {"data": {}, "expression": "@"}})
    document["edges"].append({"from": "note", "to": "thanks"})
    truth = renamed_case()
    truth["expect"]["first"]["thanks"] = "success"
    write_case(root, RENAMED, truth, document)
    off = failed(root)["the broken workflow fails as labelled"]
    assert off.startswith(
        "thanks is not_run, labelled success; not_run because note failed with Unresolved variables in"
    )


def test_of_a_workflow_that_does_not_validate_the_validators_message_is_reported(root):
    document = workflow(RIGHT_TEXT)
    document["nodes"][1]["type"] = "no-such-type"
    write_case(root, RENAMED, renamed_case(), document)
    off = failed(root)["the broken workflow fails as labelled"]
    assert off.startswith(
        "person is not_run, labelled success; note is not_run, labelled error; "
        "not_run because the workflow does not validate: Unknown node type: 'no-such-type'"
    )


def test_a_case_whose_workflow_works_is_found(root):
    write_case(root, RENAMED, renamed_case(), workflow(RIGHT_TEXT))
    found = failed(root)
    assert found["the broken workflow fails as labelled"].startswith("note is success, labelled error; correct expect.")


def test_a_case_for_the_user_that_ends_without_a_word_is_found(root):
    def silent(truth):
        truth["faults"][0]["says"] = "quite another text"
        truth["checks"] = truth["checks"][1:]

    assert "judged missed_warning" in failed(root, CLOSED, silent)["no edit passes"]


def test_an_unused_exchange_is_found(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    first = cassette.load(path)[0]
    unused = cassette.Entry(
        key="0123456789abcdef", request=first.request, response=first.response, service="json_api", n=7
    )
    cassette.append(path, unused)
    unused = f"1 are: GET {HOST}/people/p-1; state, inputs or a fix changed since the recording: record it again with "
    assert failed(root) == {
        "no recorded exchange is unused": f"{unused}`mendbench case check {RENAMED} --record new_episodes`"
    }


@pytest.mark.parametrize("mode", ["all", "new_episodes"])
def test_recording_leaves_what_the_proof_uses_and_no_exchange_of_earlier_data(root, mode):
    def other_town(truth):
        truth["state"]["json_api"]["collections"]["people"]["p-1"]["town"] = "Å"

    change_case(root, RENAMED, other_town)
    before = len(cassette.load(root / "cassettes" / RENAMED / "world.yaml"))
    found = proved(root, recorder=Recorder(mode))
    assert (found.held, found.dropped) == (True, before)
    assert failed(root) == {}


def test_recording_deletes_nothing_of_a_case_that_does_not_hold(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    before = {entry.key for entry in cassette.load(path)}
    change_case(root, RENAMED, lambda truth: truth.update(fix=set_text("Hello ${person.response.nick}!")))
    found = proved(root, recorder=Recorder("all"))
    assert (found.held, found.dropped) == (False, 0)
    assert before <= {entry.key for entry in cassette.load(path)}


def test_recording_that_breaks_off_deletes_nothing(root, monkeypatch):
    path = root / "cassettes" / RENAMED / "world.yaml"
    before = {entry.key for entry in cassette.load(path)}
    change_case(root, RENAMED, lambda truth: truth["state"]["json_api"]["collections"].update(spare={}))
    monkeypatch.setattr("mendbench.verify.proof._mutants", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        proved(root, recorder=Recorder("all"))
    assert before < {entry.key for entry in cassette.load(path)}


def test_a_canary_on_a_cassette_is_found_in_whichever_file_it_stands(root):
    path = next(path for path in (root / "cassettes" / RENAMED).glob("*.yaml") if path.name != "world.yaml")
    path.write_text(
        path.read_text(encoding="utf-8").replace("Hello", f"Hello {canary(RENAMED, 'desk')}", 1), encoding="utf-8"
    )
    assert failed(root) == {"no secret is on a cassette": f"desk in {path.name}"}


def test_a_fact_that_stands_in_the_frame_is_found(root):
    found = failed(root, change=lambda truth: truth["faults"][0].update(facts=["called", "person_id"]))
    assert set(found) == {"no fact stands in the frame"}
    assert found["no fact stands in the frame"].startswith(
        "'person_id' stands in workflow.json: /inputs/person_id ('person_id'), "
        "workflow.json: /nodes/person/params/url ('person_id'); every strategy would know it: "
    )


def test_an_answer_that_the_service_would_not_give_is_found(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace('"town":"Vik"', '"town":"Oslo"'), encoding="utf-8")
    key = cassette.load(path)[0].key
    assert failed(root)["services and cassette agree"] == (
        f'GET {HOST}/people/p-1 (key {key}, exchange 1 of world.yaml): body /town is "Oslo" in the recording and "Vik" from the simulator; '
        f"record it again with `mendbench case check {RENAMED} --record all`, "
        "or change state so that the simulator gives the recorded response"
    )


def test_an_answer_that_the_service_would_give_at_another_speed_is_found(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    text = path.read_text(encoding="utf-8")
    assert "elapsed_ms: 96" in text
    path.write_text(text.replace("elapsed_ms: 96", "elapsed_ms: 97", 1), encoding="utf-8")
    assert "elapsed_ms is 97 in the recording and 96 from the simulator" in failed(root)["services and cassette agree"]


def test_a_lost_recording_of_a_live_world_is_found_with_the_command_that_records_it(root):
    make_live(root, RENAMED)
    proved(root, RENAMED, LiveRecorder(trajectory=False))
    assert failed(root) == {}
    path = root / "cassettes" / RENAMED / "world.yaml"
    cassette.rewrite(path, [entry for entry in cassette.load(path) if b"Hello Leif" not in entry.request.body])
    found = failed(root)
    assert f"mendbench case check {RENAMED} --record new_episodes" in found["everything is recorded"]


def test_a_broken_cassette_is_bad_input(root):
    (root / "cassettes" / RENAMED / "world.yaml").write_text("version: 1\ninteractions: nonsense\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"world\.yaml"):
        proved(root)


def without_the_tag(truth):
    for check in (truth["checks"][0], truth["variants"][0]["checks"][0]):
        del check["request"]["json"]["tag"]


def test_a_mutant_that_survives_is_listed(root):
    assert proved(root).mutation_score == 1
    assert failed(root, change=without_the_tag) == {"no mutant survives": "without note's body.tag"}
    found = proved(root)
    (survivor,) = (mutant for mutant in found.mutants if mutant.fate == "survived")
    assert survivor.what == "without note's body.tag"
    assert survivor.patch == (*set_text(RIGHT_TEXT), {"op": "remove", "path": "/nodes/note/params/body/tag"})
    assert 0.5 < found.mutation_score < 1


def with_any_key(truth):
    truth["state"]["json_api"]["routes"]["POST /notes"]["schema"]["additionalProperties"] = True


def with_only_its_keys(truth):
    with_any_key(truth)
    for check in (truth["checks"][0], truth["variants"][0]["checks"][0]):
        check["request"]["only"] = True


def test_a_key_that_nobody_asked_for_and_the_service_keeps_is_reported_by_only(root):
    assert failed(root, change=with_any_key) == {"no mutant survives": "note's body with remark beside the rest"}
    assert failed(root, change=with_only_its_keys) == {}


def test_a_mutant_that_is_an_accepted_fix_counts_for_nothing(root):
    patch = [*set_text(RIGHT_TEXT), {"op": "remove", "path": "/nodes/note/params/body/tag"}]

    def accept(truth):
        without_the_tag(truth)
        truth["accepts"] = [{"why": "the tag is nobody's wish", "patch": patch}]

    assert failed(root, change=accept) == {}
    found = proved(root)
    assert {mutant.fate for mutant in found.mutants if mutant.what == "without note's body.tag"} == {"accepted"}
    assert found.mutation_score == 1


@pytest.mark.parametrize(
    ("fates", "mutation_score"),
    [
        ([], None),
        (["invalid", "missed"], None),
        (["killed", "killed"], 1.0),
        (["killed", "survived", "killed", "killed", "invalid", "missed"], 0.75),
        (["survived"], 0.0),
    ],
)
def test_strength_is_killed_of_those_that_were_judged(fates, mutation_score):
    mutants = tuple(MutantFate(kind="constant", what="m", fate=fate) for fate in fates)
    assert (
        Proof(case="a/b", kind="repairable", findings=(), mutants=mutants, recorded_from={}, seconds=0.0).mutation_score
        == mutation_score
    )


def test_a_strategy_of_the_users_own_folder_is_proved_too(root, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.md.j2").write_text(
        "---\ntitle: mine\nsource: here\nsections:\n  - {name: said, label: raw, keep: 1}\n---\n{% block said %}hello{% endblock %}\n",
        encoding="utf-8",
    )
    assert proved(root, strategy_dirs=(folder,)).held


def test_a_proof_changes_no_file(root):
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    proved(root)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_proof_twice_is_the_same_but_for_its_seconds(root):
    def stable(found):
        return json.dumps([[str(one) for one in found.findings], [str(one) for one in found.mutants]])

    assert stable(proved(root)) == stable(proved(root))


def test_a_proof_runs_workflows_as_trials_do(root, monkeypatch):
    ran, run_fresh = [], CleanRunner.run_fresh
    monkeypatch.setattr(CleanRunner, "run_fresh", lambda *words: ran.append(words) or run_fresh(*words))
    assert proved(root).held
    assert {(runner.case.id, variant and variant.name) for runner, _, variant in ran} == {
        (RENAMED, None), (RENAMED, "another person"),
    }  # fmt: skip


def test_what_a_proof_uses_of_the_world_is_reported_wherever_it_stands(root):
    folder = root / "cassettes" / RENAMED
    entries = cassette.load(folder / "world.yaml")
    spare = replace(entries[0], key="f" * 16)
    cassette.rewrite(folder / "world.yaml", entries[1:])
    for entry in (entries[0], spare):
        cassette.append(folder / "world.trajectories.yaml", entry)
    assert proved_with(context_of(root), RENAMED) == {entry.key for entry in entries}
