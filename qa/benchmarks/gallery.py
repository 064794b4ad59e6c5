"""The shipped matrix's reports, and the screenshots that the README shows of it.

    python qa/benchmarks/gallery.py [RUN]

Reads a complete run of all sweeps (``reports/latest`` if none is named), opens its report in Debian's headless Chromium and writes
``docs/images/report-*.png``. Writes the reports of the editions' headline runs to ``reports/benchmark.html``,
``reports/second-edition.html`` and ``reports/third-edition.html``: that of all sweeps is too heavy to publish. Says what each weighs, and
ends in an error where one is too heavy.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mendbench.report.html import render_html, trial_link
from mendbench.results.store import StoredRun, read_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = {
    Path("reports/benchmark.html"): Path("reports/headline"),
    Path("reports/second-edition.html"): Path("reports/second"),
    Path("reports/third-edition.html"): Path("reports/third"),
}
"""Each published page, with the folder of its run."""
IMAGES = Path("docs/images")
HEAVIEST = {".png": 300_000, ".html": 2_000_000}
"""Bytes of one screenshot, and of a page."""
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One screenshot: of what is seen at a place of the page, at one size."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"
    at: str = ""
    """What is scrolled to; the top if nothing."""
    trial: bool = False
    """Whether it is of a trial's page."""


SHOTS = (
    Shot(name="first-screen", width=1280, height=900),
    Shot(name="first-screen-dark", width=1280, height=900, scheme="dark"),
    Shot(name="findings", width=1280, height=900, at="#findings"),
    Shot(name="pictures", width=1280, height=980, at="#pictures"),
    Shot(name="policies", width=1280, height=1080, at="#policies"),
    Shot(name="trials", width=1280, height=900, at="#grid"),
    Shot(name="trial", width=1280, height=900, trial=True),
    Shot(name="narrow", width=390, height=844),
)


def main(words: list[str]) -> int:
    """Write the pages and the screenshots; return 1 where one is too heavy."""
    run = read_run(Path(words[0] if words else "reports/latest"))
    for page, folder in PAGES.items():
        page.write_text(render_html(read_run(folder)), encoding="utf-8")
    weights = {**{page: page.stat().st_size for page in PAGES}, **_shots(run)}
    for place, weight in weights.items():
        sys.stdout.write(f"{weight / 1000:8.0f} kB  {place}\n")
    heavy = [place for place, weight in weights.items() if weight > HEAVIEST[place.suffix]]
    for place in heavy:
        sys.stderr.write(f"{place}: more than {HEAVIEST[place.suffix] / 1000:.0f} kB; show less in {__file__}\n")
    return 1 if heavy else 0


def _shots(run: StoredRun) -> dict[Path, int]:
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium")
    if found is None:
        sys.exit("chromium is not installed; install Debian's to have the screenshots made")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        taken = {place: place.stat().st_size for shot in SHOTS for place in (_take(browser, shot, run),)}
        browser.close()
    return taken


def _take(browser: Browser, shot: Shot, run: StoredRun) -> Path:
    page = browser.new_page(viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme)
    page.goto((run.folder / "index.html").absolute().as_uri() + (trial_link(_example(run)) if shot.trial else ""))
    page.wait_for_selector("#trial > article" if shot.trial else "a.cell", state="attached")
    if shot.at:
        page.eval_on_selector(shot.at, "place => place.scrollIntoView()")
    place = IMAGES / f"report-{shot.name}.png"
    page.screenshot(path=place)
    page.close()
    return place


def _example(run: StoredRun) -> str:
    """Return the trial that shows most: repaired after more than one attempt; else the first that was repaired, or that there is."""
    ranked = sorted(
        run.rows,
        key=lambda row: (row["outcome"] != "repaired", row["model"] is None, -len(row["attempts"]), row["key"]),
    )
    return str(ranked[0]["key"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
