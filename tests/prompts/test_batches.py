"""Which prompts were answered together."""

import json

import pytest

from mendbench.errors import BadInput
from mendbench.prompts.batches import read_batches


def written(folder, document):
    path = folder / "batches.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def test_each_prompt_has_its_batch_its_position_from_1_and_how_many_there_are(tmp_path):
    path = written(tmp_path, [{"batch": "q", "ids": ["a", "b"], "strategy": "none"}, {"batch": "r", "ids": ["c"]}])
    found = read_batches(path)
    assert {name: (one.name, one.position, one.size) for name, one in found.items()} == {
        "a": ("q", 1, 2), "b": ("q", 2, 2), "c": ("r", 1, 1)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ("[", "batches.json: Invalid JSON"),
        ({"batch": "q"}, "batches.json: Input should be a valid array"),
        ([{"batch": "q", "ids": []}], "batches.json: 0.ids: List should have at least 1 item"),
        ([{"batch": "q", "ids": ["a"]}, {"batch": "r", "ids": ["a"]}], "a is in batch q and in r; name it once"),
    ],
)
def test_what_is_no_list_of_batches_is_refused_in_one_line(tmp_path, document, line):
    with pytest.raises(BadInput) as refused:
        read_batches(written(tmp_path, document))
    assert line in str(refused.value)
