"""Whether everybody can read the report: axe-core, contrast, the keyboard alone, paper, small and large windows, and no script."""

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
FIRST = ("overview", "trial")
LATER = [place for place in PLACES if place not in FIRST]
ALL = [FIRST, pytest.param(LATER, marks=pytest.mark.slow)]
LIGHT = {"color_scheme": "light", "reduced_motion": "reduce"}
DARK = {"color_scheme": "dark", "reduced_motion": "reduce"}
COLOURS = ["color-contrast", "link-in-text-block"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def axe():
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def complaints(page, axe, only):
    """Return what axe complains of and how many of its rules hold, with everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.evaluate(axe)
    found = page.evaluate("(only) => axe.run(document, {runOnly: only, resultTypes: ['violations']})", only)
    return [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found["violations"]], found["passes"]


@pytest.mark.parametrize("places", ALL)
def test_axe_finds_nothing_to_complain_of(reads, axe, places):
    reader = reads(less=True, **LIGHT)
    found, few = {}, []
    for place in places:
        found[place], passed = complaints(reader.open(PLACES[place]), axe, {"type": "tag", "values": RULES})
        few += [place] if len(passed) <= 20 else []

    assert {place: wrong for place, wrong in found.items() if wrong} == {}
    assert few == []


@pytest.mark.parametrize("places", ALL)
def test_axe_finds_nothing_to_complain_of_in_the_dark(reads, axe, places):
    """Of rules that look at colours: the others do not depend on them."""
    reader = reads(less=True, **DARK)
    found = {}
    for place in places:
        found[place], passed = complaints(reader.open(PLACES[place]), axe, {"type": "rule", "values": COLOURS})
        assert passed

    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_axe_finds_nothing_to_complain_of_in_the_help(reads, axe):
    page = reads().open()
    page.locator(".help").click()
    page.evaluate(axe)
    found = page.evaluate("(tags) => axe.run('#help', {runOnly: {type: 'tag', values: tags}})", RULES)

    assert [one["id"] for one in found["violations"]] == []


def test_a_trial_is_found_filtered_and_opened_without_a_mouse(reads):
    page = reads().open()

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
    page = reads().open()

    page.keyboard.press("/")
    page.keyboard.press("Tab")

    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 1


@pytest.mark.parametrize("width", [320, *(pytest.param(width, marks=pytest.mark.slow) for width in (768, 1280)), 3840])
def test_no_window_makes_the_page_scroll_sideways(reads, width):
    reader = reads(less=True, viewport={"width": width, "height": 900})
    places = ("overview", "trial", "compare", "runs")
    wide = [place for place in places if scroll_width(reader.open(PLACES[place])) > width]

    assert wide == []


def scroll_width(page):
    return page.evaluate("document.documentElement.scrollWidth")


def test_policies_of_a_great_run_fit_the_narrowest_window_that_has_them_as_a_table(reads):
    page = reads(small_run(), viewport={"width": 721, "height": 900}).open("#policies")

    texts = "['430 / 1270', '12 : 12', '1506', '16.2', '1460', '2.95', '1\u202f885\u202f720', '151\u202f091']"
    cells = page.locator(".policies td")
    cells.evaluate_all(f"cells => cells.forEach((cell, at) => {{ cell.textContent = {texts}[at % 8]; }})")

    assert cells.count() == 2 * 8
    assert cells.first.evaluate("cell => getComputedStyle(cell).display") == "table-cell"
    assert page.locator(".policies").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 721


def test_there_is_one_main_part_and_one_first_heading_at_a_time(reads):
    reader = reads(less=True, **LIGHT)
    wrong = {}
    for place, fragment in PLACES.items():
        page = reader.open(fragment)
        found = page.locator("main:visible").count(), page.locator("h1:visible").count()
        named = page.title().startswith("mendbench") or "slack/greeting" in page.title()
        wrong |= {} if found == (1, 1) and named else {place: (*found, page.title())}

    assert wrong == {}


def test_on_paper_all_parts_of_a_trial_are_shown_and_nothing_to_press(reads):
    page = reads().open(trial_link(PLAUSIBLE))
    page.wait_for_selector("#trial > article")
    page.emulate_media(media="print")

    assert page.locator("#panel-truth").is_visible()
    assert page.locator("#panel-record").is_visible()
    assert not page.locator("#bar").is_visible()
    assert page.locator("button.copy:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.text')).maxHeight") == "none"


def test_nothing_moves_for_whoever_asked_for_that(reads):
    page = reads(less=True, **LIGHT).open()

    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length"
        )
        == 0
    )


def test_dark_is_dark(reads):
    reader = reads(less=True, **DARK)
    colour = "getComputedStyle(document.body).backgroundColor"
    found = {place: reader.open(fragment).evaluate(colour) for place, fragment in PLACES.items()}
    light = {place: said for place, said in found.items() if max(map(int, said.strip("rgb()").split(","))) >= 64}

    assert light == {}


def test_without_a_script_the_summary_is_there_and_says_what_is_missing(reads):
    reader = reads(small_run(), java_script_enabled=False)
    reader.page.goto(reader.place.as_uri())

    assert reader.page.locator("noscript").inner_text().startswith("Without a script this page shows the summary alone")
    assert not reader.page.locator("#bar").is_visible()
    assert not reader.page.locator("#filters").is_visible()
    assert not reader.page.locator("#grid-help").is_visible()
