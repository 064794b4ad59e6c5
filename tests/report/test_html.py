import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mendbench.report.html import SCRIPTS, STYLES, render_html, trial_link
from tests.fakes.pages import columns_of, records_of, unpacked
from tests.fakes.runs import (
    crashed,
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

HOSTILE = """</script><img src=x onerror="boom()">'{{7*7}} & <!--"""


def visible(html):
    """The page without its scripts, its style and its data: what a reader without a script gets."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)


def test_the_same_run_gives_the_same_bytes():
    assert render_html(small_run()) == render_html(small_run())


def test_what_depends_on_the_moment_is_not_in_the_page():
    slow, fast = small_run(seconds=9.25), small_run(seconds=0.5)

    assert render_html(slow) == render_html(fast)
    assert all("timing" not in row for row in records_of(render_html(slow)))


@pytest.mark.slow
def test_ten_times_the_trials_take_much_less_than_ten_times_the_room():
    cases = [repairable(name) for name in ("greeting", "farewell", "third")]
    words = {"frame": "\n".join(f"line {number} of a frame, given to every strategy" for number in range(60))}

    def size(samples):
        made = [
            row_of(case, repaired(**words), key_of(case, sample=sample)) for case in cases for sample in range(samples)
        ]
        return len(render_html(stored_run(made)))

    few, more, most = size(1), size(20), size(200)
    assert more - few < 200 * 57
    assert most - more < 60 * 540


def test_a_run_held_against_another_brings_that_ones_verdicts_and_no_more():
    run, other = small_run(), small_run(response="another response that only the other run has")
    alone, both = render_html(run), render_html(run, replace(other, folder=other.folder / "before"))
    index = unpacked(both)[0]

    assert index["against"]["name"] == "reports/latest/before"
    assert [row["outcome"] for row in columns_of(index["against"]["columns"])] == [row["outcome"] for row in other.rows]
    assert unpacked(both)[1:] == unpacked(alone)[1:]
    assert unpacked(alone)[0]["against"] is None


def test_the_totals_can_be_read_without_a_script():
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", visible(render_html(small_run()))))

    assert "full-context 2 / 2" in text
    assert "summary 0 / 2" in text
    assert "reference upper bound, under two-layer 2 / 2" in text
    assert "Under naive, tiny-coder repaired 2 of 2 cases with full-context, the most; then summary 0" in text
    assert "Futile per user case Prompt tokens Response tokens" in text
    assert "3.00 3 300 275" in text


def test_right_trials_of_a_policy_have_two_ends_where_some_are_not_judged():
    run = lettered_run({"summary": "ru?"}, policies=("naive", "two-layer"))
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", visible(render_html(run))))

    assert "1 / 3 1 to 2" in text[text.index("What the policies save") :]


def test_no_address_stands_in_the_page_that_a_browser_would_fetch():
    html = visible(render_html(small_run()))

    assert re.findall(r'\b(?:src|href|action|data|poster|srcset)="(?!#|data:,)[^"]*"', html) == []
    assert "default-src 'none'" in unescape(html)
    assert not re.search(r"url\((?!#)", render_html(small_run()).split("</style>")[0])
    assert "@import" not in render_html(small_run())


def test_the_security_policy_names_the_very_style_and_script_of_the_page():
    html = render_html(small_run())
    for tag, found in (("style", r"<style>(.*?)</style>"), ("script", r"<script>(.*?)</script>")):
        content = re.search(found, html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert re.search(rf"{tag}-src &#39;sha256-{re.escape(digest)}&#39;", html)


def test_the_script_never_makes_markup_of_data():
    for name in SCRIPTS:
        source = (files("mendbench.report") / "page" / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", source), (
            name
        )


def test_no_file_of_the_page_is_long():
    for name in (*SCRIPTS, *STYLES):
        assert len((files("mendbench.report") / "page" / name).read_text(encoding="utf-8").splitlines()) <= 260, name


def test_what_would_turn_the_text_around_is_named_where_it_stands():
    html = render_html(
        stored_run([row_of(repairable(), repaired(), key_of(repairable()))], digests={"a\u202eb": "c\u2066d\0"})
    )

    assert "a⟨U+202E⟩b" in html
    assert "c⟨U+2066⟩d⟨U+0000⟩" in html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\0]", html)


def test_hostile_words_on_the_first_screen_are_text():
    case = repairable()
    row = row_of(case, repaired(), key_of(case, strategy=HOSTILE), problem=crashed(HOSTILE))
    html = render_html(stored_run([row], mendbench_version=HOSTILE, digests={HOSTILE: HOSTILE}))

    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<img" not in html
    assert 'onerror="' not in html


@given(st.text(min_size=1, max_size=40))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_name_of_a_strategy_gives_a_page_of_two_scripts(name):
    html = render_html(stored_run([row_of(repairable(), repaired(), key_of(repairable(), strategy=name))]))

    assert html.count("<script") == 2
    assert columns_of(unpacked(html)[0]["columns"])[0]["strategy"] == name


def test_half_a_surrogate_from_a_model_does_not_keep_the_page_from_being_written():
    case = repairable()
    html = render_html(
        stored_run([row_of(case, repaired(response="\ud83d" * 80), key_of(case))], mendbench_version="\ud83d")
    )

    assert html.encode("utf-8")


def test_a_run_without_gaps_has_no_banner():
    assert 'role="alert"' not in render_html(small_run())


@pytest.mark.parametrize("problem", [unjudged(), crashed()])
def test_a_trial_without_a_verdict_is_on_the_first_screen_with_its_reason(problem):
    case = repairable("third")
    key = key_of(case, "summary")
    html = visible(render_html(small_run(extra=[row_of(case, unrepaired(), key, problem=problem)])))

    assert 'role="alert"' in html
    assert "1 of 23 trials has no verdict" in html
    assert problem.message in html
    assert trial_link("slack/third | mendbench | chat | tiny-coder | summary | two-layer | structural | 000000") in html


def test_a_link_to_a_trial_holds_its_whole_key():
    assert trial_link("slack/a b | x&y=#1") == "#trial=slack%2Fa%20b%20%7C%20x%26y%3D%231"


def test_a_run_of_controls_alone_still_has_a_page():
    case = repairable()
    html = render_html(stored_run([row_of(case, unrepaired(), key_of(case, "none", repairer="noop"))]))

    assert "Under two-layer, noop repaired 0 of 1 case with none" in html


def test_a_run_without_trials_has_a_page_that_says_so():
    assert "This run holds no trial" in visible(render_html(stored_run([])))


@pytest.mark.parametrize(
    ("cases", "says"),
    [(19, "too few cases so far for a comparison"), (20, "a gap no larger than theirs is not a finding")],
)
def test_controls_are_held_against_others_from_twenty_cases_on(cases, says):
    assert f"Controls: {says}" in render_html(lettered_run({"summary": "u" * cases, "none": "u" * cases}))
