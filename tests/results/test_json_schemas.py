"""Published schemas are schemas, and say what the code holds."""

import jsonschema
import pytest
import yaml

from mendbench import api
from mendbench.config.tables import Config
from mendbench.corpus.case_file import CaseFile
from mendbench.errors import UnknownName
from mendbench.repair.policies import policy, policy_names
from mendbench.results.json_schemas import strategy_schema, trial_schema
from mendbench.strategies import strategies


@pytest.mark.parametrize("name", api.SCHEMAS)
def test_every_published_schema_is_a_schema(name):
    found = api.schema(name)
    assert found["$schema"].endswith(("2020-12/schema", "draft-07/schema#"))
    jsonschema.validators.validator_for(found).check_schema(found)
    assert found["type"] == "object"


def test_what_is_published_is_what_is_read():
    published = api.schema("config")
    assert {key: value for key, value in published.items() if key != "$schema"} == Config.model_json_schema()
    assert published["additionalProperties"] is False
    read, case = CaseFile.model_json_schema(), api.schema("case")
    assert (case["required"], case["properties"].keys()) == (read["required"], read["properties"].keys())
    assert case["additionalProperties"] is False


def test_an_unknown_schema_is_reported_with_the_closest():
    with pytest.raises(UnknownName, match="unknown schema 'cases'; did you mean 'case'.*config.*workflow"):
        api.schema("cases")


def test_a_trial_has_as_many_attempts_as_the_longest_policy():
    assert trial_schema()["properties"]["attempts"]["maxItems"] == max(
        policy(name).max_responses for name in policy_names()
    )


def test_the_front_matter_of_every_strategy_fits_its_schema():

    for info in strategies():
        parts = info.path.read_text(encoding="utf-8").split("---", 2)
        jsonschema.validate(yaml.safe_load(parts[1]), strategy_schema())


@pytest.mark.parametrize(
    "change", [{"title": 7}, {"colour": "red"}, {"sections": [{"name": "a", "label": "guess", "keep": 1}]}]
)
def test_other_front_matter_does_not(change):
    good = {"title": "t", "source": "s", "sections": [{"name": "a", "label": "raw", "keep": 1}]}
    jsonschema.validate(good, strategy_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**good, **change}, strategy_schema())
