"""Markdown for a pull request: what it shows, that it fits, and that no text becomes markup. Rendered with markdown-it, which knows GitHub's tables."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mendbench.report.findings import RunFinding
from mendbench.report.markdown import COMMENT, CUT_LINE, STEP_SUMMARY, code, markdown, plain
from mendbench.results.totals import totals
from mendbench.scoring.record_table import records_of
from tests.fakes.judged import ODD, gate_says, mixed_run, odd_run, row
from tests.fakes.runs import (
    MODEL,
    key_of,
    lettered_run,
    repairable,
    repaired,
    row_of,
    small_run,
    stored_run,
    unjudged,
    unrepaired,
)

OURS = {
    "h2", "h3", "p", "ul", "li", "strong", "em", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary",
}  # fmt: skip
"""The tags that a page may have."""


class Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.cells, self.rows = set(), [], 0, 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.cells += tag in {"td", "th"}
        self.rows += tag == "tr"

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)


def render(text):
    return Page(MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(text))


def many(number):
    """Return a run of so many unjudged cases."""
    made = []
    for at in range(number):
        case = repairable(f"case{at:04}")
        command = f"mendbench run slack/case{at:04} --record new_episodes {'x' * 120}"
        problem = replace(unjudged(command), detail={"request": f"ask {at}", "record": command})
        made.append(row_of(case, unrepaired(), key_of(case), problem=problem))
    return stored_run(made)


def test_it_begins_with_the_headline_and_one_row_a_strategy():
    text = markdown(small_run())
    assert text.startswith("## mendbench\n\nUnder naive, tiny-coder repaired 2 of 2 cases with full-context, the most")
    assert "| `full-context` | 2 of 2 | – |" in text
    assert "| `none` (control) | 0 of 2 |" in text
    assert "| `reference` (upper bound, under two-layer) | 2 of 2 |" in text


def test_policies_stand_side_by_side_and_the_other_panels_are_folded():
    text = markdown(small_run())
    assert "### Policies: `tiny-coder`, the same 6 trials of 3 cases" in text
    assert "| futile a user's case | prompt tokens | response tokens |" in text
    assert "| `naive` | 2 of 4 | – | 11 | – | 8 | 3.00 | 3\u202f300 | 275 |" in text
    assert text.count("### Repair success") == 1
    assert "<details><summary>Repair success: tiny-coder, policy two-layer" in text
    folded = text[text.index("policy two-layer") :]
    assert "`reference`" not in folded
    assert render(text).tags <= OURS


def test_what_limits_the_main_model_s_results_follows_the_headline():
    run = lettered_run({"summary": "r"}, report={"main_model": MODEL, "note": "Few cases."})
    second = markdown(run).split("\n\n")[2]
    assert (
        second == "Everything about this model is exploratory: no contrast was specified for it beforehand. Few cases."
    )


def test_what_has_no_verdict_is_reported_once_for_all_that_miss_the_same():
    case = repairable()
    rows = [row_of(case, unrepaired(), key_of(case, policy=name), problem=unjudged()) for name in ("naive", "loop")]
    text = markdown(stored_run([*rows, row_of(repairable("other"), repaired(), key_of(repairable("other")))]))
    assert "2 unjudged of 3 trials: neither right nor wrong" in text
    assert "- `slack/greeting [summary, loop, tiny-coder]` and 1 more like it: `unjudged: no recording answers" in text


def test_rates_carry_their_bounds():
    assert "| `summary` | 1 of 5 (up to 2) | – |" in markdown(mixed_run())


def test_stale_answers_and_a_changed_protocol_are_reported():
    run = small_run()
    run = replace(
        run,
        run={
            **run.run,
            "stale": {"responses": 3, "cassettes": 2},
            "protocols": {"protocol": {"frame": True, "strategies": ["mend"]}},
        },
    )
    text = markdown(run)
    assert (
        "**Stale**: 3 recorded responses, in 2 cassettes, that nothing asks for any more; `mendbench prompts prune` lists them."
        in text
    )
    assert "**Changed since `protocol` was written**: the frame, `mend`." in text
    quiet = markdown(
        replace(
            run,
            run={
                **run.run,
                "stale": {"responses": 0, "cassettes": 0},
                "protocols": {"protocol": {"frame": False, "strategies": []}},
            },
        )
    )
    assert "Stale" not in quiet
    assert "protocol" not in quiet


def test_a_judgement_stands_before_the_figures_the_gravest_first():
    run = mixed_run()
    text = markdown(
        run,
        judgement=gate_says(
            run, extra=(RunFinding(level="warning", title="unjudged", message="a recording is missing"),)
        ),
    )
    assert text.index("❌ 2 trials got worse\n") < text.index("### Repair success")
    items = [line for line in text.splitlines() if line.startswith("- ")]
    assert items[:6] == [
        "- compared 5 of the 6 trials of baseline.tsv",
        "- ❌ **lost** `slack/looks-right [summary, two-layer, tiny-coder]`: repaired -&#62; plausible",
        "- ❌ **limit broken**: max_wasted: 2 is too high",
        "- ❌ **gone** <code>slack/gone &#124; x</code>: repaired -&#62; not in the run",
        "- ⚠️ **unjudged**: a recording is missing",
        "- ℹ️ **new** `slack/wrong [summary, two-layer, tiny-coder]`: not in the baseline",
    ]


def test_many_findings_leave_room_for_the_figures():
    run = mixed_run()
    extra = tuple(RunFinding(level="notice", title="new", message="x" * 300, case=f"slack/{at}") for at in range(900))
    text = markdown(run, judgement=gate_says(run, extra=extra))
    assert "and 861 more of ℹ️" in text
    assert "### Repair success" in text
    assert "_Cut" not in text


@pytest.mark.parametrize("limit", [CUT_LINE, 900, 1500, 2500, 4000, 8000])
def test_what_is_cut_is_counted_and_what_is_left_is_whole(limit):
    run = small_run()
    text = markdown(run, limit=limit)
    assert len(text.encode()) <= limit
    if len(markdown(run).encode()) > limit:
        assert re.search(r"^_Cut for its length: .+\. The run's report has them all\._$", text.splitlines()[-1])
    assert text.count("<details>") == text.count("</details>")


def test_a_cut_table_says_how_many_of_its_rows_are_missing():
    run = small_run()
    whole = markdown(run)
    limit = len(whole[: whole.index("| `noop`")].encode()) + CUT_LINE + 200
    text = markdown(run, limit=limit)
    found = re.search(r"Cut for its length: (\d) of 5 strategies; all 2 policies", text)
    assert found
    head, rows = text.split("| :-- |")[0], text.split("--: |\n")[1].split("\n\n")[0].splitlines()
    assert "### Repair success" in head
    assert len(rows) == 5 - int(found[1])


def test_no_room_at_all_is_no_text():
    assert markdown(small_run(), limit=CUT_LINE - 1) == ""


def test_a_great_run_fits_a_comment():
    text = markdown(many(400))
    assert len(text) <= COMMENT
    assert "and 388 more" in text


def test_the_limits_are_githubs():
    assert (COMMENT, STEP_SUMMARY) == (65536, 1048576)


def test_odd_texts_are_no_markup():
    run = odd_run()
    page = render(markdown(run, judgement=gate_says(mixed_run(), words=ODD)))
    assert page.tags <= OURS
    assert "<script>alert(1)</script>" in page.text
    assert "a" not in page.tags


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_in_a_cell_stays_in_its_cell(one, two):
    table = f"| a | b |\n| :-- | --: |\n| {code(one)} | {plain('x' + two)} |\n"
    page = render(table)
    assert page.tags <= OURS
    assert (page.cells, page.rows) == (4, 2)


@given(st.text(max_size=60))
def test_any_text_is_rendered_as_it_is(text):
    words = " ".join(text.split())
    if words and "\x00" not in words:
        assert render(f"said: {code(text)} end").text.strip() == f"said: {words} end"
        assert render(f"said: {plain(text)} end").text.replace(
            "\N{ZERO WIDTH SPACE}", ""
        ).strip() == f"said: {words} end".replace("\N{ZERO WIDTH SPACE}", "")


@pytest.mark.parametrize("number", ["1.", "22)", "000)", "999999999.", "1234567890."])
def test_a_number_begins_no_list(number):
    assert render(f"{plain(number)}\n").tags <= {"p"}


@given(st.text(alphabet="-+*>#=~`_|<1234567890. )\n\tab:[]()!&;@w", max_size=30))
def test_no_text_begins_a_list_a_heading_or_a_block(text):
    page = render(f"{plain(text)}\n")
    assert page.tags <= {"p"}


@pytest.mark.parametrize(
    "text",
    [
        "@someone",
        "see @org/team",
        "#12",
        "org/repo#12",
        "https://evil.example",
        "www.evil.example",
        ":boom:",
        "$`x`$",
        "![i](u)",
    ],
)
def test_nothing_in_words_refers_to_anything(text):
    made = plain(text)
    for sign in ("@", "://", "www.", "`", "$", "[", ":b"):
        assert sign not in made
    shown = render(made).text
    assert not re.search(r"@\w|#\d", shown)


def test_code_without_anything_special_is_readable():
    assert (
        code("slack/greeting [summary, two-layer, tiny-coder]") == "`slack/greeting [summary, two-layer, tiny-coder]`"
    )
    assert code("") == code(" \n") == "–"
    assert (
        plain("max_wasted: 2 is (too) high, 0.5 is allowed; see 'x'")
        == "max_wasted: 2 is (too) high, 0.5 is allowed; see 'x'"
    )


@given(st.text(st.characters(), max_size=30), st.integers(CUT_LINE, 6000))
def test_any_run_fits_any_room_and_is_no_markup(text, limit):
    run = odd_run("odd" + text)
    made = markdown(run, judgement=gate_says(mixed_run(), words=text), limit=limit)
    assert len(made.encode("utf-8", "replace")) <= limit
    assert render(made).tags <= OURS


def test_a_run_without_a_case_to_repair_says_so():
    run = small_run()
    rows = tuple(one for one in run.rows if one["kind"] == "needs_user")
    assert "no repair success" in markdown(replace(run, rows=rows, run={**run.run, "totals": totals(records_of(rows))}))


def test_a_finding_about_a_trial_that_is_there_is_named_like_it():
    run = mixed_run()
    assert f"`slack/looks-right [{'summary, two-layer, tiny-coder'}]`" in markdown(run, judgement=gate_says(run))
    assert row(run, "looks-right")["key"] not in markdown(run, judgement=gate_says(run))
