"""What the detectors are worth on answers that their tables were not written after, from the answer to the node's state.

``holdout.yaml`` was written before anything was measured on it and then mended after: it is in-sample now. ``holdout2.yaml`` was written
afterwards, with other services, and measured once; no rule was changed for it. The floors are what was measured.
"""

from mendbench.detectors import detector
from tests.detectors.pipeline import confusion, observation_of, right, rows_of, state_of
from tests.fakes.tables import for_each

IN_SAMPLE = rows_of("holdout.yaml")
OUT_OF_SAMPLE = rows_of("holdout2.yaml")

KNOWN_MISSES = {
    "discord-no-route",  # the words of an unknown route and those of a missing resource are the same but for one service's code
}


def test_every_row_says_why_and_is_named_once():
    rows = [*IN_SAMPLE, *OUT_OF_SAMPLE]
    assert len({row["id"] for row in rows}) == len(rows)
    assert [row["id"] for row in rows if row["label"] not in {"success", "error", "warning"} or not row["why"]] == []
    assert len(IN_SAMPLE) >= 150
    assert len(OUT_OF_SAMPLE) >= 60


@for_each("row", [row for row in IN_SAMPLE if row["id"] not in KNOWN_MISSES])
def test_an_answer_gets_the_state_that_its_meaning_asks_for(row):
    assert state_of(row, detector("structural")) == row["label"]


@for_each(
    ("name", "floor"),
    [("structural", 88), ("coded", 56), ("minimal", 55)],
)
def test_on_answers_of_other_services_a_detector_is_right_as_often_as_was_measured(name, floor):
    assert right(confusion(OUT_OF_SAMPLE, detector(name))) >= floor / len(OUT_OF_SAMPLE)


def test_no_data_about_a_failure_elsewhere_is_taken_for_one_in_the_second_set():
    assert [row["id"] for row in OUT_OF_SAMPLE if row["label"] == "success" and observation_of(row) is not None] == []
