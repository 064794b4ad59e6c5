import io
import json
import sys

from mendbench import api
from mendbench.cli import strategy_view
from mendbench.cli.options import Format
from tests.cli.test_run import TEMPLATE
from tests.fakes import cases

SHIPPED = {"agent-json", "cli-text", "full-context", "none", "placebo", "summary"}


def test_strategies_are_listed(empty, mendbench):
    result = mendbench("strategy", "list")
    assert (result.code, result.err) == (0, "")
    first = {line.split()[0] for line in result.out.splitlines() if line.strip()}
    assert first >= {*SHIPPED, "+feedback", "@v1"}


def test_strategies_in_json_have_the_published_fields(empty, mendbench):
    listed = json.loads(mendbench("strategy", "list", "--format", "json").out)
    assert {row["strategy"] for row in listed} >= SHIPPED
    for row in listed:
        assert set(row) == {"strategy", "kind", "title", "source", "path"}


def test_a_prompt_is_shown_and_what_it_states_is_said_beside_it(corpus, mendbench):
    result = mendbench("strategy", "render", "full-context", cases.RENAMED)
    assert result.code == 0
    assert "greets the person with this id" in result.out
    assert result.line.startswith("context: about ")
    assert "facts in prompt: called; missing: none; the fix's new value: " in result.line


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


def test_a_strategy_is_shown_with_its_sections_its_template_and_its_digest(empty, mendbench):
    result = mendbench("strategy", "show", "mend~form")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("mend~form\n  What the API said")
    assert "\nsuspects  derived     3\n" in result.out
    assert "\nform " not in result.out
    assert "{% block form %}" in result.out
    page = json.loads(mendbench("strategy", "show", "mend", "--format", "json").out)
    assert set(page) == {"strategy", "kind", "title", "source", "path", "digest", "sections", "template"}
    assert page["digest"] not in result.out
    assert [section["name"] for section in page["sections"]] == ["error", "suspects", "form", "data"]


def test_a_section_that_there_is_not_is_answered_with_those_that_there_are(empty, mendbench):
    result = mendbench("strategy", "show", "mend~dta")
    assert (result.code, result.line) == (
        2, "strategy mend: unknown section 'dta'; did you mean 'data'? known: data, error, form, suspects",
    )  # fmt: skip


def test_a_prompt_in_json_has_all_that_is_said_beside_it(corpus, mendbench):
    shown = json.loads(mendbench("strategy", "render", "full-context", cases.RENAMED, "--format", "json").out)
    assert (shown["kind"], shown["attempt"], shown["asked"], shown["holds_fix"]) == ("repairable", 1, True, "state")
    assert shown["facts"] == {"found": ["called"], "missing": [], "share": 1}
    assert 0 < shown["context_tokens"] < shown["prompt_tokens"]
    assert {section["label"] for section in shown["sections"]} == {"raw", "state", "derived"}
    assert sum(section["tokens"] for section in shown["sections"]) >= shown["context_tokens"] - 10


def test_where_nobody_is_asked_that_is_said(corpus, mendbench):
    result = mendbench("strategy", "render", "summary", cases.QUIET)
    assert result.line.endswith("; nobody is asked: the first execution does not fail")


def test_the_prompt_of_a_later_attempt_is_shown(corpus, mendbench):
    first, second = (mendbench("strategy", "render", "none", cases.RENAMED, "--attempt", n) for n in (1, 2))
    assert (first.code, second.code) == (0, 0)
    assert "${person.response.name}" in first.out
    assert "${person.response.nick}" in second.out
    assert mendbench("strategy", "render", "none", "--attempt", "2").line == (
        "--attempt 2: no single case; name one case by its id"
    )


def test_many_cases_are_a_table_with_what_it_adds_up_to(corpus, mendbench):
    result = mendbench("strategy", "render", "full-context")
    assert result.code == 0
    row = next(line for line in result.out.splitlines() if line.startswith(cases.RENAMED))
    assert row.split()[1:3] == ["repairable", "state"]
    assert row.split()[-1] == "1/1"
    assert "\n2 cases; tokens: " in result.out
    assert result.line == "1 more case does not fail at first, so that nobody is asked"
    family = json.loads(mendbench("strategy", "render", "full-context", "http", "--format", "json").out)
    assert [row["case"] for row in family["cases"]] == [cases.CLOSED, cases.RENAMED]
    assert family["totals"]["context_recall"] == 1
    assert mendbench("strategy", "render", "full-context", "http/r*", "--format", "json").code == 0


def test_a_case_that_is_not_recorded_makes_the_table_incomplete(corpus, mendbench):
    cases.make_live(corpus, cases.RENAMED)
    result = mendbench("strategy", "render", "summary", "http")
    assert result.code == 3
    assert result.line.startswith(f"{cases.RENAMED}: no recording answers ")


def test_two_contexts_are_shown_as_a_diff_with_what_each_states(corpus, mendbench):
    result = mendbench("strategy", "diff", "none", "full-context", cases.RENAMED)
    assert result.code == 0
    assert result.out.startswith("--- none\n+++ full-context\n@@ ")
    assert "\n+**Node**: note\n" in result.out
    one, other = result.err.splitlines()
    assert one.startswith("mendbench: none: about 0 tokens; facts in prompt: none; missing: called; ")
    assert other.startswith("mendbench: full-context: about ")
    shown = json.loads(mendbench("strategy", "diff", "none", "summary", cases.RENAMED, "--format", "json").out)
    assert (shown["a"]["name"], shown["b"]["name"]) == ("none", "summary")
    assert shown["diff"][:2] == ["--- none", "+++ summary"]


def test_equal_contexts_have_no_diff(corpus, mendbench):
    assert mendbench("strategy", "diff", "summary", "summary", cases.RENAMED).out == "the contexts are the same\n"


def test_on_a_wide_terminal_they_stand_beside_each_other(corpus, monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "200")
    pair = tuple(api.render_strategy(name, cases.RENAMED, None, None) for name in ("summary", "full-context"))
    strategy_view.show_diff(pair, ("summary", "full-context"), Format.text)
    lines = out.getvalue().splitlines()
    assert "summary" in lines[0]
    assert "full-context" in lines[0]
    assert any(line.count("## Errors to Fix") == 2 for line in lines)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_two_strategies_over_many_cases_are_a_table_of_what_only_one_states(corpus, mendbench):
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    result = mendbench("strategy", "diff", "./mine.md.j2", "none")
    row = next(line for line in result.out.splitlines() if line.startswith(cases.RENAMED))
    assert row.split()[1] == "called"
    assert row.split()[-2:] == ["1/1", "0/1"]
    assert "\nA: 2 cases; " in result.out
    assert (
        "\nB: 2 cases; tokens: 0 on average; facts in prompt: 0.00 on average; the fix's value: 1 nowhere" in result.out
    )
    shown = json.loads(mendbench("strategy", "diff", "./mine.md.j2", "none", "--format", "json").out)
    assert [(row["only_a"], row["only_b"]) for row in shown["cases"]] == [([], []), (["called"], [])]


def test_an_ablation_of_the_prompts_is_a_table_without_any_answer(corpus, mendbench):
    result = mendbench("strategy", "ablate", "summary", "--prompts-only")
    assert result.code == 0
    assert "summary without its sections, part all\n" in result.out
    assert "summary~guidance" in result.out
    assert "right" not in result.out
    assert not (corpus / "reports").exists()


def test_an_ablation_with_answers_missing_is_incomplete_and_says_what_records_them(corpus, mendbench):
    result = mendbench("strategy", "ablate", "full-context", cases.RENAMED, "--workers", "1")
    assert result.code == 3
    assert (
        result.line == "some trials have no verdict; the same command with --record new_episodes records what they miss"
    )
    whole = next(line for line in result.out.splitlines() if line.startswith("whole"))
    assert "1/1" in whole.split()
    assert "won:lost:tied" in result.out
    assert "rows one may stand out by chance\n" in result.out
    assert "the trials: reports/ablation/index.html\n" in result.out
    shown = json.loads(
        mendbench("strategy", "ablate", "full-context", cases.RENAMED, "--workers", "1", "--format", "json").out
    )
    assert (shown["model"], shown["run"], shown["cases"]) == (cases.MODEL, "reports/ablation", 1)
    assert shown["rows"][0]["repairs"]["right"] == 1
    assert shown["rows"][1]["left_out"] == ["errors"]


def test_a_strategy_without_a_section_can_be_run(corpus, rules):
    result = rules("--format", "json", cases.RENAMED, strategy="full-context~response")
    assert result.code == 0
    assert [total["strategy"] for total in json.loads(result.out)["totals"]] == ["full-context~response"]


def test_a_template_is_watched_once(corpus, mendbench):
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    result = mendbench("strategy", "watch", "mine.md.j2", cases.RENAMED, "--once")
    assert result.code == 0
    assert result.out.startswith("mine.md.j2: 1 of 1 prompts changed; ")
    assert "recorded responses that match: " in result.out
    assert "rule book: repairs " in result.out
    frame = json.loads(mendbench("strategy", "watch", "mine.md.j2", cases.RENAMED, "--once", "--format", "json").out)
    assert frame["prompts"][0]["case"] == cases.RENAMED


def test_a_watch_without_end_has_no_json(corpus, mendbench):
    (corpus / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    result = mendbench("strategy", "watch", "mine.md.j2", cases.RENAMED, "--format", "json")
    assert (result.code, result.line) == (2, "--format json: a watch does not end; add --once")


def test_a_watch_shows_a_frame_for_each_save(corpus, mendbench, monkeypatch):
    path = corpus / "mine.md.j2"
    path.write_text(TEMPLATE, encoding="utf-8")

    def changes(folder):
        assert (corpus / folder).samefile(corpus)
        yield {(2, str(corpus / "other.txt"))}
        path.write_text(TEMPLATE.replace("{% endblock", "More.\n{% endblock"), encoding="utf-8")
        yield {(2, str(path))}

    monkeypatch.setattr("watchfiles.watch", changes)
    result = mendbench("strategy", "watch", "mine.md.j2", cases.RENAMED)
    assert result.code == 0
    assert result.out.count("1 of 1 prompts changed") == 2
