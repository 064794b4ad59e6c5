import json
import shutil

import pytest

from tests.fakes import cases, live_api
from tests.fakes.tables import for_each

ALL = [cases.QUIET, cases.CLOSED, cases.RENAMED]


def test_cases_are_listed_each_on_a_line(corpus, mendbench):
    result = mendbench("case", "list")
    assert (result.code, result.err) == (0, "")
    for case in ALL:
        assert sum(line.startswith(case) for line in result.out.splitlines()) == 1


def test_the_list_in_json_has_the_published_fields(corpus, mendbench):
    listed = json.loads(mendbench("case", "list", "http/*", "--format", "json").out)
    assert [row["case"] for row in listed] == [cases.CLOSED, cases.RENAMED]
    for row in listed:
        assert {"case", "group", "family", "kind", "title", "recorded_from", "tags"} <= set(row)


def test_a_title_is_text_and_no_markup(corpus, mendbench):
    cases.change_case(corpus, cases.QUIET, lambda truth: truth.update(title="[/bold] \x1b[2J :eyes:"))
    assert "[/bold] \\x1b[2J :eyes:" in mendbench("case", "list").out


def test_a_workflow_that_is_broken_in_its_form_is_listed_too(corpus, mendbench):
    (corpus / "cases" / cases.QUIET / "workflow.json").write_text('{"nodes": 5}', encoding="utf-8")
    result = mendbench("case", "list", cases.QUIET, "--format", "json")
    assert result.code == 0
    assert json.loads(result.out)[0]["nodes"] == 0


def test_the_shipped_cases_are_listed_in_an_empty_folder(empty, mendbench):
    result = mendbench("case", "list", "slack", "--format", "json")
    assert result.code == 0
    assert {row["family"] for row in json.loads(result.out)} == {"slack"}
    assert list(empty.iterdir()) == []


def test_a_proved_case_is_said_to_hold_and_each_mutant_that_survives_is_named(corpus, mendbench):
    result = mendbench("case", "check", cases.RENAMED, "--workers", "1")
    assert result.code == 0
    row = next(line for line in result.out.splitlines() if line.startswith(cases.RENAMED)).split()
    assert row[1:3] == ["repairable", "yes"]
    killed, survived = map(int, row[3:5])
    assert f"1 of 1 cases proved; {killed}/{killed + survived} mutants killed" in result.out
    named = [
        line for line in result.err.splitlines() if line.startswith(f"mendbench: {cases.RENAMED}: mutant survives: ")
    ]
    assert len(named) == survived == result.err.count("\n")


def test_a_case_that_anything_passes_fails_the_check_and_says_why(corpus, mendbench):
    def soften(truth):
        truth["checks"] = [{"kept": ["person", "note"]}]
        truth["variants"][0]["checks"] = [{"kept": ["person", "note"]}]

    cases.change_case(corpus, cases.RENAMED, soften)
    result = mendbench("case", "check", cases.RENAMED, "--workers", "1")
    assert result.code == 1
    assert "0 of 1 cases proved; " in result.out
    assert (
        f"mendbench: {cases.RENAMED}: the wrong fix fails: hard-codes the name: does not hold; judged repaired; every check holds "
        in result.err
    )


def test_proofs_in_json_say_what_held(corpus, mendbench):
    result = mendbench("case", "check", "http", "--workers", "1", "--format", "json")
    assert result.code == 0
    document = json.loads(result.out)
    for proof in document["cases"]:
        assert proof["held"] is True
        assert proof["findings"]
    assert (document["summary"]["cases"], document["summary"]["held"]) == (2, 2)


@pytest.mark.parametrize("command", ["list", "check"])
def test_an_unknown_case_is_answered_with_the_closest_and_all(corpus, mendbench, command):
    result = mendbench("case", command, "control/quite-greeting")
    assert result.code == 2
    assert f"unknown case 'control/quite-greeting'; did you mean '{cases.QUIET}'? known: control, " in result.line


def test_an_unknown_record_mode_is_refused(corpus, mendbench):
    result = mendbench("case", "check", "--record", "later")
    assert result.code == 2
    assert result.line == "record mode: unknown record mode 'later'; known: all, new_episodes, none"


def test_cases_are_chosen_by_kind_family_and_api_and_counted(corpus, mendbench):
    result = mendbench(
        "case", "list", "--kind", "control", "--kind", "repairable", "--family", "http", "--api", "private"
    )
    assert (result.code, result.err) == (0, "")
    assert cases.RENAMED in result.out
    assert cases.QUIET not in result.out
    assert "1 case; 1 repairable; 1 http; world: 1 simulator\n" in result.out


def test_cases_are_chosen_by_their_tags(corpus, mendbench):
    cases.change_case(corpus, cases.QUIET, lambda truth: truth.update(tags=["unicode"]))
    listed = json.loads(mendbench("case", "list", "--tag", "unicode", "--format", "json").out)
    assert [row["case"] for row in listed] == [cases.QUIET]
    assert (
        mendbench("case", "list", "--tag", "unicod").line
        == "tag: unknown tag 'unicod'; did you mean 'unicode'? known: unicode"
    )


def test_a_filter_that_no_case_can_pass_is_refused(corpus, mendbench):
    result = mendbench("case", "list", "--kind", "repairabel")
    assert result.code == 2
    assert result.line.startswith("kind: unknown kind 'repairabel'; did you mean 'repairable'? known: control, ")


def test_a_broken_case_keeps_nobody_from_the_list(corpus, mendbench):
    (corpus / "cases" / cases.QUIET / "case.yaml").write_text("title: [", encoding="utf-8")
    result = mendbench("case", "list", "--format", "json")
    assert result.code == 2
    assert [row["case"] for row in json.loads(result.out)] == [cases.CLOSED, cases.RENAMED]
    assert f"{cases.QUIET}/case.yaml:" in result.line


def test_the_list_knows_the_strength_of_what_was_proved_until_the_case_changes(corpus, mendbench):
    def mutation_score():
        return [
            row["mutation_score"]
            for row in json.loads(mendbench("case", "list", cases.RENAMED, "--format", "json").out)
        ]

    assert mutation_score() == [None]
    mendbench("case", "check", cases.RENAMED, "--workers", "1")
    assert mutation_score() == [1.0]
    cases.change_case(corpus, cases.RENAMED, lambda truth: truth.update(tags=["new"]))
    assert mutation_score() == [None]


def test_what_is_wrong_with_one_case_keeps_nobody_from_the_others(corpus, mendbench):
    (corpus / "cases" / cases.QUIET / "case.yaml").write_text("titel: x\n", encoding="utf-8")
    (corpus / "cassettes" / cases.CLOSED / "world.yaml").write_text("version: 1\ninteractions: no\n", encoding="utf-8")
    result = mendbench("case", "check", "--workers", "2")
    assert result.code == 1
    assert "1 of 3 cases proved; " in result.out
    first, second = result.err.splitlines()
    assert f"{cases.QUIET}/case.yaml:1:1: titel: unknown key 'titel'; did you mean 'title'?" in first
    assert f"{cases.CLOSED}/world.yaml:" in second


def test_the_check_sums_up_kinds_worlds_strength_and_seconds(corpus, mendbench):
    out = mendbench("case", "check", "--workers", "1").out
    assert "\n3 cases; 1 control, 1 needs_user, 1 repairable; 1 control, 2 http; world: 3 simulator\n" in out
    assert "\nmutation score: " in out
    assert ", 0 accepted, 0 missed, " in out
    assert " (median)\n" in out
    assert "\nMutants by kind\n" in out


def test_a_case_is_shown_with_graph_failure_truth_fixes_and_strength(corpus, mendbench):
    result = mendbench("case", "show", cases.RENAMED)
    assert (result.code, result.err) == (0, "")
    for line in (
        f"{cases.RENAMED}  repairable, level 2, group desk-renamed-field",
        "  world: json_api (simulator); tags: none; source: invented",
        "  person  http  success",
        "  note    http  error  <- cause of wrong-field; wrong-field shows here",
        "  fault wrong-field: error, edit; cause note, shows at note",
        "  right: replace /nodes/note/params/body/text = Hello ${person.response.called}!",
        "  wrong: greets the town",
        "  variant another person: ends in success",
    ):
        assert line in result.out.splitlines()
    assert "  holds; mutation score 100%; mutants: " in result.out
    assert "(template_error)" in result.out


def test_a_case_in_json_has_the_same_and_more(corpus, mendbench):
    document = json.loads(mendbench("case", "show", cases.CLOSED, "--format", "json").out)
    assert (document["kind"], document["fix"], document["proved"]) == ("needs_user", None, True)
    assert [row["node"] for row in document["graph"]] == ["person", "note"]
    assert document["failures"][0]["status_code"] == 403


def test_a_case_whose_world_is_not_recorded_is_shown_and_says_so(corpus, mendbench):
    cases.make_live(corpus, cases.RENAMED)
    result = mendbench("case", "show", cases.RENAMED)
    assert result.code == 0
    assert "  no recording answers GET " in result.out


def test_a_new_case_says_one_line_for_each_label_that_is_missing(corpus, mendbench):
    result = mendbench("case", "new", "http/first-one")
    assert result.code == 0
    labels = int(result.out.splitlines()[-1].split()[0])
    assert result.out.endswith("`mendbench case check http/first-one` lists them\n")
    checked = mendbench("case", "check", "http/first-one")
    assert checked.code == 1
    lines = checked.err.splitlines()
    assert len(lines) == labels > 20
    assert lines[0].endswith("cases/http/first-one/case.yaml:8:8: title is not labelled; what is wrong, in one line")
    assert any("workflow.json:" in line and "nodes.0.params.url is not labelled" in line for line in lines)


def test_the_first_case_of_a_project_says_which_labels_are_missing(corpus, mendbench):
    for folder in ("cases", "cassettes"):
        shutil.rmtree(corpus / folder)
    mendbench("case", "new", "http/first")
    for names in ((), ("http/first",)):
        result = mendbench("case", "check", *names)
        assert result.code == 1
        assert {"is not labelled" in line for line in result.err.splitlines()} == {True}


def test_a_new_case_is_refused_where_one_is(corpus, mendbench):
    before = (corpus / "cases" / cases.RENAMED / "case.yaml").read_bytes()
    result = mendbench("case", "new", cases.RENAMED)
    assert (result.code, result.line) == (
        2,
        f"cases/{cases.RENAMED}: it is there already; choose another name, or delete it first",
    )
    assert (corpus / "cases" / cases.RENAMED / "case.yaml").read_bytes() == before


@for_each(
    ("name", "line"),
    [
        ("first", "case 'first': no FAMILY/NAME; name both, such as http/renamed-field"),
        ("Help Desk/first", "case 'Help Desk/first': the family 'Help Desk'; use lower-case words joined by hyphens"),
        ("http/First One", "case 'http/First One': the name 'First One'; use lower-case words joined by hyphens"),
    ],
)
def test_an_id_that_cannot_be_used_is_refused(corpus, mendbench, name, line):
    result = mendbench("case", "new", name)
    assert result.code == 2
    assert result.line.startswith(line)


def test_a_case_is_imported_from_a_har_file_in_an_empty_folder(empty, mendbench):
    har = {"log": {"version": "1.2", "entries": [{
        "time": 7, "request": {"method": "GET", "url": "https://tides.example/now?at=Bo", "headers": []},
        "response": {"status": 404, "headers": [], "content": {"mimeType": "application/json", "text": '{"detail": "no such port"}'}},
    }]}}  # fmt: skip
    nodes = [{"id": "tide", "type": "http", "params": {"url": "https://tides.example/now?at=${port}"}}]
    (empty / "p.har").write_text(json.dumps(har), encoding="utf-8")
    (empty / "w.json").write_text(
        json.dumps({"ir_version": "0.1.0", "inputs": {"port": {"type": "string"}}, "nodes": nodes}), encoding="utf-8"
    )
    words = ("case", "import", "http/no-such-port", "--from", "p.har", "--workflow", "w.json")
    assert mendbench(*words).line == "--input: the workflow needs 'port'; give what it was run with: --input port=…"
    result = mendbench(*words, "--input", "port=Bo")
    assert result.code == 0
    assert "kept 1: entries[0]\n" in result.out
    assert 'recorded_from: {"json_api": "simulator"}' in (empty / "cases/http/no-such-port/case.yaml").read_text(
        "utf-8"
    )
    assert mendbench(*words, "--input", "port=Bo").code == 2


def test_a_live_import_keeps_what_was_recorded(empty, mendbench):
    har = {"log": {"version": "1.2", "entries": [{
        "time": 7, "request": {"method": "GET", "url": "https://tides.example/now", "headers": []},
        "response": {"status": 404, "headers": [], "content": {"mimeType": "application/json", "text": "{}"}},
    }]}}  # fmt: skip
    nodes = [{"id": "tide", "type": "http", "params": {"url": "https://tides.example/now"}}]
    (empty / "p.har").write_text(json.dumps(har), encoding="utf-8")
    (empty / "w.json").write_text(json.dumps({"ir_version": "0.1.0", "nodes": nodes}), encoding="utf-8")
    result = mendbench("case", "import", "http/t", "--from", "p.har", "--workflow", "w.json", "--provenance", "live")
    assert result.code == 0
    assert (empty / "cassettes/http/t/world.yaml").is_file()


def test_a_live_write_is_sent_only_with_leave_and_a_missing_variable_is_named(empty, mendbench, monkeypatch):
    check = ("case", "check", live_api.CASE, "--cases", "cases", "--cassettes", "cassettes")
    with live_api.live_api() as api:
        live_api.write_live_case(empty, api.base)
        monkeypatch.delenv(live_api.VARIABLE, raising=False)
        result = mendbench(*check, "--record", "new_episodes")
        assert (result.code, api.received) == (2, [])
        assert result.line.startswith(
            f"{live_api.CASE}: secrets.desk: the environment variable {live_api.VARIABLE} is not set;"
        )
        monkeypatch.setenv(live_api.VARIABLE, live_api.TOKEN)
        result = mendbench(*check, "--record", "new_episodes")
        assert (result.code, api.writes) == (2, [])
        assert result.line.startswith(f"{live_api.CASE}: 2 live writes were not sent: POST {api.base}/notes {{")
        assert result.line.endswith("; pass --allow-writes to send them")
        result = mendbench(*check, "--record", "new_episodes", "--allow-writes")
        assert (result.code, len(api.writes), result.err.count("mendbench: live write: POST")) == (0, 2, 2)
        assert mendbench(*check).code == 0


def test_recording_says_how_many_exchanges_that_nothing_used_it_deleted(corpus, mendbench):
    cases.change_case(corpus, cases.RENAMED, lambda truth: truth["state"]["json_api"]["collections"].update(spare={}))
    result = mendbench("case", "check", cases.RENAMED, "--record", "all")
    assert result.code == 0
    assert f"{cases.RENAMED}: deleted " in result.out
    assert " recorded exchanges that nothing uses\n" in result.out


def test_an_import_without_a_file_is_refused(corpus, mendbench):
    result = mendbench("case", "import", "http/x")
    assert (result.code, result.line) == (
        2,
        "case import: Missing option '--from'; `mendbench case import --help` shows how",
    )
