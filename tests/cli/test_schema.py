import json

import pytest

from mendbench.api import SCHEMAS


@pytest.mark.parametrize("what", SCHEMAS)
def test_every_schema_is_printed_as_json_and_named_in_the_help(mendbench, what):
    result = mendbench("schema", what)
    assert (result.code, result.err) == (0, "")
    assert "json-schema.org/draft" in json.loads(result.out)["$schema"]
    assert what in mendbench("schema", "--help").out


def test_an_unknown_schema_is_answered_with_the_closest_and_all(mendbench):
    result = mendbench("schema", "workflw")
    assert (result.code, result.out) == (2, "")
    assert (
        result.line == f"schema: unknown schema 'workflw'; did you mean 'workflow'? known: {', '.join(sorted(SCHEMAS))}"
    )
