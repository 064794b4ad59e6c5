import json
import re

import pytest

from qa.release.__main__ import table
from qa.release.audit import LOCKED, judged
from qa.release.packages import claimed_pythons, pythons, unlike
from qa.release.steps import ROOT, Step

FINE = {"name": "alpha", "version": "1", "vulns": []}


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ([FINE], None),
        ([FINE, {**FINE, "vulns": [{"id": "CVE-1"}]}], "1 of 2 have known vulnerabilities: alpha 1: CVE-1"),
        ([FINE, {"name": "beta", "skip_reason": "not found"}], "1 of 2 could not be looked up, such as beta"),
        ([], "nothing was audited"),
    ],
)
def test_an_audit_that_did_not_look_everything_up_is_none(found, says):
    failure = judged(found)
    assert failure is None if says is None else says in failure


@pytest.mark.parametrize("name", [*LOCKED, "lowest.txt"])
def test_a_lock_file_pins_by_version_and_hash_and_names_no_address(name):
    text = (ROOT / "requirements" / name).read_text("utf-8")
    assert not re.search(
        r"://|^\s*-", re.sub(r"^ +--hash=sha256:[0-9a-f]{64}( \\)?$", "", text, flags=re.MULTILINE), re.MULTILINE
    )
    packages = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert packages
    assert all("==" in one.splitlines()[0] and "--hash=sha256:" in one for one in packages)


def test_a_table_ends_in_what_held_and_states_every_failure():
    lines = table([Step(part="a", what="one"), Step(part="a", what="two", failure="no\nwonder")]).splitlines()
    assert lines[-1] == "1 of 2 held"
    assert [line.strip() for line in lines[3:5]] == ["no", "wonder"]


def test_what_is_claimed_is_looked_for():
    assert "3.11" in claimed_pythons()
    assert 1 <= len(pythons()) <= len(claimed_pythons())


def test_runs_are_alike_whose_trials_differ_in_nothing_but_time(tmp_path):
    def run(name, *rows):
        folder = tmp_path / name / "elsewhere" / "reports" / "latest"
        folder.mkdir(parents=True)
        (folder / "trials.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return folder

    one = run("Python-3.11", {"key": "a", "said": "x", "timing": {"seconds": 1}}, {"key": "b", "timing": {}})
    same = run("Python-3.12", {"key": "a", "said": "x", "timing": {"seconds": 2}}, {"key": "b", "timing": {}})
    other = run("Python-3.13", {"key": "a", "said": "x", "timing": {}}, {"key": "b", "said": "y", "timing": {}})
    fewer = run("Python-3.14", {"key": "a", "said": "x", "timing": {}})
    assert unlike([one, same]) is None
    assert unlike([one, same, other]) == "Python-3.13 differs from Python-3.11, first in b"
    assert unlike([one, fewer]) == "Python-3.14 differs from Python-3.11, first in b"
