"""Two strategies, or two runs, side by side in a browser."""

from dataclasses import replace

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import (
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
    small_run,
    stored_run,
    unjudged,
    unrepaired,
)

pytestmark = pytest.mark.browser

GREETING = "slack/greeting | mendbench | chat | tiny-coder | {} | naive | - | 000000"


def counts(page):
    head = page.locator(".counts thead th").all_inner_texts()
    return {
        line.locator("th").inner_text(): dict(
            zip(head[1:], map(int, line.locator("td").all_inner_texts()), strict=True)
        )
        for line in page.locator(".counts tbody tr").all()
    }


def headings(page):
    return [text.split("\n")[0] for text in page.locator(".pairs-of h2").all_inner_texts()]


def test_two_strategies_are_counted_by_kind_of_case(reads):
    page = reads().open("#compare=full-context&to=summary")

    assert counts(page) == {
        "needs user": {"Cases": 1, "Only full-context right": 0, "Only summary right": 0, "Both right": 0, "Neither right": 1},
        "repairable": {"Cases": 2, "Only full-context right": 2, "Only summary right": 0, "Both right": 0, "Neither right": 0},
    }  # fmt: skip
    assert "under naive, answered by tiny-coder" in page.locator(".counts caption").inner_text()


def test_only_the_trials_that_differ_are_listed_and_linked(reads):
    page = reads().open("#compare=full-context&to=summary")

    assert headings(page) == ["Only full-context right 2 of 3 trials"]
    page.locator(".pair-of", has_text="greeting").locator("a.side").nth(1).click()
    page.wait_for_selector("#trial > article")
    assert page.url.endswith(trial_link(GREETING.format("summary")))
    page.keyboard.press("Escape")
    page.wait_for_selector("#compare", state="visible")
    assert page.url.endswith("#compare=full-context&to=summary")


def test_what_failed_in_another_way_is_distinguished_from_what_failed_alike(reads):
    page = reads().open("#compare=none&to=summary")

    assert headings(page) == ["Neither right, in different ways 1 of 3 trials"]


def test_a_trial_without_a_verdict_wins_and_loses_nothing(reads):
    case = repairable("third")
    extra = [
        row_of(case, repaired(), key_of(case, "full-context", "naive")),
        row_of(case, unrepaired(), key_of(case, "summary", "naive"), problem=unjudged()),
    ]
    page = reads(small_run(extra=extra)).open("#compare=full-context&to=summary")

    assert counts(page)["repairable"]["One has no verdict"] == 1
    assert counts(page)["repairable"]["Only full-context right"] == 2


def test_sides_are_chosen_and_swapped_and_the_address_says_so(reads):
    page = reads().open("#compare=full-context&to=summary")

    page.locator("#compare select[data-state=to]").select_option("none")
    assert page.url.endswith("#compare=full-context&to=none")
    page.locator(".swap").click()
    page.wait_for_selector(".counts th:has-text('Only none right')")
    assert page.url.endswith("#compare=none&to=full-context")


def test_a_filter_holds_in_the_comparison_too(reads):
    page = reads().open("#kind=repairable&compare=full-context&to=summary")

    assert list(counts(page)) == ["repairable"]


def test_a_strategy_against_itself_asks_for_another(reads):
    page = reads().open("#compare=summary&to=summary")

    assert "Choose two that differ" in page.locator("#compare").inner_text()


def test_the_prompts_of_two_strategies_on_one_case_are_held_side_by_side(reads):
    case = repairable()
    run = stored_run([
        row_of(case, plausible(context="the API said little", response="one response"), key_of(case, "summary")),
        row_of(case, repaired(context="the API said a lot", response="another response"), key_of(case, "full-context")),
    ])  # fmt: skip
    page = reads(run).open("#compare=summary&to=full-context&case=slack%2Fgreeting")

    assert page.locator(".of-sides .first").inner_text() == "◂ the API said little"
    assert page.locator(".of-sides .second").inner_text() == "▸ the API said a lot"
    assert page.locator(".side-name").all_inner_texts() == ["◂ only in summary", "▸ only in full-context"]
    left, right = (page.locator(f".of-sides .{name}").bounding_box() for name in ("first", "second"))
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]
    assert page.locator(".two-sides").first.locator("pre").all_inner_texts() == ["one response", "another response"]


def test_a_long_prompt_has_its_full_height_and_its_folded_lines_open_by_key_and_click(reads):
    case, alike = repairable(), "\n".join(f"line {number}" for number in range(120))
    run = stored_run([
        row_of(case, plausible(context=f"{alike}\nlittle\n{alike}"), key_of(case, "summary")),
        row_of(case, repaired(context=f"{alike}\na lot\n{alike}"), key_of(case, "full-context")),
    ])  # fmt: skip
    page = reads(run).open("#compare=summary&to=full-context&case=slack%2Fgreeting")
    gaps = page.locator(".of-sides .gap")
    assert gaps.count() == 2
    gaps.first.press("Enter")
    assert gaps.count() == 1
    gaps.first.click()
    assert gaps.count() == 0
    box = page.locator(".of-sides")
    assert sum(f"line {number}" in box.inner_text().split("\n  ") for number in range(120)) > 100
    assert box.evaluate("one => one.scrollHeight <= one.clientHeight && document.activeElement === one")


def test_a_later_attempt_that_one_of_them_did_not_make_is_missed_in_words(reads):
    page = reads().open("#compare=none&to=summary&case=slack%2Fgreeting&attempt=2")

    assert "Only one of the two reached this attempt" in page.locator("#compare").inner_text()


def other_run(run):
    """The same run before: one trial was repaired that is not now, one the other way round, one is missing and one more was there."""
    rows = {row["key"]: row for row in run.rows}
    right, wrong = GREETING.format("full-context"), GREETING.format("summary")
    rows[right] = {**rows[right], "verdict": "incorrect", "outcome": "unrepaired"}
    rows[wrong] = {**rows[wrong], "verdict": "correct", "outcome": "repaired"}
    del rows[GREETING.format("none")]
    gone, _ = row_of(repairable("gone"), repaired(), key_of(repairable("gone"), "summary"))
    return replace(
        run, folder=run.folder.parent / "before", rows=tuple(sorted([*rows.values(), gone], key=lambda row: row["key"]))
    )


def test_two_runs_show_what_came_out_otherwise_and_what_only_one_has(reads):
    run = small_run()
    page = reads(run, other_run(run)).open("#against=1")

    assert headings(page) == [
        "Newly right 1 of 23 trials",
        "Newly wrong 1 of 23 trials",
        "Only in this run 1 of 23 trials",
        "Only in the other run 1 of 23 trials",
    ]
    assert "reports/before" in page.locator(".counts caption").inner_text()
    assert sum(line["Trials"] for line in counts(page).values()) == len(run.rows) + 1
    page.locator(".pair-of a.side").first.click()
    page.wait_for_selector("#trial > article")
    assert page.url.endswith(trial_link(GREETING.format("full-context")))


def test_a_run_against_itself_has_nothing_to_show(reads):
    run = small_run()
    page = reads(run, run).open("#against=1")

    assert "Every trial has the same result there" in page.locator("#compare").inner_text()


def test_without_another_run_there_is_nothing_to_compare_runs_with(reads):
    page = reads().open("#against=1")

    assert page.locator("#overview").is_visible()
    assert page.locator("#bar a", has_text="Compare runs").count() == 0


@pytest.mark.parametrize(
    ("now", "before", "turn"),
    [
        (("correct", "repaired"), ("incorrect", "plausible"), "right"),
        (("crashed", None), ("correct", "repaired"), "wrong"),
        (("incorrect", "plausible"), ("incorrect", "harmful"), "outcome"),
        (("crashed", None), ("incorrect", "harmful"), "outcome"),
        (("unjudged", None), ("correct", "repaired"), "open"),
        (("correct", "repaired"), ("unjudged", None), "judged"),
        (("correct", "repaired"), ("correct", "repaired"), "same"),
        (("unjudged", None), ("unjudged", None), "same"),
        (("correct", "repaired"), None, "onlyHere"),
        (None, ("correct", "repaired"), "onlyThere"),
    ],
)
def test_a_turn_has_one_name(standing, now, before, turn):
    rows = [None if one is None else {"verdict": one[0], "outcome": one[1]} for one in (now, before)]

    assert standing.evaluate("([now, before]) => turnOf(now, before)", rows) == turn
