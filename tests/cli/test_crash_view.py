"""What is said of trials that crashed, and when a run with them is incomplete."""

from mendbench.cli.crash_view import say_crashed
from mendbench.cli.terminal import code_of
from tests.fakes.runs import crashed, key_of, lettered_run, repairable, row_of, unrepaired


def test_a_few_crashes_are_counted_and_leave_the_exit_code(capsys):
    run = lettered_run({"summary": "rxx"})
    say_crashed(run)
    assert capsys.readouterr().err == (
        "mendbench: crashed: 2 of 3 trials of repairer chat; first slack/case001: ValueError: boom; fix the code that raised it\n"
    )
    assert code_of(run) == 0


def test_where_all_trials_of_a_repairer_crashed_the_run_is_incomplete_though_others_did_not(capsys):
    case = repairable()
    extra = [row_of(case, unrepaired(), key_of(case, "none", repairer="mine"), problem=crashed("KeyError: 'x'"))]
    run = lettered_run({"summary": "rr"}, extra=extra)
    say_crashed(run)
    assert "crashed: 1 of 1 trials of repairer mine, so it was not measured; first " in capsys.readouterr().err
    assert code_of(run) == 3


def test_other_causes_are_named_as_often_as_they_came(capsys):
    extra = []
    for at, cause in enumerate("abbcd"):
        case = repairable(f"other{at}")
        extra.append(row_of(case, unrepaired(), key_of(case), problem=crashed(f"ValueError: {cause}")))
    say_crashed(lettered_run({"summary": "r"}, extra=extra))
    assert capsys.readouterr().err.splitlines()[1:] == [
        "mendbench: crashed: 2 more of repairer chat: ValueError: b",
        "mendbench: crashed: 1 more of repairer chat: ValueError: c",
        "mendbench: crashed: 1 more causes; all stand in reports/latest/index.html",
    ]


def test_a_run_without_crashes_says_nothing(capsys):
    run = lettered_run({"summary": "ru"})
    say_crashed(run)
    assert (capsys.readouterr().err, code_of(run)) == ("", 0)
