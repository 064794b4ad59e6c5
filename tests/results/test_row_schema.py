"""The check of a line of trials.jsonl: it refuses what the published schema refuses."""

from typing import get_args, get_origin, is_typeddict

import jsonschema
import pytest

from mendbench.model.field_types import field_types
from mendbench.model.trial_row import TrialRow
from mendbench.results.json_schemas import trial_schema
from mendbench.results.row_schema import TRIAL, row_shape
from mendbench.values.schema import misfit
from tests.fakes.judged import mixed_run
from tests.fakes.runs import key_of, repairable, repaired, row_of

PUBLISHED = trial_schema()
ODD = (None, "odd", -1, 1.5, True, [], {}, ["odd"])


def objects(kind, value):
    """Yield each object in a value that has a definition, with that definition; of a list or mapping, those of the first item."""
    if is_typeddict(kind) and value is not None:
        yield kind, value
        for name, field in field_types(kind).items():
            yield from objects(field.kind, value.get(name))
    elif value and get_origin(kind) in {list, dict}:
        yield from objects(get_args(kind)[-1], next(iter(value.values() if isinstance(value, dict) else value)))


def published(kind):
    """Return the published schema of a definition."""
    own = PUBLISHED if kind is TrialRow else {"$ref": f"#/$defs/{kind.__name__}", "$defs": PUBLISHED["$defs"]}
    return jsonschema.Draft202012Validator(own)


def test_an_object_is_refused_exactly_if_its_published_schema_refuses_it():
    seen = dict(objects(TrialRow, row_of(repairable(), repaired(context="user.name"), key_of(repairable()))[0]))
    refused = 0
    for kind, value in seen.items():
        schema, shape = published(kind), row_shape(kind)
        flat = {name: [] if isinstance(item, list) else item for name, item in value.items()}
        for name in flat:
            without = {other: item for other, item in flat.items() if other != name}
            for odd in (without, *({**flat, name: odd} for odd in ODD)):
                valid = schema.is_valid(odd)
                assert (misfit(odd, shape) is None) == valid, (kind, name)
                refused += not valid
    assert len(seen) > 10
    assert refused > 500


def test_every_kind_of_trial_fits():
    for row in mixed_run().rows:
        assert misfit(row, TRIAL) is None
        published(TrialRow).validate(row)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), 4, "format: 4, where 6 is due"),
        (("kind",), "x", "kind: 'x', where one of control, mixed, needs_user, repairable, transient is due"),
        (("first", "nodes", 0, "ms"), -1, "first.nodes[0].ms: -1, which is below 0"),
        (("evidence", "exchanges"), ["k"], "evidence.exchanges[0]: 'k', where REQUEST:RESPONSE is due"),
        (("title",), {"text": "d"}, "title.$text: missing"),
    ],
)
def test_a_message_has_the_path_and_what_is_due(path, value, said):
    row = row_of(repairable(), repaired(), key_of(repairable()))[0]
    *holders, last = path
    holder = row
    for name in holders:
        holder = holder[name]
    holder[last] = value
    assert misfit(row, TRIAL) == said
