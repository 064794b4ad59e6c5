"""The gate over real replays: regressions made on purpose are caught with the right words, and what is none is not.

The rule book answers, so that no model is needed; the cases are shipped ones.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench import api
from mendbench.cli.gate_view import show_gate
from mendbench.cli.options import Format
from mendbench.detectors.structural import rule_order
from mendbench.errors import BadInput
from mendbench.repair import policies
from mendbench.results.store import read_run
from mendbench.runs import trials
from mendbench.runtime import failures, observation, unresolved, walk
from mendbench.scoring.gating.result import COSTS
from mendbench.secrets.redaction import Redactor
from mendbench.strategies.template import TEMPLATES
from mendbench.trial.runner import run_trial
from tests.fakes import cases

ROOT = Path(__file__).parents[2]
CASES, CASSETTES = ROOT / "cases", ROOT / "cassettes"
MENDED, ALSO_MENDED, STUCK, ABSENT = (
    "template/wrong-field-among-25-nodes", "template/wrong-non-ascii-field-name",
    "template/display-name-field-does-not-exist", "slack/channel-id-does-not-exist",
)  # fmt: skip
CONFIG = 'format = 1\n[matrix]\nstrategies = ["summary"]\npolicies = ["two-layer"]\nrepairers = ["rules"]\n'
MINE = "mine.md.j2"


def quietly(_done, _total, _last):
    """Take progress and say nothing."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A team's folder: a configuration, a template of its own, and the recordings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mendbench.toml").write_text(CONFIG, encoding="utf-8")
    template = (Path(str(TEMPLATES)) / "full-context.md.j2").read_text(encoding="utf-8")
    (tmp_path / MINE).write_text(template, encoding="utf-8")
    return tmp_path


def ran(*names, policies=("two-layer",), out="reports/latest"):
    options = api.RunOptions(
        names=names, cases=CASES, cassettes=CASSETTES, repairers=("rules",), strategies=(MINE,), policies=policies, workers=1, fresh=True,
        out=Path(out)
    )  # fmt: skip
    return api.run(options, quietly)


def edit(here, before, after):
    text = (here / MINE).read_text(encoding="utf-8")
    assert before in text
    (here / MINE).write_text(text.replace(before, after), encoding="utf-8")


def without_section(here, name):
    """Take one section out of the template, declaration and block."""
    text = (here / MINE).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if not line.startswith(f"  - {{name: {name},")]
    text = "\n".join(lines)
    start = text.index(f"{{% block {name} %}}")
    end = text.index("{% endblock %}", start) + len("{% endblock %}")
    (here / MINE).write_text(text[:start] + text[end:], encoding="utf-8")


def changes(result):
    """Return what the gate says of the result of each trial: what became of it, how it was and is, and why."""
    results = (one for one in result.findings if one.change not in COSTS)
    return {(one.trial.case, one.trial.policy): (one.change, one.was, one.now, one.why) for one in results}


def test_what_has_not_changed_passes_and_a_second_replay_too(here):
    api.accept_run(ran(MENDED, STUCK, ABSENT))
    result = api.gate(ran(MENDED, STUCK, ABSENT))
    assert (result.verdict, result.findings, result.tally.alike, result.tally.other_ways) == ("pass", (), 3, 0)


def test_a_strategy_that_loses_one_field_is_caught(here):
    api.accept_run(ran(MENDED, ALSO_MENDED, ABSENT))
    without_section(here, "available")
    result = api.gate(ran(MENDED, ALSO_MENDED, ABSENT))
    assert (result.exit_code, result.headline) == (1, "FAILED: 2 trials right before and wrong now")
    change, was, now, why = changes(result)[MENDED, "two-layer"]
    assert (change, was) == ("lost", "repaired (succeeded, 1 attempt, 0 wasted)")
    assert now.startswith("unrepaired (no_progress, 1 attempt, 1 wasted")
    assert why[:3] == (
        "attempt 1: another prompt, another response",
        "no longer in the first prompt: detour_code",
        f"the prompt now: mendbench strategy render {MINE} {MENDED}",
    )
    assert [one.change for one in result.findings if one.level == "show"] == ["facts", "facts"]
    assert any("does not hold" in line for line in why)
    assert result.findings[0].link.startswith("reports/latest/index.html#trial=template%2F")


def test_a_loop_detector_that_is_switched_off_is_caught(here, monkeypatch):
    api.accept_run(ran(MENDED, STUCK))
    monkeypatch.setitem(policies._POLICIES, "two-layer", replace(policies.policy("two-layer"), signature=None))
    result = api.gate(ran(MENDED, STUCK))
    assert (result.exit_code, result.headline) == (1, "FAILED: 1 trial with more wasted attempts")
    change, was, now, why = changes(result)[STUCK, "two-layer"]
    assert (change, was) == ("wasted", "unrepaired (no_progress, 1 attempt, 1 wasted)")
    assert now == "unrepaired (attempts_exhausted, 3 attempts, 3 wasted)"
    assert why[0] == "the same responses; it went on after attempt 1, where it stopped before (no_progress)"


def test_a_detector_rule_that_is_removed_is_caught(here, monkeypatch):
    api.accept_run(ran(MENDED, ABSENT))
    monkeypatch.setattr(rule_order, "_RESPONSE_RULES", ())
    result = api.gate(ran(MENDED, ABSENT))
    assert result.exit_code == 1
    change, was, now, why = changes(result)[ABSENT, "two-layer"]
    assert (change, was) == ("wasted", "warned (warned, 0 attempts, 0 wasted)")
    assert now == "declined (declined, 1 attempt, 1 wasted)"
    assert why[0] == "repair was tried, where it was not before (warned)"
    assert "node newest: error where warning is right" in why


def test_a_weakened_sanitiser_is_caught_by_the_secret_that_comes_through(here, monkeypatch):
    api.accept_run(ran(STUCK, MENDED))
    monkeypatch.setattr(Redactor, "text", lambda _self, text: text)
    for module in (failures, observation, unresolved, walk):
        monkeypatch.setattr(module, "sanitise", lambda value: value, raising=False)
        monkeypatch.setattr(module, "sanitise_under", lambda _key, value: value, raising=False)
    result = api.gate(ran(STUCK, MENDED))
    assert result.exit_code == 1
    assert result.headline.startswith("FAILED: a declared secret stands in 1 trial")
    secret = next(one for one in result.findings if one.change == "secret")
    assert any(
        line.startswith("attempts[1].sections[1].text holds a secret in the clear (canary") for line in secret.why
    )


def test_a_sanitiser_that_another_one_makes_up_for_lets_no_secret_through_and_is_seen(here, monkeypatch):
    api.accept_run(ran(STUCK, MENDED))
    monkeypatch.setattr(Redactor, "text", lambda _self, text: text)
    result = api.gate(ran(STUCK, MENDED))
    assert (result.verdict, result.tally.other_ways > 0) == ("pass", True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{% for failure in failures %}", "{%   for failure in failures   %}"),
        ("{% endblock %}\n\n{% block upstream", "{% endblock %}\n\n\n\n{% block upstream"),
    ],
)
def test_a_whitespace_change_that_changes_no_prompt_passes(here, before, after):
    api.accept_run(ran(MENDED, STUCK))
    edit(here, before, after)
    result = api.gate(ran(MENDED, STUCK))
    assert (result.verdict, result.tally.alike, result.tally.other_ways) == ("pass", 2, 0)


def test_a_change_of_prompts_that_changes_no_verdict_passes_and_is_said(here):
    api.accept_run(ran(MENDED, STUCK))
    edit(here, "## Errors to Fix", "## What has to be mended")
    result = api.gate(ran(MENDED, STUCK))
    assert (result.verdict, result.tally.alike, result.tally.other_ways) == ("pass", 2, 2)
    assert "2 trials have the same result with other prompts, responses or exchanges" in result.notes


def test_limits_and_rules_come_from_the_configuration(here):
    run = ran(MENDED, STUCK)
    api.accept_run(run)
    (here / "mendbench.toml").write_text(
        f'{CONFIG}[gate]\nbaseline = "baseline.tsv"\nstrategies = ["{MINE}"]\n[gate.limits]\nmin_repair_success = 0.9\nmax_wasted = 1\n',
        encoding="utf-8",
    )
    result = api.gate(run)
    assert (result.verdict, result.headline) == ("fail", "FAILED: min_repair_success broken")
    assert {(one.limit.name, one.status) for one in result.limits} == {
        ("max_wasted", "holds"),
        ("min_repair_success", "broken"),
    }


def test_a_longer_prompt_fails_beyond_the_configured_tolerance(here):
    api.accept_run(ran(MENDED))
    edit(here, "## Errors to Fix", f"## Errors to Fix {'and mend ' * 40}")
    run = ran(MENDED)
    for tolerance, verdict in ((0.01, "fail"), (5, "pass")):
        rules = f'[gate]\nmore_tokens = "fail"\ntoken_tolerance = {tolerance}\n'
        (here / "mendbench.toml").write_text(f"{CONFIG}{rules}", encoding="utf-8")
        assert api.gate(run).verdict == verdict


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        (
            "[gate.limits]\nmax_waste = 1\n",
            r"mendbench.toml: gate.limits.max_waste: unknown score 'waste'; did you mean 'wasted'",
        ),
        ("[gate.limits]\nmax_wasted = nan\n", "gate.limits.max_wasted"),
        ("[gate]\nmargn = 0.1\n", "unknown key 'margn'; did you mean 'margin'"),
        ("[gate]\nmargin = 2\n", "gate.margin"),
        (
            '[gate]\nstrategies = ["sumary"]\n[gate.limits]\nmax_wasted = 1\n',
            "gate.strategies: unknown strategy 'sumary'",
        ),
    ],
)
def test_a_configuration_that_cannot_be_held_is_reported(here, gate, says):
    run = ran(MENDED)
    api.accept_run(run)
    (here / "mendbench.toml").write_text(CONFIG + gate, encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        api.gate(run)


def test_the_controls_of_a_run_have_no_limits(here):
    limits = "[gate.limits]\nmax_wasted = 3\n"
    (here / "mendbench.toml").write_text(f'{CONFIG}bounds = ["noop"]\n{limits}', encoding="utf-8")
    run = api.run(api.RunOptions(names=(MENDED,), cases=CASES, cassettes=CASSETTES, workers=1, fresh=True), quietly)
    api.accept_run(run)
    assert {row["repairer"] for row in run.rows} == {"noop", "rules"}
    assert {one.treatment.repairer for one in api.gate(run).limits} == {"rules"}


def test_the_self_test_raises_no_alarm_in_replay(here):
    run = ran(MENDED, ABSENT)
    steps = []
    tested = api.self_test(run, 2, lambda *step: steps.append(step[:2]), cases=CASES, cassettes=CASSETTES, workers=1)
    assert (tested.times, tested.alarms, tested.rate, tested.trials, tested.judged, tested.unstable) == (
        2,
        0,
        0.0,
        2,
        2,
        (),
    )
    assert steps[-1] == (6, 6)


def test_the_self_test_names_what_does_not_come_out_alike(here, monkeypatch):
    run, kept, replays = ran(MENDED, STUCK), policies.policy("two-layer"), itertools.count(1)

    def replay(*args):
        if next(replays) > 4:
            monkeypatch.setitem(policies._POLICIES, "two-layer", replace(kept, signature=None))
        return run_trial(*args)

    monkeypatch.setattr(trials, "run_trial", replay)
    tested = api.self_test(run, 3, quietly, cases=CASES, cassettes=CASSETTES, workers=1)
    assert (tested.alarms, tested.rate) == (2, 2 / 3)
    assert tested.unstable == tuple(row["key"] for row in run.rows if row["case"] == STUCK)


def test_answers_that_were_recorded_again_are_judged_as_what_chance_may_have_done(tmp_path, monkeypatch):
    root = cases.build(tmp_path / "desk")
    monkeypatch.chdir(root)
    options = api.RunOptions(strategies=("full-context",), policies=("naive",), workers=1, fresh=True)
    api.accept_run(api.run(options, quietly))
    (root / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    cases.record_responses(root, cases.MATRIX, model=lambda _ask: cases.edit_response("Hello ${person.response.nick}!"))
    result = api.gate(api.run(options, quietly))
    (finding,) = result.findings
    assert (result.verdict, result.exit_code, finding.change, finding.regime) == (
        "inconclusive",
        3,
        "lost",
        "resampled",
    )
    assert finding.why[0] == "attempt 1: the same prompt, another response, recorded again"
    assert (
        result.headline == "inconclusive: repairs lost 100.0 points, which may be noise; would need about 4 more cases"
    )


@pytest.fixture
def parcel(tmp_path, monkeypatch):
    """The recorded world of a case that the rule book repairs at its first attempt, and an accepted run of it."""
    root = tmp_path / "parcel"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "mendbench.toml").write_text(CONFIG, encoding="utf-8")
    recording = cases.add_parcel(root)
    api.accept_run(api.run(api.RunOptions(strategies=("full-context",), workers=1, fresh=True), quietly))
    return recording


def gated_again(**gate):
    """Gate another replay, with these rules."""
    rules = "".join(f'{name} = "{value}"\n' for name, value in gate.items())
    Path("mendbench.toml").write_text(f"{CONFIG}[gate]\n{rules}", encoding="utf-8")
    return api.gate(api.run(api.RunOptions(strategies=("full-context",), workers=1, fresh=True), quietly))


def misspelt(recording):
    """Let the API name another field: ``sed -i '/string:/s/weight_grams/weight_gr/'``."""
    lines = recording.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = [line.replace("weight_grams", "weight_gr", 1) if "string:" in line else line for line in lines]
    assert changed != lines
    recording.write_text("".join(changed), encoding="utf-8")


def test_a_changed_recording_and_one_attempt_more_are_found(parcel):
    misspelt(parcel)
    result = gated_again()
    assert (result.exit_code, result.headline) == (3, "inconclusive: the recordings of 1 trial changed")
    found = {one.change: one for one in result.findings}
    assert {name: one.level for name, one in found.items()} == {
        "recording": "open", "attempts": "show", "facts": "show", "slower": "show",
    }  # fmt: skip
    assert found["attempts"].was == "repaired (succeeded, 1 attempt, 0 wasted)"
    assert found["attempts"].now == "repaired (succeeded, 2 attempts, 0 wasted)"
    assert any(
        line.startswith(f"changed response: POST {cases.HOST}/parcels, now 422") for line in found["recording"].why
    )
    assert gated_again(changed_recording="show").exit_code == 0
    costly = gated_again(changed_recording="show", fewer_facts="fail", slower="fail")
    assert costly.headline == "FAILED: 1 trial with fewer facts in the prompt; 1 trial slower"
    failed = gated_again(changed_recording="fail", more_attempts="fail")
    assert failed.headline == "FAILED: 1 trial with more attempts; 1 trial with a changed recording"


def test_a_loss_after_a_changed_recording_fails_and_names_the_recording(parcel):
    parcel.write_text(parcel.read_text(encoding="utf-8").replace('"weight_grams"', '"mass"'), encoding="utf-8")
    result = gated_again()
    lost = next(one for one in result.findings if one.change == "lost")
    assert (result.exit_code, lost.why[0]) == (1, "likely cause: the world's response to 3 requests changed")
    assert "also inconclusive: the recordings of 1 trial changed" in result.notes


def test_a_recording_that_was_extended_or_lost_to_the_simulator_is_not_changed(parcel):
    parcel.unlink()
    derived = gated_again()
    assert (derived.verdict, derived.findings, derived.tally.other_ways) == ("pass", (), 0)
    api.accept_run()
    cases.add_parcel(Path.cwd())
    assert (gated_again().verdict, gated_again().findings) == ("pass", ())


def test_a_run_is_read_from_its_folder_and_stays_as_it_is(here, capsys):
    ran(MENDED, out="one")
    api.accept_run(Path("one"), baseline=Path("held.tsv"))
    before = sorted((path.name, path.read_bytes()) for path in Path("one").iterdir())
    result = api.gate(Path("one"), baseline=Path("held.tsv"))
    assert sorted((path.name, path.read_bytes()) for path in Path("one").iterdir()) == before
    assert (result.run, result.baseline) == ("one", "held.tsv")
    assert api.gate("one", baseline="held.tsv") == result
    assert not api.accept_run("one", baseline="held.tsv").written
    assert show_gate(api.gate(read_run(Path("one")), baseline=Path("held.tsv")), Format.text) == 0
    assert capsys.readouterr().out.startswith("passed: 1 trial no worse than in held.tsv\n")
