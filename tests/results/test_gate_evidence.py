from dataclasses import replace
from pathlib import Path

from mendbench.results.baseline import entry_of
from mendbench.results.gate_evidence import (
    MAX_FACTS,
    changed_responses,
    lost_facts,
    prompt_hints,
    reasons,
    secrets_in,
)
from mendbench.secrets.redaction import canary
from tests.fakes.runs import (
    crashed,
    hopeless,
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
    small_run,
    stored_run,
    unjudged,
    unrepaired,
    user_only,
)

CASE = repairable()


def evidence(happened, case=CASE, **more):
    return reasons(*row_of(case, happened, key_of(case), **more))


def test_a_right_trial_needs_no_reason():
    assert evidence(repaired()) == ()


def test_a_wrong_trial_states_the_check_that_does_not_hold_with_the_request_that_differs():
    (line, *_) = evidence(plausible())
    assert "does not hold: accepted 0 times" in line
    assert "Hi ada!" in line


def test_a_node_whose_state_is_not_the_labelled_one_is_reported():
    assert evidence(hopeless(), user_only())[0] == "node greet: error where warning is right"


def test_a_changed_response_is_reported_with_its_request_and_its_key():
    row, texts = row_of(CASE, repaired(), key_of(CASE))
    row["requests"][0] |= {"key": "0123456789abcdef", "method": "POST", "url": "https://a.example/b", "status": 422}
    assert changed_responses(row, texts, ("01234567@30", "89abcdef@30")) == (
        "changed response: POST https://a.example/b, now 422, key 01234567",
        "changed response in a run that judges the trial: key 89abcdef",
    )
    assert changed_responses(row, texts, tuple("abcde"))[-1] == "2 more changed responses"
    assert changed_responses(row, texts, ()) == ()


def with_facts(found, missing):
    row, texts = row_of(CASE, repaired(), key_of(CASE))
    row["attempts"][0]["facts"] = {"found": list(found), "missing": list(missing)}
    return row, texts


def test_the_facts_that_a_prompt_no_longer_states_are_named_in_plain_text():
    before = entry_of(with_facts(["a", r"\bb\b", "c"], ["d"])[0])
    plain = {r"\bb\b": "b"}
    (line,) = lost_facts(*with_facts(["c"], [r"\bb\b", "a", "d"]), before, lambda fact: plain.get(fact, fact))
    assert line == "no longer in the first prompt: b, a"
    assert lost_facts(*with_facts(["a", r"\bb\b", "c", "d"], []), before, str) == ()
    many = [f"fact{number}" for number in range(MAX_FACTS + 2)]
    (line,) = lost_facts(*with_facts([], many), entry_of(with_facts(many, [])[0]), str)
    assert line.endswith("fact4 and 2 more")


def test_the_commands_that_show_a_changed_prompt_and_what_changed_in_it_are_named():
    key = key_of(CASE, "a b.md.j2")
    one, other = (entry_of(row_of(CASE, repaired(), key)[0]) for _ in range(2))
    edited = replace(other, responses=(replace(other.responses[0], prompt="00000000"),))
    baseline, render = (
        Path("baseline.tsv"),
        f"the prompt now: mendbench strategy render 'a b.md.j2' {CASE.id} --model tiny-coder",
    )
    assert prompt_hints(key, one, edited, None, baseline) == (render,)
    before = "git show $(git log -1 --format=%h -- baseline.tsv):'./ours/a b.md.j2' > before.md.j2"
    diff = f"mendbench strategy diff ./before.md.j2 'a b.md.j2' {CASE.id}"
    changed = prompt_hints(key, one, edited, Path("ours/a b.md.j2"), baseline)
    assert changed == (render, f"what changed in it: {before} && {diff}")
    for trial, after in ((key, other), (replace(key, engine="theirs"), edited), (key, replace(other, responses=()))):
        assert prompt_hints(trial, one, after, None, baseline) == ()


def test_many_checks_are_counted():
    assert len(evidence(unrepaired())) <= 4


def test_a_trial_without_a_verdict_states_what_would_give_it_one():
    assert evidence(repaired(), problem=unjudged()) == (unjudged().message,)
    assert evidence(repaired(), problem=crashed()) == ("ValueError: boom",)


def test_a_secret_is_found_wherever_it_stands_and_whatever_stands_around_it():
    secret = canary(CASE.id, "slack")
    run = stored_run(
        [
            row_of(CASE, repaired(frame=f"the token is {secret}"), key_of(CASE)),
            row_of(CASE, repaired(context=f"{'word ' * 60} Bearer {secret}"), key_of(CASE, "none")),
            row_of(CASE, repaired(), key_of(CASE, "full-context")),
        ]
    )
    found = dict(secrets_in(run))
    assert {key.split(" | ")[4]: places for key, places in found.items()} == {
        "summary": (f"attempts[1].frame holds a secret in the clear ({secret[:14]}...)",),
        "none": (f"attempts[1].sections[1].text holds a secret in the clear ({secret[:14]}...)",),
    }


def test_a_run_without_secrets_has_none():
    assert secrets_in(small_run()) == ()
