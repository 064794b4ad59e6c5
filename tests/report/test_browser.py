"""The report in a browser: opened from the disk, and its grid walked, filtered and sorted by mouse and by keyboard."""

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import key_of, repairable, row_of, small_run, unrepaired

pytestmark = pytest.mark.browser

GREETING = "slack/greeting | mendbench | chat | tiny-coder | {} | {} | {} | 000000"
PLAUSIBLE = GREETING.format("summary", "naive", "-")


def trial_title(page):
    return page.locator("#trial h1").inner_text()


def test_it_opens_from_the_disk_with_totals_and_grid(reads):
    page = reads(small_run()).open()

    assert page.locator(".panel:visible tr.line").count() == 5
    assert page.locator("tr.case").count() == 3
    assert page.locator("tr.group", has_text="slack").count() == 1


def test_a_cell_says_its_outcome_in_words(reads):
    reader = reads()
    reader.open()

    assert "plausible" in reader.cell(PLAUSIBLE).inner_text()
    assert "repaired" in reader.cell(GREETING.format("full-context", "naive", "-")).inner_text()


def test_a_click_opens_the_trial_with_its_verdict_and_reason(reads):
    reader = reads()
    page = reader.open()

    reader.cell(PLAUSIBLE).click()

    assert trial_title(page) == "The greeting uses a field that is not there"
    assert "plausible" in page.locator(".verdict").inner_text()
    assert "on the variant “bob”" in page.locator(".checks .failed").first.inner_text()
    assert page.url.endswith(trial_link(PLAUSIBLE))
    assert not page.locator("#overview").is_visible()


def test_the_back_button_and_escape_return_to_the_grid_and_its_cell(reads):
    reader = reads()
    page = reader.open()

    reader.cell(PLAUSIBLE).click()
    page.go_back()
    page.wait_for_selector("#overview", state="visible")
    page.go_forward()
    page.wait_for_selector("#trial", state="visible")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")

    assert page.evaluate("document.activeElement.dataset.key") == PLAUSIBLE


def test_the_grid_is_walked_and_a_trial_opened_by_keyboard_alone(reads):
    page = reads().open()

    page.locator('a.cell[tabindex="0"]').focus()
    first = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trial", state="visible")

    assert first == "slack/absent | mendbench | chat | tiny-coder | full-context | naive | - | 000000"
    assert second == PLAUSIBLE
    assert page.locator('a.cell[tabindex="0"]').count() == 1
    assert trial_title(page) == "The greeting uses a field that is not there"


def test_the_edge_of_the_grid_holds_the_focus(reads):
    page = reads().open()

    page.locator('a.cell[tabindex="0"]').focus()
    before = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")

    assert page.evaluate("document.activeElement.dataset.key") == before


def test_a_deep_link_opens_its_trial(reads):
    page = reads(small_run()).open(trial_link(GREETING.format("full-context", "two-layer", "structural")))

    assert "repaired" in page.locator(".verdict").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")
    assert page.locator('button[data-value="two-layer"]').get_attribute("aria-pressed") == "true"


def test_a_link_to_a_trial_that_is_not_there_says_so(reads):
    page = reads().open("#trial=nothing")

    assert trial_title(page) == "No such trial in this run"


def test_an_address_that_means_nothing_opens_the_overview(reads):
    reader = reads()
    elsewhere = [
        fragment
        for fragment in ("#policy=nothing&by=nobody", "#%E0%A4%A", "#trial", "#=&=")
        if not reader.open(fragment).locator("#overview").is_visible()
    ]

    assert elsewhere == []


def test_choosing_a_policy_shows_its_totals_and_its_trials(reads):
    reader = reads()
    page = reader.open()

    page.locator('button[data-value="two-layer"]').click()

    assert "two-layer" in page.locator(".panel:visible caption").inner_text()
    assert reader.cell(GREETING.format("summary", "two-layer", "structural")).count() == 1
    assert reader.cell(PLAUSIBLE).count() == 0
    assert "policy=two-layer" in page.url


def test_choosing_a_model_shows_its_trials(reads):
    case = repairable()
    other = key_of(case, "summary", "naive", model="other-model")
    reader = reads(small_run(extra=[row_of(case, unrepaired(), other)]))
    page = reader.open()

    page.locator("#filters select[data-state=by]").select_option("other-model")

    assert page.locator("tr.case").count() == 2
    assert reader.cell(PLAUSIBLE).count() == 0
    assert reader.cell(PLAUSIBLE.replace("tiny-coder", "other-model")).count() == 1


def test_only_policies_that_the_model_ran_under_can_be_chosen(reads):
    case = repairable()
    page = reads(
        small_run(extra=[row_of(case, unrepaired(), key_of(case, "summary", "seed", model="other-model"))])
    ).open()
    offered = page.locator("#choices button:visible")

    assert offered.all_inner_texts() == ["naive", "two-layer"]
    page.locator("#filters select[data-state=by]").select_option("other-model")
    assert offered.all_inner_texts() == ["seed"]


def test_cases_are_found_by_name(reads):
    page = reads().open()

    page.locator("#find-box").fill("FAREWELL")

    assert page.locator("tr.case").count() == 1


def test_without_a_script_the_totals_are_there(reads):
    reader = reads(small_run(), java_script_enabled=False)
    reader.page.goto(reader.place.as_uri())

    assert reader.page.locator(".panel:visible").count() == 2
    assert "2 / 2" in reader.page.locator(".panel").first.inner_text()
    assert "not running" in reader.page.locator("#no-grid").inner_text()
    assert not reader.page.locator("#choices").is_visible()


def test_the_filters_leave_what_was_asked_for_and_say_how_much_it_is(reads):
    reader = reads()
    page = reader.open()

    page.locator("#filters select[data-state=kind]").select_option("needs_user")

    assert page.locator("tr.case").count() == 1
    assert page.locator("#count").inner_text() == "1 of 3 cases"
    assert page.url.endswith("#kind=needs_user")
    page.locator("#clear").click()
    assert page.locator("tr.case").count() == 3
    assert not page.locator("#clear").is_visible()


def test_an_outcome_shows_the_cases_that_have_it_and_sets_other_trials_aside(reads):
    reader = reads()
    page = reader.open("#outcome=plausible")

    assert page.locator("tr.case").count() == 1
    assert "aside" not in reader.cell(PLAUSIBLE).get_attribute("class")
    assert "aside" in reader.cell(GREETING.format("full-context", "naive", "-")).get_attribute("class")


def test_a_strategy_without_trials_in_view_has_no_column(reads):
    case = repairable()
    reader = reads(small_run(extra=[row_of(case, unrepaired(), key_of(case, "mend", "seed"))]))

    assert "mend" not in reader.open().locator("thead .sort").all_inner_texts()
    assert "mend" in reader.open("#policy=seed").locator("thead .sort").all_inner_texts()


def test_a_count_of_the_funnel_shows_its_trials(reads):
    page = reads().open()
    page.locator("#funnel tr", has_text="summary").first.locator("a", has_text="1").first.click()
    page.wait_for_selector("#clear", state="visible")

    assert page.locator("#filters select[data-state=first_stage]").input_value() == "cause edited"
    assert page.locator("tr.case .case-title").all_inner_texts() == ["The farewell uses a field that is not there"]


def test_an_outcome_of_bounds_alone_shows_no_case(reads):
    reader = reads(small_run())
    page = reader.page
    page.goto(f"{reader.place.as_uri()}#outcome=repaired&strategy=summary")
    page.wait_for_selector("#trials .explain:has-text('No case matches')")

    assert page.locator("tr.case").count() == 0


def test_one_strategy_stands_alone_beside_floor_and_ceiling(reads):
    page = reads().open("#strategy=summary")

    assert page.locator("thead .sort").all_inner_texts() == ["Case", "summary", "noop", "reference"]


def test_an_address_says_filters_and_order(reads):
    page = reads().open("#policy=two-layer&find=farewell&verdict=incorrect&sort=name")

    assert page.locator("#filters select[data-state=policy]").input_value() == "two-layer"
    assert page.locator("#find-box").input_value() == "farewell"
    assert page.locator("tr.case").count() == 1
    assert page.locator("#trials tr.group").count() == 0


def test_a_click_on_a_column_puts_its_right_trials_first_and_the_focus_stays(reads):
    page = reads().open()

    page.locator("button.sort", has_text="full-context").click()

    assert page.locator("tr.case").first.locator("td[data-name=full-context]").inner_text().split() == ["✓", "repaired"]
    assert page.locator("th[aria-sort]").inner_text().startswith("full-context")
    assert page.evaluate("document.activeElement.textContent") == "full-context"


def test_cases_that_strategies_disagree_on_come_first_when_asked_for(reads):
    page = reads().open("#sort=disagreement")

    assert "greeting" in page.locator("tr.case").first.inner_text()


def test_the_head_of_the_grid_stays_in_sight(reads):
    extra = [
        row_of(repairable(f"case-{at:02}"), unrepaired(), key_of(repairable(f"case-{at:02}"), "summary"))
        for at in range(40)
    ]
    page = reads(small_run(extra=extra)).open("#grid")

    page.locator("tr.case").last.scroll_into_view_if_needed()

    assert page.locator("th .sort", has_text="summary").is_visible()
    head, cell = page.locator(".grid thead th").first.bounding_box(), page.locator("tr.case").last.bounding_box()
    assert 0 <= head["y"] < cell["y"] - head["height"]


def test_coming_back_from_a_trial_keeps_the_filters(reads):
    reader = reads()
    page = reader.open("#kind=repairable&sort=name")

    reader.cell(PLAUSIBLE).click()
    page.wait_for_selector("#trial > article")
    assert "kind=repairable" in page.url
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")

    assert page.url.endswith("#kind=repairable&sort=name")
    assert page.locator("tr.case").count() == 2


def test_a_figure_leads_to_the_very_trials_that_it_counts(reads):
    page = reads().open()
    figure = page.locator(".panel:visible tr.line", has=page.locator("th", has_text="summary")).locator(
        "td[data-name='Plausible but wrong'] a"
    )

    assert figure.inner_text() == "1"
    figure.click()
    page.wait_for_selector("#clear", state="visible")
    assert page.locator("tr.case").count() == 1
    assert page.locator("td[data-name=summary] .cell").inner_text().split() == ["≈", "plausible"]
    assert "view=grid" in page.url


def test_a_link_to_the_trials_keeps_what_was_chosen_and_leads_there(reads):
    page = reads().open("#kind=repairable")

    page.locator("#bar a", has_text="Trials").click()
    page.wait_for_selector("#bar a[data-view=grid][aria-current]")

    assert page.url.endswith("#kind=repairable&view=grid")
    assert page.evaluate("document.activeElement.id") == "grid"


def test_a_grid_wider_than_the_window_scrolls_in_its_own_box_with_head_and_case_in_sight(reads):
    case = repairable()
    extra = [row_of(case, unrepaired(), key_of(case, f"strategy-{at:02}", "naive")) for at in range(16)]
    page = reads(small_run(extra=extra), viewport={"width": 800, "height": 600}).open("#grid")

    page.locator("td[data-name=strategy-15] .cell").scroll_into_view_if_needed()

    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert page.locator("tr.case th").first.bounding_box()["x"] >= 0
    assert page.locator("td[data-name=strategy-15]").first.bounding_box()["x"] < 800


def test_the_address_of_a_section_stays_and_the_section_is_in_sight(reads):
    page = reads(small_run(), viewport={"width": 800, "height": 400}).open("#findings")

    assert page.url.endswith("#findings")
    assert 0 <= page.locator("#findings").bounding_box()["y"] < 400
