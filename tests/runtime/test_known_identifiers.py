import pytest

from mendbench.runtime.known_identifiers import other_identifier

CHANNELS = {"list": {"response": {"channels": [{"id": "C024", "name": "general"}, {"id": "C025", "name": "random"}]}}}


@pytest.mark.parametrize(
    "params",
    [
        {"body": {"channel": "general"}},
        {"body": {"channel": "#General"}},
        {"url": "https://api.example/channels/general/history"},
        {"url": "https://api.example/history?channel=general"},
        {"arguments": {"channels": ["general"]}},
        {"params": {"channels": "other,general"}},
    ],
)
def test_the_identifier_of_a_named_record_is_found(params):
    assert other_identifier(params, CHANNELS) == "id=C024"


def test_the_record_itself_decides_and_not_a_reference_to_it():
    orders = {"orders": [{"id": 4, "customer_name": "general"}]}
    assert other_identifier({"body": {"channel": "general"}}, orders) is None


@pytest.mark.parametrize(
    ("params", "data"),
    [
        ({"body": {"channel": "C024", "name": "general"}}, CHANNELS),
        ({"body": {"channel": "lost"}}, CHANNELS),
        ({"body": {"channel": "general"}}, {}),
        ({}, CHANNELS),
        ({"body": {"channel": "g"}}, {"x": {"id": 1, "name": "g"}}),
    ],
)
def test_without_another_identifier_there_is_none(params, data):
    found = other_identifier(params, data)
    assert found is None


def test_deep_data_is_searched_within_limits():
    deep = {"id": 1, "name": "general"}
    for _ in range(200):
        deep = {"inner": deep}
    assert other_identifier({"body": "general"}, deep) is None
