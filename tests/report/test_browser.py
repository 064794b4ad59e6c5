"""The report in a browser: opened from the disk, used by mouse and by keyboard, and fed with hostile words."""

import os
import shutil
from contextlib import suppress

import pytest
from playwright.sync_api import sync_playwright

from mendbench.report.html import render_html, trial_link
from tests.fakes.runs import key_of, plausible, repairable, row_of, small_run, stored_run, unjudged, unrepaired

pytestmark = pytest.mark.browser

ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
GREETING = "slack/greeting | mendbench | chat | tiny-coder | {} | {} | {} | 000000"
PLAUSIBLE = GREETING.format("summary", "two-layer", "mend")
HOSTILE = (
    """</script></template><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'"${7*7}&amp;<b>"""
)


@pytest.fixture(scope="module")
def chromium():
    found = shutil.which("chromium")
    if found is None:
        said = "Debian's chromium is not installed; install it to see the report tested in a browser"
        if os.environ.get("CI"):
            pytest.fail(said)
        pytest.skip(said)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Reader:
    """A page with a report in it, and what the browser had to say about it."""

    def __init__(self, page, place):
        self.page, self.place = page, place
        self.said, self.asked = [], []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, fragment=""):
        self.page.goto(self.place.as_uri() + fragment)
        self.page.wait_for_selector("a.cell, #trial > article", state="attached")
        return self.page

    def cell(self, key):
        return self.page.locator(f"a.cell[data-key='{key}']")


@pytest.fixture
def reads(chromium, tmp_path):
    """Return a function that opens a run's report; at the end nothing was complained of, and nothing was fetched."""
    opened = []

    def read(run, **options):
        place = tmp_path / "index.html"
        place.write_text(render_html(run), encoding="utf-8")
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        reader = Reader(context.new_page(), place)
        opened.append((context, reader))
        return reader

    yield read
    for context, reader in opened:
        with suppress(Exception):
            context.close()
        assert reader.said == []
        assert {url.partition("#")[0] for url in reader.asked if not url.startswith("data:")} <= {reader.place.as_uri()}


def trial_title(page):
    return page.locator("#trial h1").inner_text()


def test_it_opens_from_the_disk_with_totals_and_grid(reads):
    page = reads(small_run()).open()

    assert page.locator(".panel:visible tr.line").count() == 5
    assert page.locator("tr.case").count() == 3
    assert page.locator("tr.group", has_text="slack").count() == 1


def test_a_cell_says_its_outcome_in_words(reads):
    reader = reads(small_run())
    reader.open()

    assert "plausible" in reader.cell(PLAUSIBLE).inner_text()
    assert "repaired" in reader.cell(GREETING.format("full-context", "two-layer", "mend")).inner_text()


def test_a_click_opens_the_trial_with_its_verdict_and_reason(reads):
    reader = reads(small_run())
    page = reader.open()

    reader.cell(PLAUSIBLE).click()

    assert trial_title(page) == "The greeting uses a field that is not there"
    assert "plausible" in page.locator(".verdict").inner_text()
    assert "variant bob" in page.locator(".checks .failed").first.inner_text()
    assert page.url.endswith(trial_link(PLAUSIBLE))
    assert not page.locator("#overview").is_visible()


def test_the_timeline_shows_prompt_answer_edit_and_execution(reads):
    page = reads(small_run(answer='{"edits": []}')).open(trial_link(PLAUSIBLE))
    attempt = page.locator(".event").nth(1)

    assert page.locator(".event").first.inner_text().startswith("First execution")
    assert attempt.locator(".source").all_inner_texts() == ["raw", "state", "derived"]
    assert '{"edits": []}' in attempt.inner_text()
    assert "Hi ${fetch.response.user.username}!" in attempt.locator(".diff .removed").inner_text()
    assert "Hi ada!" in attempt.locator(".diff .added").inner_text()
    assert attempt.locator("h4", has_text="Resumed execution").count() == 1
    assert "POST https://slack.com/api/chat.postMessage" in page.locator("#trial").inner_text()


def test_the_back_button_and_escape_return_to_the_grid_and_its_cell(reads):
    reader = reads(small_run())
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
    page = reads(small_run()).open()

    page.locator('a.cell[tabindex="0"]').focus()
    first = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trial", state="visible")

    assert first == "slack/absent | mendbench | chat | tiny-coder | full-context | two-layer | mend | 000000"
    assert second == PLAUSIBLE
    assert page.locator('a.cell[tabindex="0"]').count() == 1
    assert trial_title(page) == "The greeting uses a field that is not there"


def test_the_edge_of_the_grid_holds_the_focus(reads):
    page = reads(small_run()).open()

    page.locator('a.cell[tabindex="0"]').focus()
    before = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")

    assert page.evaluate("document.activeElement.dataset.key") == before


def test_a_deep_link_opens_its_trial(reads):
    page = reads(small_run()).open(trial_link(GREETING.format("full-context", "naive", "-")))

    assert "repaired" in page.locator(".verdict").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")
    assert page.locator('button[data-value="naive"]').get_attribute("aria-pressed") == "true"


def test_a_link_to_a_trial_that_is_not_there_says_so(reads):
    page = reads(small_run()).open("#trial=nothing")

    assert trial_title(page) == "No such trial in this run"


@pytest.mark.parametrize("fragment", ["#policy=nothing&by=nobody", "#%E0%A4%A", "#trial", "#=&="])
def test_an_address_that_means_nothing_opens_the_overview(reads, fragment):
    page = reads(small_run()).open(fragment)

    assert page.locator("#overview").is_visible()


def test_choosing_a_policy_shows_its_totals_and_its_trials(reads):
    reader = reads(small_run())
    page = reader.open()

    page.locator('button[data-value="naive"]').click()

    assert "naive" in page.locator(".panel:visible caption").inner_text()
    assert reader.cell(GREETING.format("summary", "naive", "-")).count() == 1
    assert reader.cell(PLAUSIBLE).count() == 0
    assert "policy=naive" in page.url


def test_choosing_a_model_shows_its_trials(reads):
    case = repairable()
    other = key_of(case, "summary", model="other-model")
    reader = reads(small_run(extra=[row_of(case, unrepaired(), other)]))
    page = reader.open()

    page.locator("select").select_option("other-model")

    assert page.locator("tr.case").count() == 2
    assert reader.cell(PLAUSIBLE).count() == 0
    assert reader.cell(PLAUSIBLE.replace("tiny-coder", "other-model")).count() == 1


def test_cases_are_found_by_name(reads):
    page = reads(small_run()).open()

    page.locator("#find-box").fill("FAREWELL")

    assert page.locator("tr.case").count() == 1


def test_samples_of_a_trial_share_a_cell_and_are_linked(reads):
    case = repairable()
    extra = [row_of(case, plausible(), key_of(case, "summary", sample=1))]
    reader = reads(small_run(extra=extra))
    page = reader.open()

    assert "0 of 2 right" in reader.cell(PLAUSIBLE).inner_text()
    reader.cell(PLAUSIBLE).click()
    page.locator(".sibling", has_text="summary #1").click()
    assert page.url.endswith("000001")


def test_an_unjudged_trial_tells_the_command_that_records_it(reads):
    case = repairable("third")
    key = PLAUSIBLE.replace("greeting", "third")
    reader = reads(small_run(extra=[row_of(case, unrepaired(), key_of(case, "summary"), problem=unjudged())]))
    page = reader.open()

    page.locator(".banner summary").click()
    page.locator(".open-trials a").click()
    page.wait_for_selector("#trial", state="visible")

    assert page.url.endswith(trial_link(key))
    assert "mendbench run slack/greeting --record new_episodes" in page.locator(".verdict").inner_text()


def test_hostile_words_are_shown_and_do_nothing(reads):
    case = repairable(request=HOSTILE, recorded_from={"slack": HOSTILE})
    key = key_of(case, "summary")
    run = stored_run(
        [row_of(case, plausible(answer=HOSTILE * 3, context=HOSTILE * 3, frame=HOSTILE), key)], digests={"x": HOSTILE}
    )
    reader = reads(run)
    page = reader.open()
    reader.cell(PLAUSIBLE).click()
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")

    assert HOSTILE * 3 in page.locator(".event").nth(1).inner_text()
    assert HOSTILE in page.locator(".request").inner_text()
    assert page.evaluate("window.harmed") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_an_output_that_looks_like_a_reference_is_shown_as_it_is(reads):
    run = small_run()
    row = next(row for row in run.rows if row["key"] == PLAUSIBLE)
    row["outputs"] = {"$text": "constructor"}
    page = reads(run).open(trial_link(PLAUSIBLE))

    assert "constructor" in page.locator("details", has_text="Outputs").text_content()


@pytest.mark.parametrize("fragment", ["", trial_link(PLAUSIBLE)])
def test_a_narrow_window_does_not_scroll_sideways(reads, fragment):
    run = small_run(answer="x" * 400, context="y" * 400)
    page = reads(run, viewport={"width": 390, "height": 844}).open(fragment)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")

    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_a_script_the_totals_are_there(reads):
    reader = reads(small_run(), java_script_enabled=False)
    reader.page.goto(reader.place.as_uri())

    assert reader.page.locator(".panel:visible").count() == 2
    assert "1 / 2" in reader.page.locator(".panel").first.inner_text()
    assert "not running" in reader.page.locator("#no-grid").inner_text()
    assert not reader.page.locator("#choices").is_visible()


def test_dark_is_dark(reads):
    page = reads(small_run(), color_scheme="dark").open()
    red, green, blue = (
        int(part) for part in page.evaluate("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(",")
    )

    assert max(red, green, blue) < 64


@pytest.mark.parametrize(
    ("before", "after", "signs"),
    [
        ("a\nb\nc", "a\nb\nc", "   "),
        ("a\nb\nc", "a\nc", " - "),
        ("a\nc", "a\nb\nc", " + "),
        ("a\nb\nc", "a\nx\nc", " -+ "),
        ("", "a", "-+"),
        ("a\na\na", "a\na", "  -"),
        ("p\nq\nr\ns", "q\np\nr\nt\ns", None),
    ],
)
def test_a_difference_holds_both_texts(reads, before, after, signs):
    page = reads(small_run()).open()
    lines = page.evaluate("([before, after]) => diffLines(before, after)", [before, after])

    assert "\n".join(line["text"] for line in lines if line["sign"] != "+") == before
    assert "\n".join(line["text"] for line in lines if line["sign"] != "-") == after
    assert signs is None or "".join(line["sign"] for line in lines) == signs
