"""JUnit XML of a run: a trial is a test case, a treatment is a suite.

It uses only the elements and attributes that the viewers' schemas have in common (Jenkins' ``junit-10.xsd``, which pytest's ``xunit2``
follows), so that strict readers accept it. There is no timestamp and no host; ``time`` is on the virtual clock. So two
replays of one commit write the same bytes.

There is a suite for each treatment, because viewers count by suite. The class
is ``family.case``, which viewers show as a folder with a class in it. The name repeats case and treatment, because some viewers
show nothing else; it is the same in every run, so that a history finds it.

An unjudged trial is an ``error``. It is not a failure of the repair, but ``skipped`` leaves a build green in every viewer, and a missing
recording must not pass silently.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from mendbench.model.trial import TrialRow
from mendbench.report.findings import RunFinding, RunJudgement
from mendbench.report.reasons import reason, story, treatment_name, trial_name, verdict_words
from mendbench.report.scores import ScoreLine, score_lines
from mendbench.results.baseline import elapsed_ms
from mendbench.results.store import StoredRun
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment

Failing: TypeAlias = Collection[str] | Callable[[TrialRow], bool]
"""Which trials fail a build: their keys, or a predicate on a row."""

Status: TypeAlias = Literal["passed", "failure", "error", "skipped"]

BODY = 4_000
"""Maximum characters of a failure's body: the report has the rest."""

BODIES = 600_000
"""Maximum characters of all failures' bodies together: viewers refuse or cut large files."""

SHORTEST = 200
"""Minimum characters of a body. If the bodies of so many failures would be shorter, there are none: the messages say why."""

MESSAGE = 300
"""Maximum characters of a message, which is an attribute."""

OWN_SUITE = "mendbench"
"""The suite for findings about the run as a whole."""

_TOKENS = ("prompt_tokens", "completion_tokens")

_ILLEGAL = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Everything that is not a character of XML 1.0 (section 2.2), or is a control character there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    name: str
    classname: str
    seconds: float
    status: Status
    kind: str = ""
    """The type of failure: an outcome, a verdict, or the gate's name for it."""
    message: str = ""
    body: str = ""
    out: str = ""


def junit(run: StoredRun, *, judgement: RunJudgement | None = None, failing: Failing | None = None) -> str:
    """Return the run as JUnit XML.

    By default an incorrect trial is a failure, an unjudged or crashed one an error. With a ``judgement``, or with ``failing``, only the
    trials that it names are red, and the others that are not right are ``skipped``. Findings about
    the whole run, and about trials that the run does not have, are test cases in a separate suite.
    """
    if failing is None and judgement is not None:
        failing = judgement.failing
    keys = None if failing is None or callable(failing) else frozenset(failing)
    findings: dict[str, list[RunFinding]] = defaultdict(list)
    for finding in judgement.findings if judgement else ():
        if finding.key is not None:
            findings[finding.key].append(finding)
    root = ET.Element("testsuites")
    tests: list[_Test] = []
    for treatment, records in _by_treatment(run.records):
        rows = (run.rows[place] for place in records.places())
        own = [
            _test(row, run, _status(row, red=_red(row, failing, keys)), findings.get(row["key"], [])) for row in rows
        ]
        _suite(root, treatment_name(treatment), own, _properties(run, treatment, records))
        tests += own
    if judgement is not None:
        own = list(_of_the_whole(judgement, frozenset(run.records.trial_keys())))
        _suite(root, OWN_SUITE, own, ())
        tests += own
    _share_bodies(root)
    root.attrib.update({"name": "mendbench", **_totals(tests, with_skipped=False)})
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def legal(text: str) -> str:
    """Return ``text`` with characters that XML cannot contain escaped; an end of line is one line feed."""
    return _ILLEGAL.sub(lambda found: ascii(found[0])[1:-1], text.replace("\r\n", "\n"))


def _red(row: TrialRow, failing: Failing | None, keys: frozenset[str] | None) -> bool | None:
    """Return whether the judgement fails this trial; None if there is no judgement."""
    if failing is None:
        return None
    return bool(failing(row)) if callable(failing) else row["key"] in (keys or ())


def _status(row: TrialRow, *, red: bool | None) -> Status:
    if row["verdict"] == "correct" and not red:
        return "passed"
    if red is False:
        return "skipped"
    return "error" if row["verdict"] in {"unjudged", "crashed"} else "failure"


def _test(row: TrialRow, run: StoredRun, status: Status, findings: Sequence[RunFinding]) -> _Test:
    gated = [finding for finding in findings if status != "skipped" or finding.level != "notice"]
    why = "; ".join(f"{finding.title}: {finding.message}" for finding in gated)
    known = findings[0].title if findings else "known"
    return _Test(
        name=trial_name(row),
        classname=str(row["case"]).replace("/", "."),
        seconds=elapsed_ms(row) / 1000,
        status=status,
        kind=findings[0].title if findings else row["outcome"] or row["verdict"],
        message=why or (f"{known}, {verdict_words(row)}" if status == "skipped" else reason(row, run.texts)),
        body=_body(row, run, findings) if status in {"failure", "error"} else "",
    )


def _body(row: TrialRow, run: StoredRun, findings: Sequence[RunFinding]) -> str:
    found = (f"{finding.title}: {finding.message}" for finding in findings)
    return "\n".join([*found, story(row, run.texts), _figures(row)])


def _share_bodies(root: ET.Element) -> None:
    """Cut the bodies, so that all failures together have at most :data:`BODIES` characters."""
    bodies = [one for tag in ("failure", "error") for one in root.iter(tag) if one.text]
    most = min(BODY, BODIES // max(len(bodies), 1))
    for one in bodies:
        one.text = _cut(one.text or "", most) if most >= SHORTEST else None


def _cut(body: str, most: int) -> str:
    more = len(body) - most
    return body if more <= 0 else f"{body[:most]}\n… {more} more characters; the whole trial is in the run's report"


def _of_the_whole(judgement: RunJudgement, known: Collection[str]) -> Iterator[_Test]:
    """Yield the judgement itself, then its findings that are about no trial of the run."""
    statuses: Mapping[str, Status] = {"passed": "passed", "failed": "failure", "open": "error"}
    yield _gate_test("verdict", judgement.verdict, statuses[judgement.status], kind=judgement.status)
    for finding in judgement.findings:
        if finding.level == "error" and finding.key not in known:
            about = finding.key or finding.case
            name = f"{finding.title}: {about}" if about else finding.title
            yield _gate_test(name, finding.message, "failure", kind=finding.title)


def _gate_test(name: str, words: str, status: Status, *, kind: str) -> _Test:
    body, out = ("", words) if status == "passed" else (words, "")
    return _Test(name=name, classname=OWN_SUITE, seconds=0, status=status, kind=kind, message=words, body=body, out=out)


def _figures(row: TrialRow) -> str:
    names = ("wasted_attempts", "progress", "context_recall", *_TOKENS)
    return ", ".join(f"{name}: {value}" for name in names if (value := row.get(name)) is not None)


def _by_treatment(records: Records) -> list[tuple[Treatment, Records]]:
    suites: dict[Treatment, Records] = records.by("treatment")
    return sorted(suites.items(), key=lambda suite: suite[0].order())


def _properties(run: StoredRun, treatment: Treatment, records: Records) -> Iterable[tuple[str, str]]:
    """Yield what a suite's trials have in common, and their scores, separately for each part of the corpus."""
    for name in ("engine", "repairer", "model", "strategy", "policy", "detector"):
        yield name, str(getattr(treatment, name) or "none")
    yield "mendbench_version", str(run.run.get("mendbench_version"))
    lines = score_lines(records)
    parts = {line.part for line in lines}
    for line in lines:
        yield line.score if parts == {None} else f"{line.part or 'no part'}: {line.score}", _score_words(line)


def _score_words(line: ScoreLine) -> str:
    measured = line.measure
    if measured.value is None:
        return f"undefined ({measured.method})"
    within = f", {measured.interval.low:.3f} to {measured.interval.high:.3f}" if measured.interval else ""
    return f"{measured.value:.3f} ({measured.numerator:g} of {measured.denominator:g}{within}; {measured.method})"


def _suite(root: ET.Element, name: str, tests: Sequence[_Test], properties: Iterable[tuple[str, str]]) -> None:
    suite = ET.SubElement(root, "testsuite", {"name": legal(name), **_totals(tests, with_skipped=True)})
    stated = list(properties)
    if stated:
        held = ET.SubElement(suite, "properties")
        for key, value in stated:
            ET.SubElement(held, "property", {"name": legal(key), "value": legal(value)})
    for test in tests:
        attributes = {"classname": test.classname, "name": test.name, "time": f"{test.seconds:.3f}"}
        case = ET.SubElement(suite, "testcase", {key: legal(value) for key, value in attributes.items()})
        if test.status != "passed":
            message = test.message if len(test.message) <= MESSAGE else f"{test.message[:MESSAGE]}…"
            result = ET.SubElement(case, test.status, {"type": legal(test.kind), "message": legal(message)})
            result.text = legal(test.body) or None
        if test.out:
            ET.SubElement(case, "system-out").text = legal(test.out)


def _totals(tests: Sequence[_Test], *, with_skipped: bool) -> Mapping[str, str]:
    counted = {status: sum(test.status == status for test in tests) for status in ("failure", "error", "skipped")}
    skipped = {"skipped": str(counted["skipped"])} if with_skipped else {}
    seconds = sum(round(test.seconds * 1000) for test in tests) / 1000
    return {
        "tests": str(len(tests)), "failures": str(counted["failure"]), "errors": str(counted["error"]), **skipped,
        "time": f"{seconds:.3f}",
    }  # fmt: skip
