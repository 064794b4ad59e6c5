import base64
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.html import render_html
from mendbench.report.packing import COLUMNS, LINED, NOT_SHOWN, STAGE_OF, column, packed, parts_of
from mendbench.scoring.record_table import records_of as table_of
from mendbench.trial.long_texts import whole
from tests.fakes.pages import columns_of, records_of, unpacked, value
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, stored_run

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=12,
)


def without_marks(record):
    return {
        **record,
        "attempts": [
            {name: item for name, item in one.items() if name not in {"marks", "words"}} for one in record["attempts"]
        ],
    }


def without_stages(record):
    return {name: item for name, item in record.items() if name not in STAGE_OF}


def test_every_trial_comes_out_as_it_went_in():
    run = small_run(frame="a frame of several lines\n" * 20)

    for row, record in zip(run.rows, records_of(render_html(run)), strict=True):
        kept = {name: item for name, item in whole(row, run.texts).items() if name not in NOT_SHOWN}
        assert without_stages(without_marks(record)) == kept


@given(JSON)
def test_any_value_comes_out_as_it_went_in(outputs):
    if isinstance(outputs, dict) and set(outputs) == {"$text"}:
        return
    row, texts = row_of(repairable(), repaired(), key_of(repairable()))
    row["outputs"] = {"held": outputs}
    parts = parts_of([row], texts, table_of([row]))
    pool = [*parts.common, *parts.records[0]["pool"]]

    found = value(parts.records[0]["rows"][0], pool, parts.shapes)["outputs"]
    assert json.dumps(found) == json.dumps({"held": whole(outputs, texts)})


def test_one_and_true_and_one_point_nought_stay_apart():
    row, texts = row_of(repairable(), repaired(), key_of(repairable()))
    row["outputs"] = {"all": [1, True, 1.0, "1", None, "null", "True"]}
    parts = parts_of([row], texts, table_of([row]))

    found = value(parts.records[0]["rows"][0], [*parts.common, *parts.records[0]["pool"]], parts.shapes)["outputs"]
    assert [repr(one) for one in found["all"]] == ["1", "True", "1.0", "'1'", "None", "'null'", "'True'"]


def test_an_output_that_looks_like_a_reference_is_no_text():
    row, texts = row_of(repairable(), repaired(), key_of(repairable()))
    row["outputs"] = {"$text": ["0123"]}
    parts = parts_of([row], texts, table_of([row]))

    assert value(parts.records[0]["rows"][0], [*parts.common, *parts.records[0]["pool"]], parts.shapes)["outputs"] == {
        "$text": "0123"
    }


def test_a_line_that_all_trials_share_stands_once_in_the_page():
    line = "every strategy has this one long line of the frame, and so is every attempt"
    frame = f"{line}\n" + "x" * LINED
    index, common, *parts = unpacked(render_html(small_run(frame=frame)))

    assert (json.dumps([index, common, parts])).count(line) == 1
    assert line in common


def test_what_one_case_alone_has_stands_in_its_own_part():
    words = "it is about the greeting, and of nothing else"
    own = row_of(repairable(), repaired(response=words), key_of(repairable()))
    other = row_of(repairable("farewell"), repaired(), key_of(repairable("farewell")))
    index, common, *parts = unpacked(render_html(stored_run([own, other])))
    of = {case: json.dumps(part) for case, part in zip(index["cases"], parts, strict=True)}

    assert words in of["slack/greeting"]
    assert words not in json.dumps([index, common]) + of["slack/farewell"]


def test_the_words_that_state_facts_travel_with_their_attempt():
    run = small_run(context="the API answers `name`")
    for row in run.rows:
        for attempt in row["attempts"]:
            attempt["facts"] = {"found": ["n[a-z]me"], "missing": []}

    marks = {tuple(one["marks"]) for record in records_of(render_html(run)) for one in record["attempts"]}
    assert marks == {("name",)}
    assert all(one["words"] == [["name"]] for record in records_of(render_html(run)) for one in record["attempts"])


def test_a_title_too_long_for_a_row_is_whole_in_its_column():
    title = "a title of many words " * 20
    run = stored_run([row_of(repairable(request=title), repaired(), key_of(repairable()))])

    assert columns_of(unpacked(render_html(run))[0]["columns"])[0]["request"] == title


@given(st.lists(JSON, max_size=8))
def test_a_column_gives_back_its_values(values):
    made = column(values)

    assert json.dumps([made.values[at] for at in made.at]) == json.dumps(values)
    assert len({json.dumps(one) for one in made.values}) == len(made.values)


@pytest.mark.parametrize("name", COLUMNS)
def test_every_row_has_what_it_is_listed_by(name):
    assert name in small_run().rows[0]


def test_the_gzip_header_names_no_time_and_no_system():
    raw = base64.b64decode(packed({"a": 1}))

    assert raw[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    assert json.loads(gzip.decompress(raw)) == {"a": 1}
