import json
import os
import shutil
from functools import cache

import pytest
from playwright.sync_api import sync_playwright

from mendbench.report.html import render_html
from tests.fakes.runs import small_run

ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


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
        return chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **json.loads(options)}).new_page()

    return lambda **options: opened(json.dumps(options))


class Reader:
    """A page with a report in it, and what the browser had to say about it."""

    def __init__(self, page, place):
        self.page, self.place = page, place
        self.said, self.asked = [], []
        self._heard = {
            "console": lambda message: self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "request": lambda request: self.asked.append(request.url),
        }
        for event, note in self._heard.items():
            page.on(event, note)

    def open(self, fragment=""):
        self.page.goto(self.place.as_uri() + fragment)
        self.page.wait_for_selector("a.cell, #trial > article, #compare > h1", state="attached")
        return self.page

    def leave(self):
        """Hear what the report still has to say, and give the page back as it was."""
        self.page.goto("about:blank")
        self.page.emulate_media(media="null")
        for event, note in self._heard.items():
            self.page.remove_listener(event, note)

    def cell(self, key):
        return self.page.locator(f"a.cell[data-key='{key}']")


@pytest.fixture(scope="module")
def standing(chromium, tmp_path_factory):
    """A page that is open already, for what the page's functions answer: no test may leave anything behind in it."""
    place = tmp_path_factory.mktemp("page") / "index.html"
    place.write_text(render_html(small_run()), encoding="utf-8")
    page = chromium.new_page()
    page.goto(place.as_uri())
    page.wait_for_selector("a.cell", state="attached")
    yield page
    page.close()


@pytest.fixture
def reads(window, tmp_path):
    """Return a function that opens a run's report; at the end nothing was complained of, and nothing was fetched."""
    opened = []

    def read(run, against=None, **options):
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
