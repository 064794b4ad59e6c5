"""Geometry as data, and the templates that draw it."""

import re
from functools import lru_cache
from importlib.resources import files
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from jinja2 import Environment, FunctionLoader, StrictUndefined

from mendbench.report.charts.forest import forest
from mendbench.report.charts.tokens import TokenPoint, front
from mendbench.report.gaps import Gap
from mendbench.report.overview import build_overview
from mendbench.report.summary import summarise
from mendbench.report.words import MINUS, signed
from mendbench.scoring.comparing.comparison import differ
from mendbench.scoring.comparing.paired_counts import counts_of
from mendbench.scoring.scores import score
from tests.fakes.compared import pair
from tests.fakes.runs import lettered_run, small_run

NAMES = ("differences", "tokens", "waste", "warnings")

HOSTILE = '<script>alert("x")</script>'


def page(name):
    return (files("mendbench.report") / "page" / name).read_text(encoding="utf-8")


def drawn(picture):
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(page))
    figure = str(environment.get_template("figure.html.j2").module.figure(picture))
    return re.search(r"<svg.*</svg>", figure, re.DOTALL).group()


def pictures(run):
    return {one.name: one for one in build_overview(run, summarise(run)).pictures}


@lru_cache
def whole_run(name="mend"):
    words = {"summary": "u" * 20 + "rrrr", name: "u" * 8 + "r" * 16, "none": "uu"}
    return lettered_run(
        {(strategy, policy): word for strategy, word in words.items() for policy in ("naive", "two-layer")}
    )


def test_a_run_with_all_its_data_has_all_pictures():
    assert tuple(pictures(whole_run())) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_says_what_it_shows_and_has_the_table_behind_it(name):
    one = pictures(whole_run())[name]
    assert one.title.endswith("?")
    assert all((one.reads, one.of, one.says.endswith("."), one.table.rows))
    assert {len(row) for row in one.table.rows} == {len(one.table.head)}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_picture_lies_outside_of_it(name):
    one = pictures(whole_run())[name]
    across = [place.x for place in (*one.marks, *one.labels)]
    across += [end for stroke in one.strokes for end in (stroke.x1, stroke.x2)]
    across += [end for box in one.boxes for end in (box.x, box.x + box.width)]
    down = [place.y for place in (*one.marks, *one.labels)]
    down += [end for stroke in one.strokes for end in (stroke.y1, stroke.y2)]
    down += [end for box in one.boxes for end in (box.y, box.y + box.height)]
    assert min(across) >= 0
    assert max(across) <= 100.02
    assert min(down) >= 0
    assert max(down) <= one.height


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_well_formed_has_a_title_and_a_description_and_no_style_of_its_own(name):
    one = pictures(whole_run())[name]
    svg = ET.fromstring(drawn(one).strip())
    assert [child.tag for child in svg][:2] == ["title", "desc"]
    assert svg.get("aria-labelledby").split() == [child.get("id") for child in svg[:2]]
    assert not any(element.get("style") for element in svg.iter())


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_name_that_is_markup_stays_text(name):
    one = pictures(whole_run(HOSTILE))[name]
    text = drawn(one)
    assert "<script" not in text
    assert HOSTILE in "".join(ET.fromstring(text.strip()).itertext())


def test_differences_are_points_with_their_intervals_and_shapes_show_what_is_significant():
    one = pictures(whole_run())["differences"]
    (mark,) = one.marks
    assert (mark.shape, mark.kind) == ("diamond", "filled")
    zero = next(stroke for stroke in one.strokes if stroke.kind == "zero")
    ends = [stroke.x1 for stroke in one.strokes if stroke.kind == "interval" and stroke.x1 == stroke.x2]
    assert zero.x1 < min(ends) < mark.x < max(ends)
    assert any(label.text == "2 cases, too few to draw" for label in one.labels)


def test_differences_of_few_cases_are_drawn_in_cases():
    one = pictures(lettered_run({"summary": "u" * 8, "mend": "r" * 8}))["differences"]
    assert any(label.text == "More repair success, cases" for label in one.labels)
    assert "%" not in "".join(label.text for label in one.labels)


def test_what_is_not_significant_is_a_hollow_circle():
    (mark,) = pictures(lettered_run({"summary": "u" * 8, "mend": "ruuuuuuu"}))["differences"].marks
    assert (mark.shape, mark.kind) == ("circle", "hollow")


def test_the_interval_of_few_cases_is_drawn_and_reported_over_all_of_them_the_open_ones_too():
    right = score("repair_success")
    difference = differ("repair_success", right, counts_of(right, pair("0" * 14, "1" * 10 + "00??"))).difference
    gap = Gap(name="mend", against="summary", group="strategy", difference=difference, tokens=None)
    one = forest([gap], SimpleNamespace(policy=SimpleNamespace(label="two-layer"), api=""))
    low, high = (signed(14 * end, 1) for end in difference.interval)
    assert one.table.rows[0][2:6] == ("+10", "10", "0", f"{low} to {high} cases")
    ticks = sorted((float(label.text.replace(MINUS, "-")), label.x) for label in one.labels if label.kind == "tick")
    (least, left), (most, right_end) = ticks[0], ticks[-1]
    ends = sorted({stroke.x1 for stroke in one.strokes if stroke.kind == "interval"})
    drawn_at = [least + (x - left) / (right_end - left) * (most - least) for x in ends[:1] + ends[-1:]]
    assert drawn_at == [pytest.approx(14 * end, abs=0.1) for end in difference.interval]


def place(name, right, tokens):
    return TokenPoint(
        name=name, group="strategy", right=right, cases=20, low=right, high=right, tokens=tokens, prompts=20
    )


def test_the_front_holds_what_none_beats_in_both():
    found = (
        place("long", 9, 400),
        place("short", 3, 50),
        place("worse", 3, 60),
        place("middle", 9, 200),
        place("none", 0, 0),
    )
    assert [one.name for one in front(found)] == ["none", "short", "middle"]


def test_strategies_on_other_cases_stand_in_the_table_alone():
    one = pictures(whole_run())["tokens"]
    assert len(one.marks) == 2
    assert [row[0] for row in one.table.rows] == ["summary", "mend", "none"]
    assert "none ran on other cases and stands in the table" in one.of


def test_wasted_attempts_are_hatched_where_they_were_futile():
    one = pictures(small_run())["waste"]
    kinds = [box.kind for box in one.boxes]
    assert kinds == ["futile", "fruitless", "fruitless"]
    assert any(label.text == "1 of 2 lost" and label.kind == "harm" for label in one.labels)


def test_every_node_lies_in_one_cell_of_a_matrix():
    one = pictures(small_run())["warnings"]
    counts = [int(label.text) for label in one.labels if "count" in label.kind]
    assert len(counts) == 9
    assert f"n = {sum(counts)} labelled nodes" in one.of


def test_the_style_sheet_names_every_class_that_is_drawn():
    style = page("pictures.css")
    kinds = set()
    for run in (whole_run(), small_run()):
        for one in pictures(run).values():
            kinds |= {kind for each in (*one.strokes, *one.boxes, *one.marks) for kind in each.kind.split()}
    plain = {"filled", "all", "rest", "rule", "dash0"}
    assert {kind for kind in kinds - plain if not re.search(rf"\.{kind}\b", style)} == set()
