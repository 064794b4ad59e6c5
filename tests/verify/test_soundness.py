"""Each way in which a case is wrong before it runs has one line that names file and place."""

import re
import shutil

import pytest

from mendbench.errors import BadInput, EffectEscape
from mendbench.secrets.redaction import canary
from mendbench.trial.components import BenchContext
from mendbench.verify.checking import check as check_cases
from mendbench.verify.checking import check_case
from mendbench.verify.soundness import cut_texts, foreign_recordings, said_twice, unsound_labels
from tests.fakes.cases import CLOSED, QUIET, RENAMED, change_case, context_of, set_text


def lines(root, change, case_id=RENAMED):
    """Return the problems of a case after a change, without the folder's name, each with a line and a column that are left out here."""
    change_case(root, case_id, change)
    case = context_of(root).corpus.case(case_id)
    reported = [
        re.subn(r"^case\.yaml:\d+:\d+:", "case.yaml:", str(one).replace(f"{case.folder}/", ""))
        for one in unsound_labels(case)
    ]
    assert all(lines == 1 for _, lines in reported)
    return [line for line, _ in reported]


def more_checks(*checks):
    return lambda truth: truth["checks"].extend(checks)


def test_a_sound_case_has_no_findings(root):
    corpus = context_of(root).corpus
    for case in corpus.cases:
        assert unsound_labels(case) == ()
        assert foreign_recordings(case, corpus.cassettes(case)) == ()


def test_a_text_that_yaml_cuts_at_a_number_sign_is_named_with_its_line(root):
    case = context_of(root).corpus.case(RENAMED)
    path = case.folder / "case.yaml"
    assert cut_texts(case) == ()
    path.write_text("# a comment\nrequest: Post to #deploys at noon  # another\n" + path.read_text())
    (line,) = cut_texts(case)
    assert str(line).endswith(":2: YAML reads '#deploys' and what follows as a comment; put the text in quotes")


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("fix", lambda truth, patch: truth.update(fix=patch)),
        ("accepts.0.patch", lambda truth, patch: truth.update(accepts=[{"why": "w", "patch": patch}])),
        ("wrong_fixes.1.patch", lambda truth, patch: truth["wrong_fixes"][1].update(patch=patch)),
    ],
)
def test_a_fix_that_does_not_apply_is_named_with_its_operation(root, place, change):
    patch = [*set_text("x"), {"op": "remove", "path": "/nodes/nowhere"}]
    (line,) = lines(root, lambda truth: change(truth, patch))
    assert line.startswith(f"case.yaml: {place}: it does not apply: operation 2: there is no node 'nowhere'; ")


def test_a_fix_that_changes_nothing_is_named(root):
    (line,) = lines(
        root, lambda truth: truth["wrong_fixes"][0].update(patch=set_text("Hello ${person.response.name}!"))
    )
    assert line == "case.yaml: wrong_fixes.0.patch: it changes nothing; mend the patch"


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (
            {"request": {"method": "GET", "url": "https://desk.kelpforrest.example/x"}},
            "case.yaml: checks.4.request.url: host 'desk.kelpforrest.example' is not declared, so that no request to it is ever accepted; declared: desk.kelpforest.example",
        ),
        ({"request": {"method": "POST", "url": "shell://sandbox/"}}, "case.yaml: checks.4.request.url: shell: is not declared; add shell to recorded_from"),
        ({"kept": ["notes"]}, "case.yaml: checks.4.kept.0: unknown node of the fixed workflow 'notes'; did you mean 'note'? known: note, person"),
        ({"output": {"output": "greeting", "equals": 1}}, "case.yaml: checks.4.output.output: unknown output of the fixed workflow 'greeting'; known: none"),
        ({"output": {"node": "nota", "path": "id", "equals": 1}}, "case.yaml: checks.4.output.node: unknown node of the fixed workflow 'nota'; did you mean 'note'? known: note, person"),
        ({"warning": {"node": "zz", "says": "x"}}, "case.yaml: checks.4.warning.node: unknown node of the fixed workflow 'zz'; known: note, person"),
    ],
)  # fmt: skip
def test_a_check_that_can_never_be_reached_is_named(root, check, line):
    assert lines(root, more_checks(check)) == [line]


def test_a_request_that_must_not_come_may_be_for_any_host(root):
    assert (
        lines(root, more_checks({"request": {"method": "GET", "url": "https://elsewhere.example/", "times": 0}})) == []
    )


def test_a_node_that_the_fix_adds_may_be_kept(root):
    added = {"op": "add", "path": "/nodes/-", "value": {"id": "extra", "type": "transform", "params": {}}}

    def change(truth):
        truth["fix"].append(added)
        truth["checks"].append({"kept": ["extra"]})

    assert lines(root, change) == []


def test_a_check_of_a_variant_is_named_by_its_place(root):
    (line,) = lines(root, lambda truth: truth["variants"][0]["checks"].append({"kept": ["x"]}))
    assert line.startswith("case.yaml: variants.0.checks.1.kept.0: ")


def test_labels_of_nodes_that_there_are_not_are_named(root):
    def change(truth):
        truth["faults"][0]["cause"] = ["notte"]
        truth["expect"]["after_fix"]["persona"] = "success"

    after, cause = lines(root, change)
    assert after.startswith(
        "case.yaml: expect.after_fix.persona: unknown node of the fixed workflow 'persona'; did you mean 'person'?"
    )
    assert cause.startswith("case.yaml: faults.0.cause.0: unknown node 'notte'; did you mean 'note'?")


def test_a_variant_that_is_another_one_is_named(root):
    (line,) = lines(root, lambda truth: truth["variants"].append({**truth["variants"][0], "name": "again"}))
    assert line == "case.yaml: variants.1: the same inputs and state as 'another person'; change one, or delete it"


def test_a_variant_that_is_the_case_itself_is_named(root):
    change_case(root, RENAMED, lambda truth: truth["variants"][0].update(inputs={"person_id": "p-1"}))
    (problem,) = problems_of(root, RENAMED)
    assert "variants.0: the variant 'another person' is the case itself" in problem


def problems_of(root, case_id, **more):
    """Return the lines of a checked case."""
    context = BenchContext(cases_dir=root / "cases", cassettes_dir=root / "cassettes", tolerant=True, **more)
    (one,) = check_cases(context, (case_id,), 1, lambda *_: None)
    assert not one.held
    return [str(problem) for problem in one.problems]


def test_a_cassette_of_another_case_is_named_with_its_line(root):
    shutil.copy(root / "cassettes" / QUIET / "world.yaml", root / "cassettes" / RENAMED / "world.yaml")
    change_case(root, RENAMED, lambda truth: truth["state"]["json_api"].update(words={"a": "b"}))
    case = context_of(root).corpus.case(RENAMED)
    (line,) = map(str, foreign_recordings(case, root / "cassettes" / RENAMED))
    place, _, rest = line.partition(": ")
    assert place.startswith(str(root / "cassettes" / RENAMED / "world.yaml:"))
    assert int(place.rpartition(":")[2]) > 10
    command = f"`mendbench case check {RENAMED} --record new_episodes`"
    assert rest == f"state or inputs changed since the recording; record it again with {command}"


def test_an_exchange_with_a_service_that_the_case_does_not_declare_is_named(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("service: json_api", "service: slack"), encoding="utf-8")
    case = context_of(root).corpus.case(RENAMED)
    (line,) = map(str, foreign_recordings(case, path.parent))
    assert f"an exchange with 'slack', which {RENAMED} does not declare" in line


def test_a_canary_in_a_cassette_is_named_with_its_line_and_once(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    text = path.read_text(encoding="utf-8").replace('"called":"Runa"', f'"called":"{canary(RENAMED, "desk")}"', 1)
    path.write_text(text, encoding="utf-8")
    line = text[: text.index(canary(RENAMED, "desk"))].count("\n") + 1
    context = BenchContext(cases_dir=root / "cases", cassettes_dir=root / "cassettes", tolerant=True)
    one = check_case(context, RENAMED)
    assert f"{path}:{line}: the secret 'desk' of {RENAMED}; record it again" in map(str, one.problems)
    assert "no secret is on a cassette" not in {finding.what for finding in one.failed}


def test_unknown_keys_and_keys_that_stand_twice_are_named(root):
    path = root / "cases" / RENAMED / "case.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("request:", "reqest:"), encoding="utf-8")
    assert "reqest: unknown key 'reqest'; did you mean 'request'?" in problems_of(root, RENAMED)[0]
    path.write_text(f"{text}title: again\n", encoding="utf-8")
    assert "the key 'title' stands twice" in problems_of(root, RENAMED)[0]


def test_a_case_that_is_another_one_over_again_is_named(root):
    shutil.copytree(root / "cases" / QUIET, root / "cases/control/a-copy")
    found = said_twice(context_of(root).corpus.cases)
    assert [(name, one.found) for name, one in found.items()] == [(QUIET, "a copy of control/a-copy")]


def test_ids_that_differ_in_case_alone_are_named(root):
    shutil.copytree(root / "cases" / QUIET, root / "cases/control/Quiet-Greeting")
    found = said_twice(context_of(root).corpus.cases)
    assert "only in letter case" in found[QUIET].found or "a copy of" in found[QUIET].found


def test_what_a_proof_raises_is_a_line_of_its_case(root, monkeypatch):
    def broken(context, case_id, recorder=None):
        raise (EffectEscape if case_id == CLOSED else ZeroDivisionError)("oops")

    monkeypatch.setattr("mendbench.verify.checking.prove", broken)
    context = BenchContext(cases_dir=root / "cases", cassettes_dir=root / "cassettes")
    found = check_cases(context, (CLOSED, RENAMED), 1, lambda *_: None)
    assert [one.problems[0].found for one in found] == [
        "the proof ends in EffectEscape: oops",
        "the proof ends in ZeroDivisionError: oops",
    ]


def test_what_is_configured_without_a_file_gets_the_cases_own(root, monkeypatch):
    def broken(context, case_id, recorder=None):
        raise BadInput("fact 'x('", "no regular expression", "write one")

    monkeypatch.setattr("mendbench.verify.checking.prove", broken)
    (line,) = problems_of(root, RENAMED)
    assert line == f"{root / 'cases' / RENAMED}/case.yaml: fact 'x(': no regular expression; write one"
