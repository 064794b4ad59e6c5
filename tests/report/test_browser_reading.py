"""What a first-time reader looks for in a browser: which trials are shown, what the harm was, and a way back from everywhere."""

import json
from dataclasses import replace

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import key_of, plausible, repairable, repaired, row_of, small_run, stored_run

pytestmark = pytest.mark.browser

PLAUSIBLE = "slack/greeting | mendbench | chat | tiny-coder | summary | naive | - | 000000"


def opened(reads, run=None, **options):
    page = reads(run, **options).open(trial_link(PLAUSIBLE))
    page.wait_for_selector("#trial > article")
    return page


def split_run():
    cases = [(repairable("first"), "test"), (repairable("second"), "train")]
    made = [
        row_of(case, plausible(), key_of(case, name), part=part)
        for case, part in cases
        for name in ("summary", "full-context", "none")
    ]
    made += [row_of(case, repaired(), key_of(case, "none", repairer="reference"), part=part) for case, part in cases]
    return stored_run(made)


def test_a_split_corpus_is_shown_by_the_part_that_the_report_covers_until_all_is_asked_for(reads):
    page = reads(split_run()).open()
    assert page.locator("tr.case").count() == 1
    assert "The 1 case of the test part, which the report covers." in page.locator("#part-note").inner_text()
    assert not page.locator("#clear").is_visible()
    page.locator("#part-note button").click()
    assert page.locator("tr.case").count() == 2
    assert page.url.endswith("#part=")
    page.locator("#part-note button").click()
    assert page.locator("tr.case").count() == 1


def test_a_comparison_begins_with_the_part_that_the_report_covers_too(reads):
    page = reads(split_run()).open("#compare=full-context&to=summary")
    assert page.locator(".counts tbody td").first.inner_text() == "1"
    page.locator("#compare .part-note button").click()
    page.wait_for_selector(".counts td:has-text('2')")


def test_a_run_that_is_not_split_says_nothing_of_parts(reads):
    assert reads().open().locator(".part-note").count() == 0


def test_what_broke_leads_to_the_trials_that_it_counts(reads):
    page = reads(split_run()).open()
    page.locator("#answers a", has_text="2 plausible but wrong").click()
    page.wait_for_selector("#grid:focus")
    assert page.locator("thead .sort").all_inner_texts() == ["Case", "full-context", "summary", "reference"]
    assert page.locator("tr.case").count() == 1


def test_floor_and_ceiling_say_under_which_policy_they_ran(reads):
    page = reads(split_run()).open()
    assert page.locator(".grid thead .under").all_inner_texts() == ["under two-layer"]


def test_the_head_of_the_grid_is_one_stop_with_arrows_and_keeps_the_focus(reads):
    page = reads().open()
    assert page.locator(".sort[tabindex='0']").all_inner_texts() == ["Case"]
    page.locator(".sort").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == "full-context"
    for _ in range(2):  # sorts, then goes back to families
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.textContent") == "full-context"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Case"
    assert page.url.endswith("#sort=name")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('a.cell')")


def test_the_search_field_lies_clear_of_the_bar_when_it_is_asked_for(reads):
    page = reads(viewport={"width": 1280, "height": 600}).open(trial_link(PLAUSIBLE))
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find-box"
    bar, field = page.locator("#bar").bounding_box(), page.locator(".find").bounding_box()
    assert field["y"] >= bar["y"] + bar["height"]
    assert field["y"] < 300
    assert page.locator("#grid-title").bounding_box()["y"] >= bar["y"] + bar["height"]


def test_another_policy_leaves_no_gap_and_says_what_stays(reads):
    page = reads().open()
    assert not page.locator("#stays").is_visible()
    space = "document.querySelector('.panel:not([hidden])').getBoundingClientRect().top - document.getElementById('totals').getBoundingClientRect().top"
    before = page.evaluate(space)
    page.locator("#choices button", has_text="two-layer").click()
    assert "Findings and pictures stay with naive." in page.locator("#stays").inner_text()
    assert page.evaluate(space) - before <= page.locator("#stays").bounding_box()["height"] + 16


def test_a_link_to_filtered_trials_has_them_in_sight(reads):
    page = reads(viewport={"width": 1280, "height": 800}).open()
    page.locator("#answers a").first.click()
    page.wait_for_selector("#grid:focus")
    assert page.locator("#grid-title").bounding_box()["y"] < 120
    assert page.locator("tr.case").first.bounding_box()["y"] < 700


def test_the_figures_behind_a_picture_lie_within_their_box(reads):
    page = reads().open()
    page.evaluate("document.querySelectorAll('#pictures details').forEach((part) => { part.open = true; })")
    assert (
        page.evaluate(
            "[...document.querySelectorAll('#pictures .scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
        )
        == 0
    )


def test_trials_to_look_at_are_named_by_title_and_strategy(reads):
    page = reads().open()
    page.locator(".statements summary", has_text="Which").click()
    assert (
        page.locator(".statements .open-trials li").inner_text()
        == "The greeting uses a field that is not there summary"
    )


def test_a_harmful_trial_says_first_what_the_harm_was_and_what_was_sent(reads):
    run = small_run()
    sent = {"method": "POST", "url": "https://slack.com/api/chat.postMessage"}
    check = {"harm": True, "held": False, "variant": None}
    harms = [
        {
            **check,
            "check": "no write that nobody asked for",
            "why": f"{sent['method']} {sent['url']} was accepted once",
        },
        {
            **check,
            "check": "no_request POST",
            "variant": "another user",
            "why": f"{sent['method']} {sent['url']} was accepted",
        },
    ]
    rows = tuple(
        {
            **row,
            "outcome": "harmful",
            "checks": [*row["checks"], *harms],
            "repeated_side_effects": [{**sent, "phases": [0, 1]}],
        }
        if row["key"] == PLAUSIBLE
        else row
        for row in run.rows
    )
    page = opened(reads, replace(run, rows=rows))
    harm_text = page.locator(".harm-shown").inner_text()
    assert harm_text.index("no write that nobody asked for") < harm_text.index("no_request POST")
    assert 'Sent: POST https://slack.com/api/chat.postMessage {"' in harm_text
    assert "on the variant “another user”" in harm_text
    assert harm_text.count("In the trial itself it sent: POST https://slack.com/api/chat.postMessage {") == 1
    assert "Done more than once: POST https://slack.com/api/chat.postMessage accepted in executions 1, 2" in harm_text
    card = page.locator(".verdict").inner_text()
    assert card.index("no write that nobody asked for") < card.index("on the variant “bob”")


def test_a_trial_without_harm_has_no_box_of_harm(reads):
    assert opened(reads).locator(".harm-shown").count() == 0


def test_a_graph_wider_than_the_window_scrolls_in_its_own_box_and_says_so(reads):
    fetch = {"id": "fetch", "type": "http", "params": {}}
    names = [f"step{at}" for at in range(5)]
    wide = json.dumps(
        {
            "nodes": [fetch, *({**fetch, "id": name} for name in names)],
            "edges": [{"from": "fetch", "to": name} for name in names],
        }
    )
    run = small_run()
    rows = tuple({**row, "workflow": wide} for row in run.rows)
    page = opened(reads, replace(run, rows=rows), viewport={"width": 320, "height": 800})
    box = page.locator(".drawn .scroll")
    assert "wider" in box.get_attribute("class")
    assert "Scroll sideways" in box.evaluate("one => getComputedStyle(one, '::before').content")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("svg.graph g.node").first.press("Enter")
    assert "wider" in box.get_attribute("class")


def test_c_compares_the_trial_s_strategy_on_its_case_and_escape_goes_up_a_level_at_a_time(reads):
    page = opened(reads)
    page.keyboard.press("c")
    page.wait_for_selector("#compare .sides, #compare .explain")
    assert page.url.endswith("#compare=summary&to=full-context&case=slack%2Fgreeting")
    page.keyboard.press("Escape")
    page.wait_for_selector("#compare .counts")
    assert page.url.endswith("#compare=summary&to=full-context")
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")
