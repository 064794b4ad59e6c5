import pytest

from mendbench.errors import BadInput
from mendbench.scoring.detector_scores import JudgedResponse, assisted_score, detector_score


def row(truth, got, service="a", confidence=None):
    return JudgedResponse(id=f"{truth}-{got}-{service}", service=service, truth=truth, got=got, confidence=confidence)


ROWS = [
    *[row("warning", "warning", name) for name in "abcdef"],
    *[row("error", "error", name) for name in "abcdef"],
    *[row("success", "success", name) for name in "abcdef"],
    row("error", "warning", "a", 0.6),
    row("error", "warning", "b", 0.9),
    row("warning", "error", "c"),
    row("warning", "success", "d"),
    row("success", "error", "e"),
]


def test_the_rates_count_what_they_say():
    score = detector_score("d", ROWS)
    assert (score.n, score.services) == (23, 6)
    assert score.accuracy == 18 / 23
    assert (score.precision, score.recall) == (6 / 8, 6 / 8)
    assert score.f1 == pytest.approx(0.75)
    assert (score.false_warnings.part, score.false_warnings.n) == (2, 8)
    assert (score.unnoticed.part, score.unnoticed.n) == (1, 16)
    assert (score.false_failures.part, score.false_failures.n) == (1, 7)
    assert score.confusion["error"] == {"success": 0, "warning": 2, "error": 6}


def test_the_worst_mistakes_come_first():
    mistakes = [(one.truth, one.got, one.service) for one in detector_score("d", ROWS).mistakes]
    assert mistakes == [
        ("error", "warning", "b"), ("error", "warning", "a"), ("warning", "success", "d"), ("success", "error", "e"), ("warning", "error", "c"),
    ]  # fmt: skip


def test_intervals_resample_services_and_hold_the_score():
    score = detector_score("d", ROWS)
    assert score.f1_interval.low < score.f1 < score.f1_interval.high
    assert score.accuracy_interval.low < score.accuracy < score.accuracy_interval.high
    assert detector_score("d", list(reversed(ROWS))).f1_interval == score.f1_interval


def test_one_service_has_no_interval():
    score = detector_score("d", [row("warning", "warning"), row("error", "warning")])
    assert score.f1_interval is None


def test_a_score_without_warnings_is_undefined():
    score = detector_score("d", [row("error", "error", "a"), row("success", "success", "b")])
    assert (score.f1, score.recall, score.f1_interval) == (None, None, None)


def test_no_responses_are_refused():
    with pytest.raises(BadInput, match="at least one"):
        detector_score("d", [])


def test_a_model_labels_only_the_noticed_failures_that_the_detector_is_unsure_of():
    labels = [row(one.truth, one.truth, one.service) for one in ROWS]
    score = assisted_score(ROWS, labels, 0.95, ("d", "m"))
    assert score.detector == "d, m for 2 below 95%"
    assert score.false_warnings.part == 0
    assert (score.unnoticed.part, score.false_failures.part) == (1, 1), "without a confidence nobody is asked"
    assert assisted_score(ROWS, labels, 0.8, ("d", "m")).false_warnings.part == 1
