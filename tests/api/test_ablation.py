"""What the sections of a strategy are worth, over the invented corpus."""

from dataclasses import replace
from pathlib import Path

import pytest

from mendbench import api
from mendbench.errors import BadInput, UnknownName
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED

ONE = api.RunOptions(workers=1)
SECTIONS = ("~answer", "~fields", "~hint", "~guess")
MINE = """---
title: Mine
source: invented
sections:
  - {name: answer, label: raw, keep: 4}
  - {name: fields, label: state, keep: 3}
  - {name: hint, label: derived, keep: 2}
  - {name: guess, label: derived, keep: 1}
---
{% block answer %}
{{ message }}
{% endblock %}
{% block fields %}
{{ available_fields | tojson }}
{% endblock %}
{% block hint %}
{{ "look at the fields" if available_fields }}
{% endblock %}
{% block guess %}
it is {{ node_id }}
{% endblock %}
"""
SPLIT = "format: 1\ntrain: [desk-renamed-field]\ntest: [desk-closed-ledger, desk-quiet]\nhalf: []\n"


def quietly(done, total, last):
    """Take progress and say nothing."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The corpus with a strategy of its own, and a model's responses under it and under it without each section."""
    root = cases.build(tmp_path_factory.mktemp("built"))
    (root / "mine.md.j2").write_text(MINE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        names = ("", *SECTIONS, "~hint~guess")
        cases.record_responses(
            root, [cases.key(case, f"./mine.md.j2{name}", "naive") for case in (RENAMED, CLOSED) for name in names]
        )
    return root


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    """Return a copy of the corpus, which the test runs in."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    return Path.cwd()


def ablated(name="./mine.md.j2", options=ONE, **more):
    return api.ablate_strategy(name, options, quietly, **more)


def rows(ablation):
    return {row.strategy.removeprefix("./mine.md.j2"): row for row in ablation.rows}


def pairs(repairs):
    return repairs.difference.won, repairs.difference.lost, repairs.difference.tied


def test_the_whole_each_section_and_all_derived_ones_have_a_row(root):
    found = ablated(prompts_only=True)
    assert [(row.what, row.left_out) for row in found.rows] == [
        ("whole", ()), ("without answer", ("answer",)), ("without fields", ("fields",)), ("without hint", ("hint",)),
        ("without guess", ("guess",)), ("derived sections off", ("hint", "guess")),
    ]  # fmt: skip


def test_one_derived_section_is_all_of_them(root):
    assert [row.what for row in ablated("summary", prompts_only=True).rows] == [
        "whole", "without errors", "without state", "without guidance (derived sections off)",
    ]  # fmt: skip


def test_what_the_prompts_lose_is_counted_without_any_model(root):
    found = ablated(prompts_only=True)
    assert (found.model, found.run, found.part) == (None, None, "all")
    assert not Path("reports").exists()
    by_section = rows(found)
    assert (by_section[""].survey.context_recall, by_section["~fields"].survey.context_recall) == (1, 0)
    assert (by_section[""].survey.fix_shown, by_section["~fields"].survey.fix_shown) == (1, 0)
    assert [by_section[name].changed for name in ("", "~answer", "~fields", "~hint", "~guess")] == [0, 2, 2, 1, 2]
    assert all(row.repairs is None for row in found.rows)


def test_what_the_repairs_lose_is_counted_from_recorded_answers(root):
    found = ablated()
    by_section = rows(found)
    assert found.model == MODEL
    whole, without = by_section[""].repairs, by_section["~fields"].repairs
    assert (whole.right, whole.cases, whole.unjudged) == (1, 1, 0)
    assert (without.right, *pairs(without)) == (0, 0, 1, 0)
    assert (by_section["~guess"].repairs.right, *pairs(by_section["~guess"].repairs)) == (1, 0, 0, 1)
    assert whole.difference is None
    assert (without.shared, whole.shared) == (2, 2)
    assert without.wasted_per_trial > without.whole_wasted_per_trial == whole.wasted_per_trial


def test_a_difference_has_the_verdict_and_the_interval_of_any_comparison(root):
    found = ablated()
    one = rows(found)["~fields"].repairs.difference
    sides = (f"reports/ablation:strategy=./mine.md.j2{left_out}" for left_out in ("", "~fields"))
    (main,) = api.compare(*sides, part="all", scores=("repair_success",)).main.differences
    assert one == main
    assert (one.score, one.a.value, one.b.value, one.verdict) == ("repair_success", 1, 0, "not significant")


def test_the_trials_behind_it_are_a_run_of_its_own(root):
    found = ablated()
    assert found.run.folder == Path("reports/ablation")
    assert {(row["policy"], row["repairer"], row["model"]) for row in found.run.rows} == {("naive", "chat", MODEL)}
    assert {row["case"] for row in found.run.rows} == {RENAMED, CLOSED}
    assert len(found.run.rows) == 2 * 6
    assert ablated(options=replace(ONE, out=Path("elsewhere"))).run.folder == Path("elsewhere")


def test_an_answer_that_is_not_recorded_leaves_its_row_without_a_verdict(root):
    found = ablated("full-context", replace(ONE, names=(RENAMED,)))
    by_section = {row.left_out: row.repairs for row in found.rows}
    assert (by_section[()].right, by_section[()].unjudged) == (1, 0)
    missing = by_section[("errors",)]
    assert (missing.right, missing.unjudged, *pairs(missing), missing.wasted_per_trial) == (0, 1, 0, 0, 0, None)
    assert (missing.difference.open, missing.difference.bounds) == (1, (-1, 0))


def test_a_section_that_says_nothing_shares_the_answers_of_the_whole(root):
    found = ablated("full-context", replace(ONE, names=(RENAMED,)))
    earlier = next(row for row in found.rows if row.left_out == ("earlier",))
    assert (earlier.changed, earlier.repairs.right, earlier.repairs.unjudged) == (0, 1, 0)


def test_the_training_part_is_what_it_looks_at_where_the_corpus_is_split(root):
    (root / "cases" / "split.yaml").write_text(SPLIT, encoding="utf-8")
    trained, everywhere = (ablated(options=options, prompts_only=True) for options in (ONE, replace(ONE, part="all")))
    assert (trained.part, [row.case for row in trained.rows[0].survey.rows]) == ("train", [RENAMED])
    assert (everywhere.part, len(everywhere.rows[0].survey.rows)) == ("all", 2)


def test_an_interrupted_one_goes_on(root):
    def interrupt(done, total, last):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.ablate_strategy("./mine.md.j2", ONE, interrupt)
    seen = []
    found = api.ablate_strategy("./mine.md.j2", ONE, lambda done, total, last: seen.append(done))
    assert (seen[0], len(found.run.rows)) == (4, 12)


def test_where_nobody_is_asked_there_is_no_run(root):
    found = ablated(options=replace(ONE, names=(QUIET,)))
    assert (found.run, found.model, found.rows[0].survey.unrequested_writes) == (None, None, (QUIET,))


def test_names_that_there_are_not_are_refused(root):
    with pytest.raises(BadInput, match="strategy none: no section that could be left out"):
        ablated("none")
    with pytest.raises(UnknownName, match="unknown section"):
        ablated("summary~x")
    with pytest.raises(UnknownName, match="unknown model 'huge'"):
        ablated(options=replace(ONE, models=("huge",)))
