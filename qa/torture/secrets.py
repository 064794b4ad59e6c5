"""Planted secrets: each a shape, a carrier and a spelling, with a value that is drawn. None may come out anywhere."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mendbench.secrets.redaction import Redactor
from mendbench.secrets.undeclared import sanitise
from qa.torture.planting import CARRIERS, NAMELESS, PROVIDERS, SPELLINGS, Planted, planted
from qa.torture.pumped import looked_through
from qa.torture.searching import holds
from qa.torture.secret_effects import echoed
from qa.torture.secret_live import recorded_live
from qa.torture.secret_ways import from_programs, imported, in_files, in_recordings, recorded, reports, run_outside
from qa.torture.tally import Attempt

LONG = 200
"""Planted secrets of each kind."""
MANY = 20
"""From so many on, programs are started too: a quick version starts none but the one that writes the report."""
PUMPED = 2000
"""Times that a hostile text says the same."""
COMMANDS = (
    (("report", "out", "--junit", "made/junit.xml", "--markdown", "made/report.md", "--csv", "made/csv", "--parquet", "made/parquet"), 0),
    (("gate", "out", "--baseline", "made/baseline.tsv", "--update"), 0),
    (("prompts", "export", "--out", "made/prompts.jsonl"), 0),
    (("case", "check"), 1),
    (("case", "show", "http/hands-out"), 0),
    (("strategy", "render", "full-context", "http/hands-out"), 0),
    (("run", "--out", "again", "--format", "json"), 0),
    (("run", "--model", "nobody"), 2),
)  # fmt: skip
"""What else is made of a recording, and how each ends: of what a proof would ask nothing is recorded."""

PATHS = frozenset({"path", "file name"})
"""Where base64 cannot be separated from what follows it, so that the length of a secret in it shows."""


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Plant ``count`` secrets of each kind."""
    for one in planted(count, seed):
        yield _declared(one)
        if one.carrier not in PATHS:
            yield _of_any_value(one)
    for one in planted(count, seed + 1, PROVIDERS):
        yield _undeclared(one, "a provider's shape, declared by nobody")
    for one in planted(count, seed + 2):
        if one.carrier not in NAMELESS:
            yield _undeclared(one, "under a credential's name, declared by nobody")
    with tempfile.TemporaryDirectory() as parent:
        root = Path(parent)
        yield from in_files(count, seed + 3, root / "files")
        yield from in_recordings(count, seed + 10, root / "recordings")
        yield from reports(count, seed + 8, root / "reports")
        yield from echoed(count, seed + 9, root / "echoed")
        yield from recorded_live(count, seed + 11, root / "live")
        yield from imported(count, seed + 4, root / "imported")
        yield from recorded(count, seed + 5, root / "recorded", commands=COMMANDS if count >= MANY else ())
        if count >= MANY:
            yield from run_outside(count, seed + 6, root / "outside")
            yield from from_programs(count, seed + 7)
            yield from looked_through(PUMPED)


def _attempt(kind: str, one: Planted, shown: str | bytes) -> Attempt:
    data = shown.encode("utf-8", "surrogatepass") if isinstance(shown, str) else shown
    way = holds(data, one.secret)
    return Attempt(kind=kind, what=one.what, failure=f"it is there: {way}" if way else None)


def _declared(one: Planted) -> Attempt:
    redactor = Redactor({"it": one.secret})
    clean = redactor.text(one.text)
    kind = "declared, in a text"
    if redactor.text(clean) != clean:
        return Attempt(kind=kind, what=one.what, failure="redacting it twice is not redacting it once")
    if redactor.leaks(one.text) != ("it",) or redactor.leaks(clean):
        return Attempt(kind=kind, what=one.what, failure="it is not reported that it is there, or that it is gone")
    return _attempt(kind, one, clean)


def _of_any_value(one: Planted) -> Attempt:
    """Whatever the value, what is left is the same: so keys are."""
    values = (one.secret, one.secret[::-1] + "x")
    texts = [CARRIERS[one.carrier](SPELLINGS[one.spelling](value)) for value in values]
    clean = [Redactor({"it": value}).text(text) for text, value in zip(texts, values, strict=True)]
    return Attempt(
        kind="the same is left whatever the value",
        what=one.what,
        failure=None if clean[0] == clean[1] else f"{clean[0]!r} and {clean[1]!r}",
    )


def _undeclared(one: Planted, kind: str) -> Attempt:
    clean = sanitise(one.text)
    if sanitise(clean) != clean:
        return Attempt(kind=kind, what=one.what, failure="sanitising it twice is not sanitising it once")
    return _attempt(kind, one, str(clean))
