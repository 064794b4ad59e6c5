"""Published schemas are schemas, and say what the code holds."""

import re

import jsonschema
import pytest
import yaml

from mendbench import api
from mendbench.config.tables import Config
from mendbench.corpus.case_file import CaseFile
from mendbench.errors import UnknownName
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


def test_every_field_of_a_trial_has_a_type_and_one_sentence():
    published = trial_schema()
    objects = [published, *(part for part in published["$defs"].values() if "properties" in part)]
    assert len(objects) > 15
    for properties in (one["properties"] for one in objects):
        for name, field in properties.items():
            assert field.keys() & {"type", "$ref", "anyOf", "enum"}, name
            assert re.fullmatch(r"[A-Z`][^\n]*[.…]", field["description"]), name


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
