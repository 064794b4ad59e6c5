import json

import pytest

from mendbench.api import SCHEMAS


@pytest.mark.parametrize("what", SCHEMAS)
def test_every_schema_is_printed_as_json_and_named_in_the_help(mendbench, what):
    said = mendbench("schema", what)
    assert (said.code, said.err) == (0, "")
    assert "json-schema.org/draft" in json.loads(said.out)["$schema"]
    assert what in mendbench("schema", "--help").out


def test_an_unknown_schema_is_answered_with_the_closest_and_all(mendbench):
    said = mendbench("schema", "workflw")
    assert (said.code, said.out) == (2, "")
    assert (
        said.line == f"schema: unknown schema 'workflw'; did you mean 'workflow'? known: {', '.join(sorted(SCHEMAS))}"
    )
