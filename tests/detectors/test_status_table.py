from mendbench.detectors import detector
from mendbench.model.execution import Observation
from tests.fakes.tables import for_each


@for_each(
    ("status", "state"), [(200, "success"), (400, "error"), (401, "warning"), (404, "warning"), (422, "error"), (429, "warning"), (501, "error"), (503, "warning"), (None, "error")]
)  # fmt: skip
def test_the_status_alone_decides(status, state):
    observation = Observation(
        kind="http", message="m", node_id="n", node_type="http", status=status, body={"error": "x"}
    )
    assert detector("status-table").judge(observation).state == state
