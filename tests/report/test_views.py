from dataclasses import replace

from mendbench.report.views import views_of
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, stored_run


def one(repairer="chat", model="tiny-coder", policy="two-layer", strategy="summary", detector="structural"):
    key = replace(key_of(repairable(), strategy, policy, repairer=repairer), model=model, detector=detector)
    return row_of(repairable(), repaired(), key)


def test_the_order_is_the_matrix_s_and_the_main_policy_leads():
    views = views_of(small_run())

    assert [column.name for column in views.columns] == ["full-context", "summary", "none", "noop", "reference"]
    assert [view.label for view in views.policies] == ["naive", "two-layer"]


def test_names_that_the_matrix_does_not_have_come_after_its_own():
    views = views_of(stored_run([one(strategy="zeta"), one(strategy="alpha"), one(strategy="summary")]))

    assert [column.name for column in views.columns] == ["summary", "alpha", "zeta"]


def test_models_come_in_the_order_of_the_matrix_and_rule_books_after_them():
    run = stored_run(
        [one("rules", None), one(model="second"), one(model="first")],
        matrix=[{"models": ["first"]}, {"models": ["second", "first"]}],
    )

    assert [solver.label for solver in views_of(run).solvers] == ["first", "second", "rules"]


def test_the_main_model_of_the_configuration_leads_if_it_has_trials():
    made = [one(model="first"), one(model="second")]
    matrix = [{"models": ["first", "second"]}]
    leading = {
        main: views_of(stored_run(made, matrix=matrix, report={"main_model": main, "note": None})).solvers[0].label
        for main in ("second", "elsewhere", None)
    }
    assert leading == {"second": "second", "elsewhere": "first", None: "first"}


def test_floor_and_ceiling_are_no_solvers_beside_others():
    run = stored_run([one("noop", None, strategy="none"), one("reference", None, strategy="none"), one()])

    assert [solver.label for solver in views_of(run).solvers] == ["tiny-coder"]
    assert views_of(run).bounds() == ("noop", "reference")


def test_a_policy_run_with_two_detectors_is_two_views():
    run = stored_run([one(), one(detector="minimal")])

    assert [view.label for view in views_of(run).policies] == [
        "two-layer, detector minimal",
        "two-layer, detector structural",
    ]


def test_a_variation_beside_the_main_matrix_is_no_strategy_and_no_control():
    run = stored_run(
        [one(strategy="mend"), one(strategy="mend+feedback"), one(strategy="mend@v2"), one(strategy="none")],
        matrix=[{"strategies": ["mend", "mend@v2"]}, {"strategies": ["mend+feedback", "none"]}],
    )
    assert [(column.name, column.group) for column in views_of(run).columns] == [
        ("mend", "strategy"),
        ("mend@v2", "strategy"),
        ("mend+feedback", "variation"),
        ("none", "control"),
    ]
