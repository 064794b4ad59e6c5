"""Whether everybody can read the report: axe-core, contrast, the keyboard alone, paper, small and large windows, and no script."""

from dataclasses import replace
from importlib.resources import files

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import small_run

pytestmark = pytest.mark.browser

PLAUSIBLE = "slack/greeting | mendbench | chat | tiny-coder | summary | two-layer | structural | 000000"
PLACES = {
    "overview": "",
    "trial": trial_link(PLAUSIBLE),
    "truth": f"#tab=truth&{trial_link(PLAUSIBLE)[1:]}",
    "requests": f"#tab=requests&{trial_link(PLAUSIBLE)[1:]}",
    "compare": "#compare=full-context&to=summary",
    "prompts": "#compare=full-context&to=summary&case=slack%2Fgreeting",
    "runs": "#against=1",
}
FIRST = {"overview", "trial"}
EACH = [pytest.param(place, marks=[] if place in FIRST else [pytest.mark.slow]) for place in PLACES]
LATER = {(place, "dark") for place in PLACES if place not in FIRST}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def axe():
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "scheme"),
    [
        pytest.param(place, scheme, marks=[pytest.mark.slow] if (place, scheme) in LATER else [])
        for place in PLACES
        for scheme in ("light", "dark")
    ],
)
def test_axe_finds_nothing_to_complain_of(reads, axe, place, scheme):
    run = small_run()
    page = reads(run, replace(run, rows=run.rows[2:]), color_scheme=scheme, reduced_motion="reduce").open(PLACES[place])
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.evaluate(axe)
    found = page.evaluate("(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}})", RULES)

    assert [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found["violations"]] == []
    assert len(found["passes"]) > 20


def test_axe_finds_nothing_to_complain_of_in_the_help(reads, axe):
    page = reads(small_run()).open()
    page.locator(".help").click()
    page.evaluate(axe)
    found = page.evaluate("(tags) => axe.run('#help', {runOnly: {type: 'tag', values: tags}})", RULES)

    assert [one["id"] for one in found["violations"]] == []


def test_a_trial_is_found_filtered_and_opened_without_a_mouse(reads):
    page = reads(small_run()).open()

    page.keyboard.press("/")
    page.keyboard.type("greeting")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.cell')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#trial > article")

    assert "greeting" in page.locator("#trial h1").inner_text()
    assert page.evaluate("document.activeElement.id") == "trial"


def test_what_has_the_focus_can_be_seen(reads):
    page = reads(small_run()).open()

    page.keyboard.press("/")
    page.keyboard.press("Tab")

    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 1


@pytest.mark.parametrize("width", [320, *(pytest.param(width, marks=pytest.mark.slow) for width in (768, 1280)), 3840])
@pytest.mark.parametrize("place", ["overview", "trial", "compare", "runs"])
def test_no_window_makes_the_page_scroll_sideways(reads, place, width):
    run = small_run()
    page = reads(run, replace(run, rows=run.rows[2:]), viewport={"width": width, "height": 900}).open(PLACES[place])

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_policies_of_a_great_run_fit_the_narrowest_window_that_has_them_as_a_table(reads):
    page = reads(small_run(), viewport={"width": 721, "height": 900}).open("#policies")

    texts = "['430 / 1270', '12 : 12', '1506', '16.2', '1460', '2.95', '1\u202f885\u202f720', '151\u202f091']"
    cells = page.locator(".policies td")
    cells.evaluate_all(f"cells => cells.forEach((cell, at) => {{ cell.textContent = {texts}[at % 8]; }})")

    assert cells.count() == 2 * 8
    assert cells.first.evaluate("cell => getComputedStyle(cell).display") == "table-cell"
    assert page.locator(".policies").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 721


@pytest.mark.parametrize("place", EACH)
def test_there_is_one_main_part_and_one_first_heading_at_a_time(reads, place):
    run = small_run()
    page = reads(run, run).open(PLACES[place])

    assert page.locator("main:visible").count() == 1
    assert page.locator("h1:visible").count() == 1
    assert page.title().startswith("mendbench") or "slack/greeting" in page.title()


def test_on_paper_all_parts_of_a_trial_are_shown_and_nothing_to_press(reads):
    page = reads(small_run()).open(trial_link(PLAUSIBLE))
    page.wait_for_selector("#trial > article")
    page.emulate_media(media="print")

    assert page.locator("#panel-truth").is_visible()
    assert page.locator("#panel-record").is_visible()
    assert not page.locator("#bar").is_visible()
    assert page.locator("button.copy:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.text')).maxHeight") == "none"


def test_nothing_moves_for_whoever_asked_for_that(reads):
    page = reads(small_run(), reduced_motion="reduce").open()

    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length"
        )
        == 0
    )


@pytest.mark.parametrize("place", EACH)
def test_dark_is_dark(reads, place):
    run = small_run()
    page = reads(run, run, color_scheme="dark").open(PLACES[place])
    red, green, blue = (
        int(part) for part in page.evaluate("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(",")
    )

    assert max(red, green, blue) < 64


def test_without_a_script_the_summary_is_there_and_says_what_is_missing(reads):
    reader = reads(small_run(), java_script_enabled=False)
    reader.page.goto(reader.place.as_uri())

    assert reader.page.locator("noscript").inner_text().startswith("Without a script this page shows the summary alone")
    assert not reader.page.locator("#bar").is_visible()
    assert not reader.page.locator("#filters").is_visible()
    assert not reader.page.locator("#grid-help").is_visible()
