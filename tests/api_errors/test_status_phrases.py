from http import HTTPStatus

from mendbench.api_errors.status_phrases import PHRASES

RENAMED = {413, 414, 416, 422}


def test_every_status_that_python_knows_has_its_name_but_for_those_that_python_renamed():
    assert {status: PHRASES[status] for status in PHRASES if status not in RENAMED} == {
        status.value: status.phrase for status in HTTPStatus if status in PHRASES and status not in RENAMED
    }
    assert PHRASES.keys() <= {status.value for status in HTTPStatus}


def test_the_renamed_ones_keep_the_names_that_recorded_prompts_have():
    assert [PHRASES[status] for status in sorted(RENAMED)] == [
        "Request Entity Too Large", "Request-URI Too Long", "Requested Range Not Satisfiable", "Unprocessable Entity",
    ]  # fmt: skip
