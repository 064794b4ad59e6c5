"""Two runs compared: what may be, what is paired, what is reported; and what is refused, with which digest and what to do."""

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from mendbench import api
from mendbench.api.comparing import FEW_SCORES, MAIN_SCORES
from mendbench.api.settings import open_corpus
from mendbench.api.sides import open_sides, parse_side
from mendbench.config.config_file import load_config
from mendbench.corpus.protocol import Protocol
from mendbench.errors import BadInput, Incomplete, UnknownName
from mendbench.scoring.judging.version import SCORER
from mendbench.scoring.scores import score_names
from tests.fakes.compared import contrast, plan, rows, write_run
from tests.fakes.runs import MODEL, key_of, repairable, repaired, row_of, unrepaired

BOTH = ("naive", "two-layer")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def runs(a, b, **digests):
    """Write two runs of the strategy summary, digests being B's, and return their folders."""
    return write_run(Path("a"), rows({"summary": a})), write_run(Path("b"), rows({"summary": b}), **digests)


def strategies(a="uuur", b="rruu", **more):
    return write_run(Path("run"), rows({"summary": a, "full-context": b}, **more))


# --- sides --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "folder", "only"),
    [
        ("reports/latest", "reports/latest", {}),
        ("run:strategy=mend", "run", {"strategy": "mend"}),
        ("run:strategy=mend,policy=two-layer", "run", {"strategy": "mend", "policy": "two-layer"}),
        ("run: strategy = mend , part=test ", "run", {"strategy": "mend", "part": "test"}),
        ("run:model=org/coder:7b", "run", {"model": "org/coder:7b"}),
        ("c:/runs/a:kind=control", "c:/runs/a", {"kind": "control"}),
        (":detector=none", ".", {"detector": "none"}),
        ("a:b", "a:b", {}),
        (Path("run"), "run", {}),
    ],
)
def test_a_side_is_a_folder_and_what_it_is_narrowed_to(given, folder, only):
    side = parse_side(given)
    assert (side.folder, side.only) == (Path(folder), only)


def test_a_folder_that_is_named_like_a_narrowed_one_is_itself():
    Path("run:a=b").mkdir()
    assert parse_side("run:a=b").folder == Path("run:a=b")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("run:strategie=mend", "unknown field 'strategie'; did you mean 'strategy'? known: detector, engine, family, kind, model, part, policy, repairer, strategy"),
        ("run:strategy=", "run:strategy=: 'strategy' without a value; write strategy=VALUE"),
        ("run:strategy=summary,policy", "'policy' without a value; write policy=VALUE"),
        ("run:policy=naive,policy=naive", "'policy' stands twice; name it once"),
        ("run:strategy=sumary", "run:strategy=sumary: unknown strategy 'sumary'; did you mean 'summary'? known: full-context, none, summary"),
        ("run:part=train", "unknown part 'train'; known: test"),
        ("run:detector=none", "unknown detector 'none'; known: structural"),
        ("run:repairer=noop,strategy=summary", "no trial has all of these: with the rest, strategy is none; name one of those"),
        ("nowhere", "nowhere: no run is in it; make one with `mendbench run`"),
    ],
)  # fmt: skip
def test_what_a_side_cannot_be_is_one_line(given, says):
    noop = row_of(repairable(), repaired(), key_of(repairable(), "none", repairer="noop"), part="test")
    write_run(Path("run"), [*rows({"summary": "u", "full-context": "r"}), noop])
    with pytest.raises((BadInput, UnknownName)) as raised:
        api.compare(given, "run")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


# --- what is reported ------------------------------------------------------------------------------------------------------------------------


def test_two_strategies_of_one_run_are_compared_case_by_case():
    run = strategies()
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context")
    (pair,) = found.treatments
    assert (pair.differs, pair.main, pair.trials, pair.changed) == (("strategy",), True, 4, 3)
    assert [(one.case, one.direction) for one in found.changes] == [
        ("slack/case-3", "newly failing"), ("slack/case-0", "newly passing"), ("slack/case-1", "newly passing"),
    ]  # fmt: skip
    difference = next(one for one in pair.differences if one.score == "repair_success")
    assert (difference.won, difference.lost, difference.tied, difference.verdict) == (2, 1, 1, "not significant")
    assert [one.score for one in pair.differences] == list(MAIN_SCORES)
    assert (found.part, found.cases, found.unpaired, found.notes) == ("test", {"test": 4}, (), ())


def test_the_swap_of_the_sides_turns_the_comparison_round():
    a, b = runs("uuur?", "rruu?")
    there, back = api.compare(a, b), api.compare(b, a)
    assert [(one.case, one.before, one.after) for one in there.changes if one.direction == "newly failing"] == [
        (one.case, one.after, one.before) for one in back.changes if one.direction == "newly passing"
    ]
    for one, other in zip(there.main.differences, back.main.differences, strict=True):
        assert (one.won, one.lost, one.tied, one.open) == (other.lost, other.won, other.tied, other.open)


def test_the_rows_of_one_run_are_read_once_whatever_it_is_called():
    strategies()
    one, two = open_sides("run:strategy=summary", "run/../run:strategy=full-context")
    assert one.run is two.run
    assert one.responses is two.responses


def test_a_changed_trial_has_a_link_into_each_report():
    a, b = runs("r", "u")
    found = api.compare(a, b)
    before, after = found.links(found.changes[0])
    key = found.changes[0].after.key
    assert (before, unquote(after)) == (
        f"a/index.html{before.removeprefix('a/index.html')}",
        f"b/index.html#trial={key}",
    )
    assert key in {json.loads(line)["key"] for line in (b / "trials.jsonl").read_text().splitlines()}


def test_where_the_answers_are_the_same_it_is_said():
    a, b = runs("uu", "uu")
    assert api.compare(a, b).main.same_responses == 2
    rowed = rows({"summary": "ur"})
    write_run(Path("c"), rowed)
    found = api.compare(a, "c")
    assert (found.main.same_responses, found.changes[0].responses) == (1, "other responses")


def test_policies_are_paired_each_with_itself_and_the_main_one_is_reported_in_full():
    run = strategies(policies=BOTH)
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context")
    assert [(one.a.policy, one.b.policy, one.main) for one in found.treatments] == [
        ("naive", "naive", True), ("two-layer", "two-layer", False),
    ]  # fmt: skip
    assert [one.score for one in found.treatments[1].differences] == list(FEW_SCORES)


def test_of_several_strategies_none_is_the_main_pair():
    run = strategies(policies=BOTH)
    found = api.compare(f"{run}:policy=naive", f"{run}:policy=two-layer")
    assert [one.main for one in found.treatments] == [False, False]
    assert found.main is None


def of_models(report=None):
    """Write a run of two models, each under two policies."""
    made = []
    for model in ("tiny-coder", "other-model"):
        for strategy, word in (("summary", "ur"), ("full-context", "rr")):
            for policy in ("naive", "two-layer"):
                for at, letter in enumerate(word):
                    case = repairable(f"case-{at}", group=f"group-{at}")
                    key = replace(key_of(case, strategy, policy), model=model)
                    made.append(row_of(case, {"r": repaired, "u": unrepaired}[letter](), key, part="test"))
    return write_run(Path("models"), made, report=report)


@pytest.mark.parametrize(("main", "model"), [("other-model", "other-model"), (None, "tiny-coder")])
def test_of_several_models_the_pair_of_the_main_one_under_the_main_policy_comes_first(main, model):
    run = of_models({"main_model": main, "control_model": None, "note": None})
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context")
    assert (found.main.b.model, found.main.b.policy) == (model, "naive")
    assert [one.b.model for one in found.treatments[:2]] == [model, model]


def test_scores_can_be_chosen():
    run = strategies(policies=BOTH)
    sides = (f"{run}:strategy=summary", f"{run}:strategy=full-context")
    found = api.compare(*sides, scores=["harmful", "wasted"])
    assert [[one.score for one in pair.differences] for pair in found.treatments] == [["harmful", "wasted"]] * 2
    whole = api.compare(*sides, scores=["all"])
    assert [one.score for one in whole.treatments[0].differences] == list(score_names())
    with pytest.raises(UnknownName, match="unknown score 'waste'; did you mean 'wasted'"):
        api.compare(*sides, scores=["waste"])


def test_the_scores_that_are_compared_by_default_are_there():
    assert {*MAIN_SCORES, *FEW_SCORES} <= set(score_names())


def test_a_run_is_like_itself():
    found = api.compare(strategies(policies=BOTH), "run")
    assert found.changes == ()
    assert all(one.verdict in {"alike", "undefined"} for pair in found.treatments for one in pair.differences)


def test_a_run_with_trials_without_a_verdict_is_like_itself_too():
    run = write_run(Path("run"), rows({"summary": "ur??"}))
    found = api.compare(run, f"{run}:strategy=summary")
    assert {one.verdict for one in found.main.differences} <= {"alike", "undefined"}
    other = write_run(Path("other"), rows({"summary": "ur??"}))
    assert "not significant" in {one.verdict for one in api.compare(run, other).main.differences}


# --- parts -------------------------------------------------------------------------------------------------------------------------------


def of_parts(place):
    names = [f"case-{at}" for at in range(4)]
    of = {
        part: rows({"summary": "ur", "full-context": "ru"}, part=part, cases=own)
        for part, own in (("test", names[:2]), ("train", names[2:]))
    }
    return write_run(Path(place), [*of["test"], *of["train"]])


@pytest.mark.parametrize(
    ("part", "cases"),
    [(None, {"test": 2}), ("test", {"test": 2}), ("train", {"train": 2}), ("all", {"test": 2, "train": 2})],
)
def test_the_test_part_is_compared_unless_another_is_named_and_parts_are_pooled_only_on_demand(part, cases):
    run = of_parts("run")
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context", part=part)
    assert (found.part, found.cases) == (part or "test", cases)


def test_without_a_test_part_it_is_the_first_part_that_both_have():
    a = write_run(Path("a"), rows({"summary": "ur"}, part="train", cases=["case-2", "case-9"]))
    found = api.compare(a, of_parts("b"))
    assert (found.part, found.cases) == ("train", {"train": 1})
    without = [write_run(Path(name), rows({"summary": "u"}, part=None)) for name in ("c", "d")]
    assert api.compare(*without).part == "none"


def test_a_side_may_name_the_part():
    run = of_parts("run")
    found = api.compare(f"{run}:strategy=summary,part=train", f"{run}:strategy=full-context")
    assert found.part == "train"
    with pytest.raises(BadInput, match="test, and a side is narrowed to train; name one of the two"):
        api.compare(f"{run}:part=train", run, part="test")
    with pytest.raises(UnknownName, match="unknown part 'tset'; did you mean 'test'"):
        api.compare(run, run, part="tset")


def test_what_changes_in_a_part_that_is_not_compared_is_counted():
    rest = ["case-5", "case-6", "case-7"]
    a, b = (
        write_run(Path(name), [*rows({"summary": "ur"}), *rows({"summary": letters}, part="train", cases=rest)])
        for name, letters in (("a", "rru"), ("b", "uur"))
    )
    (one,) = api.compare(a, b).elsewhere
    assert (one.part, one.newly_failing, one.newly_passing) == ("train", 2, 1)
    assert api.compare(a, b, part="all").elsewhere == ()
    assert api.compare(a, b, part="train").elsewhere == ()
    assert api.compare(f"{a}:part=test", b).elsewhere == ()


def test_the_parts_of_one_run_are_looked_at_one_by_one():
    run = of_parts("run")
    assert api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context").elsewhere == ()


# --- what may not be compared -----------------------------------------------------------------------------------------------------------


def refused(a, b, **words):
    with pytest.raises(api.Incomparable) as raised:
        api.compare(a, b, **words)
    assert raised.value.exit_code == Incomplete.exit_code == 3
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_another_engine_is_refused():
    assert refused(*runs("u", "u", engine="mendbench 2")) == (
        "a and b cannot be compared: the digests of engine differ (mendbench 1 and mendbench 2); "
        "make both with one version of mendbench: `mendbench run`"
    )


def test_another_scorer_of_the_same_facts_is_refused_and_can_be_mended_without_a_replay():
    facts = SCORER.partition(".")[0]
    assert refused(*runs("u", "u", scorer=f"{facts}.0")) == (
        f"a and b cannot be compared: the digests of scorer differ ({SCORER} and {facts}.0); judge both alike with `mendbench report b --rescore`"
    )


@pytest.mark.parametrize("scorer", ["0.1", None])
def test_a_run_whose_facts_were_gathered_otherwise_has_to_be_made_again(scorer):
    line = refused(*runs("u", "u", scorer=scorer))
    assert (
        f"({SCORER} and {scorer or 'unknown'}); run again, with `mendbench run`, what this mendbench (scorer {SCORER}) did not judge"
        in line
    )


def test_two_runs_of_an_unknown_scorer_are_compared_and_it_is_said():
    a = write_run(Path("a"), rows({"summary": "u"}), scorer=None)
    found = api.compare(a, write_run(Path("b"), rows({"summary": "r"}), scorer=None))
    assert found.notes == ("neither run says which scorer judged it; they are taken to be alike",)


def test_another_case_of_the_same_name_is_refused():
    a = write_run(Path("a"), rows({"summary": "uu"}))
    changed = [
        ({**row, "case_digest": "other"} if row["case"] == "slack/case-1" else row, texts)
        for row, texts in rows({"summary": "ru"})
    ]
    line = refused(a, write_run(Path("b"), changed))
    assert "the digests of case slack/case-1 differ (" in line
    assert "and other); run both on the same cases: `mendbench run slack/case-1`" in line


def test_a_case_that_differs_and_is_not_compared_is_no_obstacle():
    a = write_run(Path("a"), [*rows({"summary": "u"}), *rows({"summary": "u"}, part="train", cases=["other"])])
    changed = [
        ({**row, "case_digest": "other"}, texts) for row, texts in rows({"summary": "u"}, part="train", cases=["other"])
    ]
    b = write_run(Path("b"), [*rows({"summary": "r"}), *changed])
    assert api.compare(a, b).cases == {"test": 1}
    assert "case slack/other" in refused(a, b, part="all")


def test_other_prices_leave_the_cost_out_and_nothing_else():
    a = write_run(Path("a"), rows({"summary": "ur"}), prices={MODEL: {"source": "free"}, "only a": {}})
    b = write_run(Path("b"), rows({"summary": "ru"}), prices={MODEL: {"source": "published"}, "only b": {}})
    found = api.compare(a, b)
    assert [one.score for one in found.main.differences] == [name for name in MAIN_SCORES if name != "cost"]
    assert found.notes == (f"no cost is compared: {MODEL} is priced otherwise in the two runs (digests.prices)",)


def test_what_only_one_run_prices_is_no_other_price():
    a = write_run(Path("a"), rows({"summary": "ur"}), prices={"only a": {}})
    b = write_run(Path("b"), rows({"summary": "ru"}), prices={"only b": {}})
    assert "cost" in [one.score for one in api.compare(a, b).main.differences]


def test_cases_of_one_side_are_left_out_and_named():
    a, b = runs("uru", "ur")
    found = api.compare(a, b)
    assert (found.a.alone, found.b.alone, found.cases) == (("slack/case-2",), (), {"test": 2})


def test_without_a_shared_case_it_is_refused():
    a = write_run(Path("a"), rows({"summary": "u"}))
    line = refused(a, write_run(Path("b"), rows({"summary": "u"}, cases=["another"])))
    assert line == (
        "a and b cannot be compared: no case of the part test is in both; run both on the same cases, or choose another --part"
    )
    run = of_parts("run")
    assert "run:part=train has no case" not in line
    assert "has no case of the part train" in refused(a, f"{run}:part=train", part="train")


def test_treatments_that_cannot_be_paired_are_refused_with_what_to_name():
    a = write_run(Path("a"), rows({"summary": "u", "none": "u"}))
    line = refused(a, write_run(Path("b"), rows({"full-context": "u", "placebo": "u"})))
    assert line == (
        "a and b cannot be compared: strategy is none, summary on one side and full-context, placebo on the other; "
        "name one on each side: a:strategy=none b:strategy=full-context"
    )


def test_another_treatment_frame_or_version_is_named_and_never_refused():
    a = write_run(Path("a"), rows({"summary": "u"}))
    found = api.compare(a, write_run(Path("b"), rows({"full-context": "r"}), frame="g"))
    assert found.main.differs == ("strategy",)
    assert found.notes == ("the frame around every prompt differs (digests.frame: f and g)",)


# --- primary contrasts ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def planned(monkeypatch):
    """A plan of one contrast, and the corpus that the runs are of."""
    monkeypatch.setattr(
        "mendbench.api.comparing.read_protocols",
        lambda folder: {"protocol": plan(contrast(treatment="full-context"), model=MODEL)},
    )
    monkeypatch.setattr("mendbench.api.comparing.read_split", lambda folder: None)
    return open_corpus(load_config(Path.cwd()), None, None).digest


def test_two_sides_that_are_a_primary_contrast_have_its_result_with_a_p_value(planned):
    run = write_run(Path("run"), rows({"summary": "u" * 7, "full-context": "r" * 7}, policies=BOTH), corpus=planned)
    sides = [f"{run}:strategy={name},policy=two-layer" for name in ("summary", "full-context")]
    for one, other in (sides, sides[::-1]):
        (result,) = api.compare(one, other).primary
        assert (result.name, result.difference.verdict, result.difference.p) == ("one", "better", 2 / 2**7)
    assert api.compare(*(side.replace("two-layer", "naive") for side in sides)).primary == ()


def test_everything_else_is_exploratory(planned):
    run = write_run(Path("run"), rows({"summary": "u" * 7, "full-context": "r" * 7}), corpus=planned)
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context")
    assert all(one.p is None for pair in found.treatments for one in pair.differences)
    assert api.compare(f"{run}:strategy=summary,kind=repairable", f"{run}:strategy=full-context").primary == ()
    other = write_run(Path("other"), rows({"full-context": "r" * 7}), corpus=planned)
    assert api.compare(f"{run}:strategy=summary", other).primary == ()


def change_protocol(run, **protocol):
    """Say in a run what was changed since the protocol was written."""
    document = json.loads((run / "run.json").read_text())
    document_protocol = {"frame": False, "strategies": [], **protocol}
    (run / "run.json").write_text(json.dumps({**document, "protocols": {"protocol": document_protocol}}))


@pytest.mark.parametrize(
    ("protocol", "what"),
    [
        ({}, None),
        ({"strategies": ["mend"]}, None),
        ({"strategies": ["full-context"]}, "full-context"),
        ({"frame": True}, "the frame around every prompt"),
    ],
    ids=["nothing", "another strategy", "a strategy of a side", "frame"],
)
def test_what_was_changed_after_the_test_part_was_recorded_has_no_primary_result(planned, protocol, what):
    run = write_run(Path("run"), rows({"summary": "u" * 7, "full-context": "r" * 7}), corpus=planned)
    change_protocol(run, **protocol)
    (alone,) = api.primary_contrasts(run)
    (beside,) = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context").primary
    assert alone == beside
    assert alone.undefined == (f"{what} was changed after the test part was recorded" if what else None)
    assert alone.difference.p == (None if what else 2 / 2**7)


def test_a_run_of_another_corpus_has_no_primary_contrast_and_it_is_said(planned):
    made = rows({"summary": "u" * 7, "full-context": "r" * 7, "none": "u" * 7})
    run = write_run(Path("run"), made, corpus="other")
    found = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context")
    assert found.primary == ()
    (note,) = found.notes
    assert note == (
        "no primary contrast is reported, though the two sides are one: run: a run of another corpus (digests.corpus); "
        "make it again with `mendbench run`"
    )
    assert api.compare(f"{run}:strategy=summary", f"{run}:strategy=none").notes == ()


def test_a_primary_contrast_that_is_not_settled_is_reported_with_the_reason(planned, monkeypatch):
    best = plan(contrast(treatment="full-context", against=["summary", "none"]), model=MODEL)
    monkeypatch.setattr("mendbench.api.comparing.read_protocols", lambda folder: {"protocol": best})
    made = rows({"summary": "u" * 7, "full-context": "r" * 7, "mend": "r" * 7})
    run = write_run(Path("run"), made, corpus=planned)
    (result,) = api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context").primary
    assert (
        result.undefined == "the best of summary, none is not settled: no trial of summary, none on the training part"
    )
    assert api.compare(f"{run}:strategy=summary", f"{run}:strategy=mend").primary == ()


def test_cases_of_the_training_part_that_are_not_in_the_run_leave_the_best_unsettled(planned, monkeypatch):
    class Split:
        def part_of(self, case):
            return "train"

    best = plan(contrast(treatment="full-context", against=["summary", "none"]), model=MODEL)
    monkeypatch.setattr("mendbench.api.comparing.read_protocols", lambda folder: {"protocol": best})
    monkeypatch.setattr("mendbench.api.comparing.read_split", lambda folder: Split())
    training = rows({"summary": "u", "none": "r"}, part="train", cases=["known"])
    tested = rows({"none": "u" * 7, "full-context": "r" * 7})
    run = write_run(Path("run"), [*training, *tested], corpus=planned)
    (result,) = api.primary_contrasts(str(run))
    assert "cases of the training part are not in the run yet" in result.undefined


def test_a_run_is_compared_without_the_corpus_that_it_was_made_from():
    run = strategies()
    Path("mendbench.toml").write_text(
        'format = 1\n[paths]\ncases = "gone"\n[matrix]\nstrategies = ["none"]\npolicies = ["naive"]\n'
    )
    assert api.compare(f"{run}:strategy=summary", f"{run}:strategy=full-context").primary == ()


def test_a_comparison_is_plain_data():
    found = api.compare(strategies(), "run")
    assert json.loads(json.dumps(dataclasses.asdict(found), default=str))["part"] == "test"
    assert isinstance(plan(contrast()), Protocol)
