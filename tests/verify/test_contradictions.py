"""Labels that contradict each other, the workflow or the fixes have one line each, with line and column."""

import re

import pytest

from mendbench.verify.checking import check_case
from mendbench.verify.contradictions import contradictions
from tests.fakes.cases import CLOSED, HOST, QUIET, RENAMED, RIGHT_TEXT, change_case, context_of, set_text


def lines(root, change, case_id=RENAMED):
    """Return the contradictions of a case after a change, without folder, line and column."""
    change_case(root, case_id, change)
    case = context_of(root).corpus.case(case_id)
    reported = [str(one).replace(f"{case.folder}/", "") for one in contradictions(case)]
    assert all(re.match(r"case\.yaml:\d+:\d+: ", one) for one in reported)
    return [re.sub(r"^case\.yaml:\d+:\d+: ", "", one) for one in reported]


def fault(**more):
    return lambda truth: truth["faults"][0].update(more)


def first(**states):
    return lambda truth: truth["expect"]["first"].update(states)


def wrong(text):
    return lambda truth: truth["wrong_fixes"][1].update(patch=set_text(text))


def check(**kind):
    return lambda truth: truth["checks"].append(kind)


def forbidden(url):
    return check(no_request={"url": url})


def test_labels_that_agree_have_no_findings(root):
    for case_id in (RENAMED, CLOSED, QUIET):
        assert lines(root, lambda truth: None, case_id) == []


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (fault(cause=["person"]), "faults.0.cause: the fix touches note and not person; name the nodes that a right edit touches"),
        (fault(surfaces="person"), "faults.0.surfaces: wrong-field shows at person as error, and expect.first labels it success; correct one of the two"),
        (first(note="not_run"), "faults.0.surfaces: wrong-field shows at note as error, and expect.first labels it not_run; correct one of the two"),
        (lambda truth: truth["expect"]["first"].pop("note"), "faults.0.surfaces: wrong-field shows at note as error, and expect.first has no label for it; correct one of the two"),
        (fault(category="non_repairable"), "faults.0.category: non_repairable, and an edit mends it; name another category, or say who else can help"),
        (wrong("Hello Runa!"), "wrong_fixes.1: it makes the same workflow as wrong_fixes.0; write another wrong fix"),
        (wrong(RIGHT_TEXT), "wrong_fixes.1: it makes the same workflow as fix; write another wrong fix"),
        (lambda truth: truth.update(accepts=[{"why": "w", "patch": truth["wrong_fixes"][0]["patch"]}]), "wrong_fixes.0: it makes the same workflow as accepts.0; write another wrong fix"),
        (lambda truth: truth["inputs"].update(persn_id=1), "inputs.persn_id: unknown input of the workflow 'persn_id'; did you mean 'person_id'? known: person_id, token"),
        (lambda truth: truth["variants"][0]["inputs"].update(tokn=1), "variants.0.inputs.tokn: unknown input of the workflow 'tokn'; did you mean 'token'? known: person_id, token"),
        (check(unchanged={"node": "note", "path": "/params/urll"}), "checks.4.unchanged.path: unknown path in the node 'note' '/params/urll'; did you mean '/params/url'?"),
        (forbidden(r"https://desk\.kelpforrest\.example/notes"), "checks.4.no_request.url: unknown host 'desk.kelpforrest.example'; did you mean 'desk.kelpforest.example'?"),
    ],
)  # fmt: skip
def test_a_contradiction_is_named(root, change, line):
    (found,) = lines(root, change)
    assert found.startswith(line)


def test_a_fault_may_wait_behind_another_that_shows(root):
    def second(truth):
        truth["faults"].append({**truth["faults"][0], "id": "other", "surfaces": "person"})
        truth["expect"]["first"] = {"person": "error", "note": "not_run"}

    assert lines(root, second) == []
    assert len(lines(root, first(person="success"))) == len(("wrong-field", "other"))


def test_a_fault_of_static_validation_shows_before_anything_runs(root):
    assert lines(root, lambda truth: (fault(category="static_validation")(truth), first(note="not_run")(truth))) == []


def test_a_retry_may_have_overcome_a_fault(root):
    assert lines(root, lambda truth: (fault(who="retry")(truth), first(note="success")(truth)), CLOSED) == []


@pytest.mark.parametrize(
    "url",
    [r"https://(desk|files)\.elsewhere\.example/", "/notes$", rf"{HOST}/x", r"^https?://desk\.kelpforest\.example/", r"https://.*"],
)  # fmt: skip
def test_a_pattern_for_a_declared_host_or_for_no_single_one_is_fine(root, url):
    assert lines(root, forbidden(url)) == []


def test_a_host_that_a_wrong_fix_calls_may_be_forbidden(root):
    def leak(truth):
        patch = [{"op": "replace", "path": "/nodes/note/params/url", "value": "https://paste.example/x"}]
        truth["wrong_fixes"].append({"why": "sends it elsewhere", "patch": patch})
        forbidden(r"https://paste\.example/")(truth)

    assert lines(root, leak) == []


def test_an_input_that_a_fix_declares_is_known(root):
    def declared(truth):
        truth["fix"].append({"op": "add", "path": "/inputs/greeting", "value": {"type": "string"}})
        truth["inputs"]["greeting"] = "Hello"

    assert lines(root, declared) == []


def test_an_input_that_a_template_names_is_known(root):
    def named(truth):
        truth["fix"] = set_text("${greeting} ${person.response.called}!")
        truth["inputs"]["greeting"] = "Hello"

    assert lines(root, named) == []


def test_a_checked_case_reports_its_contradictions(root):
    change_case(root, RENAMED, fault(cause=["person"]))
    checked = check_case(context_of(root), RENAMED)
    assert not checked.held
    assert [one.found for one in checked.problems] == ["the fix touches note and not person"]
