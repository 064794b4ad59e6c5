"""What the page says above its trials, as HTML that needs no script."""

import re
from html import unescape

from mendbench.report.html import render_html
from tests.fakes.runs import key_of, lettered_run, repairable, row_of, small_run, stored_run, unjudged, unrepaired


def seen(run):
    html = re.sub(r"<(script|style)\b.*?</\1>", "", render_html(run), flags=re.DOTALL)
    return html, unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


def test_the_lead_chart_and_the_three_answers_come_first():
    _, text = seen(small_run())
    places = [
        text.index(question)
        for question in (
            "Cases right, by strategy",
            "Which strategy?",
            "What still fails?",
            "Which policy?",
            "Repair success",
            "Where repair stopped",
            "What the first prompt contained",
            "What was found",
        )
    ]
    assert places == sorted(places)


def test_findings_kinds_and_pictures_can_be_read_without_a_script():
    html, text = seen(small_run())
    assert "two-layer wastes 0.67 attempts fewer a trial than naive" in text
    assert "Kinds are not added up" in text
    assert html.count('<svg class="picture"') == html.count("<figure")
    assert html.count("The figures behind it") == html.count("<figure")


def test_every_part_has_an_address():
    html, _ = seen(small_run())
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert {
        "success",
        "answers",
        "totals",
        "funnel",
        "prompt-contents",
        "findings",
        "kinds",
        "pictures",
        "policies",
        "ran",
        "grid",
        "picture-waste",
    } <= set(ids)


def test_nothing_has_a_style_of_its_own():
    html, _ = seen(small_run())
    assert not re.search(r"<[^>]*\sstyle=", html)


def test_a_finding_links_to_its_trials():
    html, _ = seen(small_run())
    assert re.search(r'ran green, though checks or variants fail.*?href="#trial=slack%2Fgreeting', html, re.DOTALL)


def test_what_is_of_whom_is_said_once_for_all():
    assert "it is of tiny-coder under naive, over 3 cases." in seen(small_run())[1]


def test_each_count_of_the_funnel_opens_its_trials():
    html, _ = seen(small_run())
    link = "#policy=naive&amp;by=tiny-coder&amp;strategy=summary&amp;kind=edit&amp;final_stage=green%20but%20wrong&amp;view=grid"
    assert f'href="{link}"' in html


def test_a_strategy_s_name_is_never_markup():
    html, text = seen(lettered_run({"summary": "ru", "<b>bold</b>": "rr"}))
    assert "<b>bold" not in html
    assert "<b>bold</b>" in text


def test_what_has_no_verdict_is_said_before_any_figure():
    case = repairable("missing")
    _, text = seen(lettered_run({"summary": "r"}, extra=[row_of(case, unrepaired(), key_of(case), problem=unjudged())]))
    assert text.index("1 of 2 trials has no verdict") < text.index("Repair success")


def test_a_run_without_trials_has_neither_answers_nor_pictures():
    html, _ = seen(stored_run([]))
    assert "What still fails?" not in html
    assert "<figure" not in html
