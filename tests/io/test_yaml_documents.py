"""YAML that would overrun the stack, swell or hang is refused in one line."""

import pytest
import yaml

from mendbench.errors import BadInput
from mendbench.io import yaml_documents
from mendbench.io.yaml_documents import load_documents, load_yaml
from qa.torture.damaged_inputs import YAML


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "nested too deeply"), ("{a: " * 100_000, "nested too deeply"), ("- " * 100_000, "nested too deeply"), ("? " * 100_000, "nested too deeply"),
        (YAML[0], "aliases that stand for too much"), (YAML[1], "aliases that stand for too much"), (YAML[2], "aliases that stand for too much"), (YAML[3], "aliases that stand for too much"),
        ("\n".join(["- &a0 [x]", *(f"- &a{n} [*a{n - 1}]" for n in range(1, 900))]), "nested too deeply"),
        ("a: &a [*a]", "holds itself"), ("a: &a {<<: *a}", r"f\.yaml"), ("a: &a {<<: &b {<<: *a}}", "nested too deeply"), ("<<: 1", "a merge key that names no mapping"),
        ("a: 1" + ":1" * 100_000, "f.yaml:1:4: .*a number that is too long"), ("a: .inf", "no number of JSON"), ("a: !!int ''", "is no int"), ("a: !!bool x", "'x' is no bool"), ("a: !!timestamp x", "is no timestamp"),
        ("a: !!python/object/apply:os.system [echo]", "could not determine a constructor"), ("a: \x00", "control characters"), ("a:\n\tb: 1", r"f\.yaml:2:1: a tab; indent with spaces"),
    ],
)  # fmt: skip
def test_what_is_refused_is_one_line_with_its_place(text, says):
    with pytest.raises(BadInput, match=says) as raised:
        load_yaml(text, "f.yaml", "mend it")
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 500


def test_aliases_and_merge_keys_in_measure_are_read():
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3}\nc: {<<: [*b, *a], z: 4}\nd: {<<: *a, x: 0}\ne: *a\n"
    read = load_yaml(text, "f.yaml", "mend it")
    assert (read["c"], read["d"], read["e"]) == ({"x": 1, "y": 3, "z": 4}, {"x": 0, "y": 2}, {"x": 1, "y": 2})


def test_all_documents_of_a_text_are_read_within_the_same_bounds():
    assert load_documents(b"--- &a {x: 1}\n--- [2]\n---\n") == [{"x": 1}, [2], None]
    for text in (b"--- 1\n--- &a [*a]\n", b"--- 1\n--- " + b"[" * 1000):
        with pytest.raises(yaml.YAMLError):
            load_documents(text)


def test_the_line_reported_is_that_of_the_file_the_text_stands_in():
    with pytest.raises(BadInput, match=r"^f\.md:3:"):
        load_yaml("a: 1\nb: [\n", "f.md", "mend it", first_line=1)
    with pytest.raises(BadInput, match=r"^f\.md:4:"):
        load_yaml("a: 1\nb: [\n", "f.md", "mend it", first_line=2)


def test_a_document_of_more_values_than_its_length_is_worth_is_refused(monkeypatch):
    monkeypatch.setattr(yaml_documents, "FREE_NODES", 1000)
    with pytest.raises(BadInput, match=r"f\.yaml:1:1: not YAML \(more than 1500 values\)"):
        load_yaml("[" + "a," * 1999 + "a]", "f.yaml", "mend it")
