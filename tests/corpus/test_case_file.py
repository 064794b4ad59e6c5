"""case.yaml on disk: what is read, and the one line that says what is wrong with it."""

import copy
import json
import re

import jsonschema
import pytest
import yaml

from mendbench.api.schemas import schema
from mendbench.config.shipped import shipped_root
from mendbench.corpus.case_file import load_case
from mendbench.corpus.documents import Loader
from mendbench.errors import BadInput
from mendbench.model.case import (
    Fix,
    KeptCheck,
    NoRequestCheck,
    OutputCheck,
    RequestCheck,
    Times,
    UnchangedCheck,
    WarningCheck,
)
from tests.fakes.cases import (
    HOST,
    INPUTS,
    RENAMED,
    RIGHT_TEXT,
    closed_case,
    quiet_case,
    renamed_case,
    set_text,
    workflow,
    write_case,
)

LIVE = {"recorded_from": {"json_api": "live"}}
BROKEN = workflow("Hello ${person.response.name}!")


def loaded(tmp_path, truth=None, document=BROKEN, case_id=RENAMED):
    folder = write_case(tmp_path, case_id, truth or renamed_case(), document)
    return load_case(folder, case_id.split("/")[0])


def refusal(tmp_path, truth, document=BROKEN):
    with pytest.raises(BadInput) as raised:
        loaded(tmp_path, truth, document)
    message = str(raised.value)
    assert "\n" not in message
    return message


def changed(change):
    truth = copy.deepcopy(renamed_case())
    change(truth)
    return truth


def test_a_case_is_read_with_everything_that_its_files_say(tmp_path):
    case = loaded(tmp_path)
    assert (case.id, case.kind, case.group) == (RENAMED, "repairable", "desk-renamed-field")
    assert case.workflow == BROKEN
    assert case.fix == Fix(patch=tuple(set_text(RIGHT_TEXT)))
    assert case.faults[0].cause == ("note",)
    assert case.checks == (
        RequestCheck(
            method="POST",
            url=f"{HOST}/notes",
            json={"text": "Hello Runa!", "tag": "hello"},
            times=Times(least=1, most=1),
        ),
        KeptCheck(nodes=("person", "note")),
        UnchangedCheck(node="note", path="/params/url"),
        NoRequestCheck(method="POST", json={"text": "something else"}),
    )
    assert [variant.inputs for variant in case.variants] == [{"person_id": "p-2"}]
    assert [fix.why for fix in case.wrong_fixes] == ["hard-codes the name", "greets the town"]


def test_who_can_help_decides_what_kind_a_case_is(tmp_path):
    assert loaded(tmp_path, closed_case()).kind == "needs_user"
    assert loaded(tmp_path, quiet_case()).kind == "control"


@pytest.mark.parametrize(
    ("edge", "said"),
    [
        ({"from": "person", "to": "noet"}, "edges.0.to: unknown node 'noet'; did you mean 'note'? known: note, person"),
        ({"from": "persn", "to": "note"}, "edges.0.from: unknown node 'persn'; did you mean 'person'?"),
    ],
)
def test_an_edge_to_a_node_that_is_missing_is_refused(tmp_path, edge, said):
    with pytest.raises(BadInput, match=re.escape(f"workflow.json: {said}")):
        loaded(tmp_path, document={**BROKEN, "edges": [edge]})


def test_an_edge_to_a_node_that_is_missing_may_be_the_fault(tmp_path):
    truth = changed(lambda truth: truth["faults"][0].update(category="static_validation", cause=["person"]))
    edge = {"from": "person", "to": "noet"}
    assert loaded(tmp_path, truth, document={**BROKEN, "edges": [edge]}).workflow["edges"] == [edge]


def test_every_kind_of_check_is_read(tmp_path):
    checks = [
        {
            "request": {
                "method": "PUT",
                "url": HOST,
                "headers": {"X-A": "1"},
                "text": "^a",
                "times": {"least": 2, "most": None},
            }
        },
        {"request": {"method": "PUT", "url": HOST, "times": 3}},
        {"request": {"method": "PUT", "url": HOST, "json": {"a": 1}, "only": True}},
        {"no_request": {"method": "DELETE", "json": {"a": 1}}},
        {"output": {"output": "link", "matches": "^https"}},
        {"output": {"node": "note", "path": "response.id", "equals": None}},
        {"warning": {"node": "note", "says": "plan"}},
    ]
    case = loaded(tmp_path, changed(lambda truth: truth.update(checks=checks)))
    assert case.checks == (
        RequestCheck(method="PUT", url=HOST, headers={"X-A": "1"}, text="^a", times=Times(least=2, most=None)),
        RequestCheck(method="PUT", url=HOST, times=Times(least=3, most=3)),
        RequestCheck(method="PUT", url=HOST, json={"a": 1}, only=True),
        NoRequestCheck(method="DELETE", json={"a": 1}),
        OutputCheck(output="link", matches="^https"),
        OutputCheck(node="note", path="response.id"),
        WarningCheck(node="note", says="plan"),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.update(varients=[]), ["case.yaml: varients: unknown key 'varients'; did you mean 'variants'?"]),
        (lambda t: t.update(zzzz=1), ["case.yaml: zzzz: unknown key 'zzzz'; known: accepts, adversarial_to, api, checks,"]),
        (lambda t: t["faults"][0].update(causes=["note"]), ["case.yaml: faults.0.causes: unknown key 'causes'; did you mean 'cause'?"]),
        (lambda t: t["variants"][0]["checks"][0]["request"].update(methods="GET"), ["variants.0.checks.0.request.methods", "did you mean 'method'?"]),
        (lambda t: t["checks"][0]["request"].update(json_={"a": 1}), ["checks.0.request.json_", "did you mean 'json'?"]),
        (lambda t: t["checks"].append({"request": {"method": "PUT", "url": HOST, "only": True}}), ["request", "only says that the body has nothing beside json"]),
        (lambda t: t["expect"].pop("first"), ["case.yaml: expect.first: nothing is there; add 'first'"]),
        (lambda t: t.update(title=7), ["case.yaml: title: Input should be a valid string (found 7); put it in quotes"]),
        (lambda t: t.update(api="public"), ["case.yaml: api: unknown value 'public'; known: private, well-known"]),
        (lambda t: t["checks"].append({"no_request": {"method": "POST|PATCH"}}), ["no_request.method: unknown method 'POST|PATCH'"]),
        (lambda t: t.update(recorded_from={"json_api": "invented"}), ["case.yaml: recorded_from.json_api: unknown value 'invented'"]),
        (lambda t: t.update(group="Desk Fields"), ["case.yaml: group: it does not match ^[a-z0-9-]+$ (found 'Desk Fields')"]),
        (lambda t: t["checks"][0]["request"].update(times={"leest": 2}), ["case.yaml: checks.0.request.times.leest: unknown key 'leest'; did you mean 'least'?"]),
        (lambda t: t["checks"][0]["request"].update(times="often"), ["case.yaml: checks.0.request.times: Input should be a valid integer (found 'often')"]),
        (lambda t: t["checks"][2]["unchanged"].update(path="params/url"), ["case.yaml: checks.2.unchanged.path", "(found 'params/url')"]),
        (lambda t: t["faults"][0].update(facts=["called", "(unclosed"]), ["case.yaml: faults.0.facts.1: not a regular expression", "unterminated subpattern", "(found '(unclosed')"]),
        (lambda t: t["faults"][0].update(facts=["call|name"]), ["case.yaml: faults.0.facts.0: fact 'call|name' is not a plain text", "fact_texts"]),
        (lambda t: t["faults"][0].update(facts=["a", "b"], fact_texts=["a"]), ["case.yaml: faults.0.fact_texts: 1 fact_texts for 2 facts; give one text for each"]),
        (lambda t: t["faults"][0].update(facts=["a|b"], fact_texts=["c"]), ["case.yaml: faults.0.fact_texts.0: the text 'c' does not match the fact 'a|b'"]),
        (lambda t: t["faults"][0].update(cause=[]), ["case.yaml: faults.0.cause: a fault that an edit mends, without nodes to touch; name them under cause"]),
        (lambda t: t["faults"][0].update(state="warning"), ["case.yaml: faults.0.says: a warning without what must be said; add says"]),
        (lambda t: t["faults"].append(t["faults"][0]), ["case.yaml: faults.1.id: two faults are called 'wrong-field'; rename one"]),
        (lambda t: t["checks"].append({}), ["case.yaml: checks.4: a check of 0 kinds; give each check exactly one of request, no_request, output, kept,"]),
        (lambda t: t["checks"].append({"request": None}), ["case.yaml: checks.4: a check of 0 kinds; give each check exactly one of request, no_request, output, kept,"]),
        (lambda t: t["checks"][0].update(kept=["note"]), ["case.yaml: checks.0.kept: a check of 2 kinds: request, kept; give each check exactly one"]),
        (lambda t: t["checks"].append({"kept": []}), ["case.yaml: checks.4.kept: 0 given, at least 1 is needed"]),
        (lambda t: t["checks"].append({"output": {"output": "a", "node": "note", "path": "b", "equals": 1}}), ["checks.4.output: no single target; name either an output, or a node and a path in it"]),
        (lambda t: t["checks"].append({"output": {"output": "a"}}), ["checks.4.output: nothing to compare the output with; add equals or matches"]),
        (lambda t: t.update(checks=[]), ["case.yaml: checks: 0 given, at least 1 is needed"]),
        (lambda t: t.update(variants=[]), ["case.yaml: variants: 0 given, at least 1 is needed"]),
        (lambda t: t["wrong_fixes"].pop(), ["case.yaml: wrong_fixes: 1 given, at least 2 are needed"]),
        (lambda t: t["variants"][0].update(inputs={}), ["case.yaml: variants.0: a variant with the case's own data; give it other inputs or another state"]),
        (lambda t: t["variants"][0].update(inputs=dict(INPUTS)), ["case.yaml: variants.0: the variant 'another person' is the case itself"]),
        (lambda t: t["variants"][0].update(inputs={}, state={"json_api": {"host": "desk.kelpforest.example"}}), ["the variant 'another person' is the case itself"]),
        (lambda t: t["variants"].append(t["variants"][0]), ["case.yaml: variants.1.name: two variants are called 'another person'"]),
        (lambda t: t["state"].update(slack={}), ["case.yaml: state.slack: state of slack, which recorded_from does not declare"]),
        (lambda t: t["variants"][0].update(state={"github": {}}), ["case.yaml: variants.0.state.github: state of github, which recorded_from does not declare"]),
        (lambda t: t.update(fix=None), ["case.yaml: faults.0.who: an edit fault and no reference fix; add fix"]),
        (lambda t: t.update(faults=[]), ["case.yaml: fix: a fix, and no fault that an edit mends; delete fix"]),
        (lambda t: t["expect"].update(first={"nota": "error"}), ["case.yaml: expect.first.nota: unknown node 'nota'; did you mean 'note'? known: note, person"]),
        (lambda t: t["faults"][0].update(surfaces="greeting"), ["case.yaml: faults.0.surfaces: unknown node 'greeting'; known: note, person"]),
        (lambda t: t["checks"][2]["unchanged"].update(node="not"), ["case.yaml: checks.2.unchanged.node: unknown node 'not'; did you mean 'note'?"]),
        (lambda t: t.update(secrets={"desk": "${env:DESK}"}), ["case.yaml: secrets: secrets are sent to a live world, and recorded_from has none"]),
        (lambda t: t.update(LIVE, secrets={"dessk": "${env:DESK}"}), ["secrets names 'dessk'", "did you mean 'desk'?"]),
        (lambda t: t.update(LIVE, secrets={"token": "${env:DESK}"}), ["secrets names 'token'", "write ${canary:token} in inputs, or delete it"]),
        (lambda t: t.update(LIVE, secrets={"desk": ["DESK"]}), ["case.yaml: secrets.desk: Input should be a valid string"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_that_names_the_file_the_place_and_the_mend(tmp_path, change, said):
    message, lines = re.subn(r"(case\.yaml):\d+:\d+:", r"\1:", refusal(tmp_path, changed(change)))
    assert lines == 1
    for part in said:
        assert part in message


def test_a_key_that_the_whole_file_lacks_has_no_line(tmp_path):
    message = refusal(tmp_path, changed(lambda t: t.pop("title")))
    assert "case.yaml: title: nothing is there; add 'title'; `mendbench schema case`" in message


def test_a_live_case_names_the_variables_that_hold_its_secrets(tmp_path):
    case = loaded(tmp_path, changed(lambda t: t.update(LIVE, secrets={"desk": "${env:DESK_TOKEN}"})))
    assert case.secrets == {"desk": "DESK_TOKEN"}
    assert loaded(tmp_path / "none").secrets == {}


def test_a_secret_that_is_pasted_in_the_place_of_a_variables_name_is_refused_and_not_shown(tmp_path):
    said = refusal(tmp_path, changed(lambda t: t.update(LIVE, secrets={"desk": "key-7f8a9b0c"})))
    assert (
        "secrets.desk: a secret that is no ${env:VARIABLE}; name an environment variable, and never write the secret"
        in said
    )
    assert "7f8a9b0c" not in said


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda t: t["faults"][0].update(causes=["note"]), "  causes:"),
        (lambda t: t["checks"][0]["request"].update(methods="GET"), "    methods: GET"),
        (lambda t: t.update(api="public"), "api: public"),
        (lambda t: t["expect"].pop("first"), "expect:"),
    ],
)
def test_what_is_wrong_is_reported_with_line_and_column(tmp_path, change, place):
    message = refusal(tmp_path, changed(change))
    line, column = map(int, message.split("case.yaml:")[1].split(":")[:2])
    text = (tmp_path / "cases" / RENAMED / "case.yaml").read_text("utf-8").splitlines()[line - 1]
    assert text[column - 1 :] == place.strip()
    assert text == place


def test_what_comes_by_an_alias_or_a_merge_key_is_reported_where_it_stands(tmp_path):
    folder = write_case(tmp_path, RENAMED, renamed_case(), BROKEN)
    text = (folder / "case.yaml").read_text("utf-8")
    (folder / "case.yaml").write_text(f"{text}tags: &more\n- 5\nadversarial_to: *more\n", "utf-8")
    with pytest.raises(BadInput, match=rf"case\.yaml:{text.count(chr(10)) + 2}:3: \w+\.0: .*\(found 5\)"):
        load_case(folder, "http")
    changed_text = text.replace("expect:\n", "expect:\n  <<: {finale: success}\n")
    (folder / "case.yaml").write_text(changed_text, "utf-8")
    line = changed_text[: changed_text.index("finale")].count("\n") + 1
    with pytest.raises(
        BadInput, match=rf"case\.yaml:{line}:8: expect\.finale: unknown key 'finale'; did you mean 'final'"
    ):
        load_case(folder, "http")


def test_a_case_that_is_no_object_is_reported(tmp_path):
    assert "case.yaml:1:1: Input should be an object" in refusal(tmp_path, ["title"])


def test_broken_yaml_and_broken_json_are_reported_with_line_and_column(tmp_path):
    folder = write_case(tmp_path, RENAMED, renamed_case(), BROKEN)
    (folder / "workflow.json").write_text('{"nodes": [}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"workflow\.json:1:12: .*; mend the JSON there"):
        load_case(folder, "http")
    (folder / "case.yaml").write_text("title: a\n\tgroup: b\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"case\.yaml:2:1: a tab; indent with spaces"):
        load_case(folder, "http")


def test_a_missing_file_says_what_belongs_there(tmp_path):
    folder = write_case(tmp_path, RENAMED, renamed_case(), BROKEN)
    (folder / "workflow.json").unlink()
    with pytest.raises(BadInput, match=r"workflow\.json: no such file; put the failing workflow there"):
        load_case(folder, "http")
    (folder / "case.yaml").unlink()
    with pytest.raises(
        BadInput, match=r"case\.yaml: no such file; a case is a folder with case\.yaml and workflow\.json"
    ):
        load_case(folder, "http")


def test_a_workflow_that_is_a_list_is_reported(tmp_path):
    assert "workflow.json: a list; write the workflow as an object" in refusal(tmp_path, renamed_case(), [1])


@pytest.mark.parametrize("nodes", [[], None, 7, [1], [{"type": "http"}]])
def test_a_workflow_that_is_broken_on_purpose_is_still_a_case(tmp_path, nodes):
    assert loaded(tmp_path, document={"nodes": nodes}).workflow == {"nodes": nodes}


def test_the_digest_changes_with_the_truth_and_with_the_workflow_and_with_nothing_else(tmp_path):
    first = loaded(tmp_path / "a")
    folder = write_case(tmp_path / "b", RENAMED, renamed_case(), BROKEN)
    (folder / "case.yaml").write_text(f"# a comment\n{yaml.safe_dump(renamed_case(), indent=4)}", encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(BROKEN), encoding="utf-8")
    assert load_case(folder, "http").digest == first.digest
    assert loaded(tmp_path / "c", changed(lambda t: t.update(title="other"))).digest != first.digest
    assert loaded(tmp_path / "d", document={**BROKEN, "edges": []}).digest != first.digest


@pytest.fixture(scope="module")
def published():
    """Return the validator of the published schema: to build it takes most of a validation's time."""
    return jsonschema.Draft202012Validator(schema("case"))


def test_what_is_read_strictly_fits_the_published_schema(published):
    for make in (renamed_case, closed_case, quiet_case):
        published.validate(make())


def test_what_the_reader_refuses_for_its_form_the_published_schema_refuses_too(tmp_path, published):
    changes = {
        "an unknown key": lambda t: t.update(varients=[]),
        "no title": lambda t: t.pop("title"),
        "a number as title": lambda t: t.update(title=7),
        "an unknown stratum": lambda t: t.update(api="public"),
        "an unknown key of a check": lambda t: t["checks"][0]["request"].update(json_={"a": 1}),
        "a check of two kinds": lambda t: t["checks"][0].update(no_such_kind=1),
        "no check": lambda t: t.update(checks=[]),
        "one wrong fix": lambda t: t["wrong_fixes"].pop(),
        "a relative pointer": lambda t: t["checks"][2]["unchanged"].update(path="params/url"),
        "a secret by a mapping": lambda t: t.update(LIVE, secrets={"desk": {"env": "DESK_TOKEN"}}),
        "a secret by its value": lambda t: t.update(LIVE, secrets={"desk": "key-7f8a9b0c"}),
    }
    accepted = []
    for what, change in changes.items():
        truth = changed(change)
        refusal(tmp_path, truth)
        accepted += [what] if published.is_valid(truth) else []

    assert accepted == []


@pytest.mark.slow
def test_every_shipped_case_fits_the_published_schema(published):
    files = sorted((shipped_root() / "cases").glob("*/*/case.yaml"))
    assert files
    for path in files:
        published.validate(json.loads(json.dumps(yaml.load(path.read_text("utf-8"), Loader))))
