import pytest

from mendbench.detectors import detector, first_of
from mendbench.errors import BadInput, UnknownName
from mendbench.model.execution import Observation
from tests.fakes.tables import for_each

UNSURE = Observation(
    kind="http", message="HTTP 404", node_id="call", node_type="http", status=404, body={"message": "Invalid id"}
)
SURE = Observation(
    kind="http", message="HTTP 401", node_id="call", node_type="http", status=401, body={"message": "Bad credentials"}
)


def test_a_warning_below_the_threshold_is_an_error():
    unsure = Observation(kind="http", message="HTTP 410", node_id="call", node_type="http", status=410)
    assert detector("weighted").judge(unsure).state == "warning"
    assert detector("weighted@0.99").judge(unsure).state == "error"
    assert detector("weighted@0.99").judge(unsure).message == "HTTP 410"


def test_a_sure_warning_stays_one():
    assert detector("weighted@0.9").judge(SURE).state == "warning"


def test_a_detector_without_confidence_ignores_the_threshold():
    assert detector("structural@0.99").judge(SURE).state == "warning"


def test_the_name_keeps_the_options():
    assert detector("weighted@0.9~later").name == "weighted@0.9~later"


def test_a_later_detector_is_absent_from_the_first_execution():
    assert first_of(detector("weighted~later")) is None
    assert first_of(detector("weighted")) is detector("weighted")


def test_options_keep_what_a_detector_observes():
    assert detector("weighted@0.9").failure_in(200, {"errcode": 40001, "errmsg": "invalid credential"}, "")
    assert not hasattr(detector("structural@0.9"), "failure_in")


@for_each("threshold", ["", "x", "0.2", "1.5", "nan"])
def test_a_wrong_threshold_is_refused(threshold):
    with pytest.raises(BadInput, match=r"write a confidence from 0\.5 to 1"):
        detector(f"weighted@{threshold}")


def test_an_unknown_detector_with_options_is_unknown():
    with pytest.raises(UnknownName, match="weighted"):
        detector("weigthed@0.9")
