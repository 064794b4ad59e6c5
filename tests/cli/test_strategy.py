import json

from tests.cli.test_run import TEMPLATE
from tests.fakes import cases

SHIPPED = {"agent-json", "cli-text", "full-context", "none", "placebo", "summary"}


def test_strategies_are_listed(empty, mendbench):
    said = mendbench("strategy", "list")
    assert (said.code, said.err) == (0, "")
    assert {line.split()[0] for line in said.out.splitlines()[2:]} >= SHIPPED


def test_strategies_in_json_have_the_published_fields(empty, mendbench):
    listed = json.loads(mendbench("strategy", "list", "--format", "json").out)
    assert {row["strategy"] for row in listed} >= SHIPPED
    for row in listed:
        assert set(row) == {"strategy", "title", "source", "path"}


def test_a_prompt_is_shown_and_what_it_tells_is_said_beside_it(corpus, mendbench):
    said = mendbench("strategy", "render", "full-context", cases.RENAMED)
    assert said.code == 0
    assert "greets the person with this id" in said.out
    assert said.line.startswith("context: about ")
    assert "facts told: called; missing: none; the fix's new value: " in said.line


def test_a_template_file_is_rendered_by_its_path(corpus, mendbench):
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    shown = json.loads(mendbench("strategy", "render", "mine.md.j2", cases.RENAMED, "--format", "json").out)
    assert (shown["case"], shown["strategy"]) == (cases.RENAMED, "mine")
    assert [section["name"] for section in shown["sections"]] == ["answers"]
    assert shown["user"].endswith(shown["sections"][0]["text"])


def test_an_unknown_strategy_or_case_is_answered_with_the_closest(corpus, mendbench):
    strategy = mendbench("strategy", "render", "sumary", cases.RENAMED)
    assert (strategy.code, strategy.line[:64]) == (
        2,
        "strategy: unknown strategy 'sumary'; did you mean 'summary'? kno",
    )
    case = mendbench("strategy", "render", "summary", "http/renamed")
    assert case.code == 2
    assert f"unknown case 'http/renamed'; did you mean '{cases.RENAMED}'? known: " in case.line
