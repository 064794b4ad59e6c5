import json
import os
import shutil
from dataclasses import replace
from functools import cache

import pytest
from playwright.sync_api import sync_playwright

from mendbench.report.html import render_html
from tests.fakes.runs import small_run

ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
WINDOW = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="package")
def chromium():
    """Return a browser, for these tests alone: while it is driven its thread has an event loop, and others want one of their own."""
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


@pytest.fixture(scope="package")
def window(chromium):
    """Return a function that gives the page with these options: one for all tests, since a report keeps nothing in a browser."""

    @cache
    def opened(options):
        return chromium.new_context(**{**WINDOW, **json.loads(options)}).new_page()

    return lambda **options: opened(json.dumps(options))


BEGIN_AGAIN = """async (address) => {
  for (const one of document.querySelectorAll("dialog[open]")) one.close();
  for (const one of document.querySelectorAll("details")) one.open = unfolded.has(one);
  document.getElementById("said").textContent = "";
  document.activeElement.blur();
  window.scrollTo(0, 0);
  Object.assign(report, { state: { ...report.start }, place: null, home: null, scroll: 0 });
  history.replaceState(null, "", address);
  report.route();
  await report.show();
}"""
"""Bring a page that is open already to an address, as if it had just been opened there."""


def load(page, address):
    page.goto(address)
    page.wait_for_selector("a.cell, #trial > article, #compare > h1", state="attached")
    page.evaluate("window.unfolded = new Set(document.querySelectorAll('details[open]'))")


class Reader:
    """A page with a report in it, and what the browser had to say about it."""

    def __init__(self, page, place, *, stands=False):
        self.page, self.place, self.stands, self._loaded = page, place, stands, stands
        self.said, self.asked = [], []
        self._heard = {
            "console": lambda message: self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "request": lambda request: self.asked.append(request.url),
        }
        for event, note in self._heard.items():
            page.on(event, note)

    def open(self, fragment=""):
        """Load the report, or go to another address of one that is loaded, as if it had just been loaded there."""
        address = self.place.as_uri() + fragment
        if self._loaded:
            self.page.evaluate(BEGIN_AGAIN, address)
        else:
            load(self.page, address)
            self._loaded = True
        return self.page

    def leave(self):
        """Hear what the report still has to say, and give the page back as it was."""
        if self.stands:
            self.page.evaluate("() => new Promise((done) => setTimeout(done))")
        else:
            self.page.goto("about:blank")
        self.page.emulate_media(media="null")
        for event, note in self._heard.items():
            self.page.remove_listener(event, note)

    def cell(self, key):
        return self.page.locator(f"a.cell[data-key='{key}']")


@pytest.fixture(scope="package")
def usual(chromium, tmp_path_factory):
    """Return a function that gives the page with these options in which the usual run's report is open, and its file.

    Loading a report takes most of a test's time: these stay open for all tests of the package. With ``less`` the report has
    another run beside it, without two of its trials.
    """
    made = {}
    run = small_run()
    for less in (False, True):
        place = tmp_path_factory.mktemp("usual") / "index.html"
        place.write_text(render_html(run, replace(run, rows=run.rows[2:]) if less else None), encoding="utf-8")
        made[less] = place

    @cache
    def opened(less, options):
        page = chromium.new_context(**{**WINDOW, **json.loads(options)}).new_page()
        load(page, made[less].as_uri())
        return page

    return lambda *, less, **options: (opened(less, json.dumps(options)), made[less])


@pytest.fixture
def standing(usual):
    """Return the open page of the usual run, for what the page's functions answer: no test may leave anything behind in it."""
    return usual(less=False)[0]


@pytest.fixture
def reads(window, usual, tmp_path):
    """Return a function that opens a run's report; at the end nothing was complained of, and nothing was fetched.

    Without a run it is the usual one, in a page that is open already; ``less`` puts it beside one with fewer trials.
    """
    opened = []

    def read(run=None, against=None, *, less=False, **options):
        if run is None:
            reader = Reader(*usual(less=less, **options), stands=True)
        else:
            place = tmp_path / "index.html"
            place.write_text(render_html(run, against), encoding="utf-8")
            reader = Reader(window(**options), place)
        opened.append(reader)
        return reader

    yield read
    for reader in opened:
        reader.leave()
        assert reader.said == []
        assert {url.partition("#")[0] for url in reader.asked if not url.startswith("data:")} <= {
            reader.place.as_uri(),
            "about:blank",
        }
