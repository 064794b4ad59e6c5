"""What is reported of a trial that did not come out right."""

from dataclasses import replace

from mendbench.api.trials import RanTrial
from mendbench.pytest_plugin.failing import headline, story
from mendbench.report.reasons import because
from mendbench.scoring.judging.outcomes import RULES
from mendbench.trial.long_texts import whole
from tests.fakes import runs
from tests.fakes.scoring import POST, exchange, greeting_check
from tests.fakes.tables import for_each

COMMAND = ("mendbench", "run", "slack/greeting")


def ran(happened, case=None, **more):
    case = case or runs.repairable()
    key = runs.key_of(case)
    row, texts = runs.row_of(case, happened, key, **more)
    return RanTrial(key=key, case=case, row=whole(row, texts))


@for_each(
    ("happened", "case", "outcome"),
    [
        (runs.repaired, runs.repairable(), "repaired"),
        (runs.plausible, runs.repairable(), "plausible"),
        (runs.unrepaired, runs.repairable(), "unrepaired"),
        (runs.warned, runs.repairable(), "false_warning"),
        (runs.warned, runs.user_only(), "warned"),
        (runs.hopeless, runs.user_only(), None),
    ],
)
def test_the_reason_is_the_one_of_the_rule_that_decided(happened, case, outcome):
    trial = ran(happened(), case)
    assert outcome in {None, trial.outcome}
    assert because(trial.row) in {rule.because for rule in RULES if rule.outcome == trial.outcome}
    assert headline(trial) == f"{trial.outcome}: {because(trial.row)}; stopped: {trial.stop_reason}"


def test_a_long_body_is_taken_from_what_the_trial_itself_sent():
    text = "Hello, " * 40
    case = replace(runs.repairable(), checks=(greeting_check(text + "Ada!"),))
    happened, variant = runs.plausible()
    traffic = (exchange({"text": text + "ada!", "channel": "C1"}, phase=1),)
    trial = ran((replace(happened, traffic=traffic), variant), case)
    row = {**trial.row, "checks": [{**one, "why": f'accepted 0 times; sent there: {{"text":"{text[:60]}…'} if one["check"].startswith("request") else one for one in trial.row["checks"]]}  # fmt: skip
    output = story(replace(trial, row=row), COMMAND)
    assert '    body.text: wanted "Hello, Hello,' in output
    assert POST in output


def test_a_long_difference_is_cut(monkeypatch):
    monkeypatch.setattr("mendbench.pytest_plugin.failing.SHOWN_DIFF", 3)
    lines = story(ran(runs.plausible()), COMMAND).split("\n")
    at = lines.index("workflow:")
    assert lines[at + 1].startswith("  @@ ")
    assert lines[at + 4].startswith("  and ")
    assert lines[at + 4].endswith(" more lines")


def test_a_workflow_that_was_tried_and_not_kept_is_called_so():
    assert "workflow (tried, and not kept):" in story(ran(runs.unrepaired()), COMMAND).split("\n")


def test_the_command_is_fit_for_a_shell():
    assert "mendbench run 'slack/a b' --out reports/one" in story(
        ran(runs.plausible()), ("mendbench", "run", "slack/a b")
    )


def test_a_missing_recording_names_the_options_that_record_it():
    problem = runs.unjudged("mendbench run slack/greeting --record new_episodes --allow-shell")
    output = story(ran(runs.unrepaired(), problem=problem), COMMAND).split("\n")
    assert output[0] == "slack/greeting: unjudged: no recording answers model://tiny-coder/chat"
    assert output[2] == "record it with: mendbench run slack/greeting --record new_episodes --allow-shell"


def test_what_crashed_says_what_was_raised():
    output = story(ran(runs.unrepaired(), problem=runs.crashed("ValueError: \x1b[2Jboom")), COMMAND).split("\n")
    assert output[0] == "slack/greeting: crashed: ValueError: \\x1b[2Jboom"
