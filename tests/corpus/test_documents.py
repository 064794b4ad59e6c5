"""Reading what people write: YAML that could be JSON, and JSON."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.corpus.documents import read_json, read_yaml
from mendbench.errors import BadInput


def yaml_of(tmp_path, text):
    path = tmp_path / "case.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(path, "make it")


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("title: a\nchecks: [1, 2\n", ":3:1: ", "mend the YAML"),
        ("title: a\n  group: b\n", ":2:8: ", "mapping values are not allowed"),
        ("state:\n  since: 2021-05-04\n", ":2:10: ", "a date, '2021-05-04'"),
        ("state:\n  since: 2021-15-44\n", ":2:10: ", "a date"),
        ("country: NO\n", ":1:10: ", "YAML reads NO as false; put it in quotes if it is a text, else write false"),
        ("a: [x, yes]\n", ":1:8: ", "YAML reads yes as true; put it in quotes"),
        ("blob: !!binary aGVsbG8=\n", ":1:7: ", "binary data"),
        ("seen: !!set {a, b}\n", ":1:7: ", "set where JSON has none"),
        ("tickets: {311: open}\n", ":1:11: ", "the key '311' is no text; put it in quotes"),
        ("checks: [1]\ntitle: a\nchecks: [2]\n", ":3:1: ", "the key 'checks' stands twice; keep one of the two"),
        ("a: {b: {c: 1, c: 2}}\n", ":1:15: ", "the key 'c' stands twice"),
        ("a: &loop [1, *loop]\n", ":1:4: ", "a value that holds itself"),
        ("a: !!python/name:os.system x\n", ":1:4: ", "where JSON has none"),
        (b"title: caf\xe9\n", "case.yaml: ", "byte 10 is not UTF-8; save the file as UTF-8"),
        ("a: 1\n---\nb: 2\n", ":2:1: ", "but found another document"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_yaml_file_is_one_line_with_its_line_and_column(tmp_path, text, place, says):
    with pytest.raises(BadInput) as raised:
        yaml_of(tmp_path, text)
    message = str(raised.value)
    assert "\n" not in message
    assert f"case.yaml{place}" in message if place.startswith(":") else place in message
    assert says in message


def test_a_value_named_twice_by_an_alias_is_read_twice(tmp_path):
    assert yaml_of(tmp_path, "a: &one {x: 1}\nb: *one\nc: {<<: *one, y: 2}\n") == {
        "a": {"x": 1},
        "b": {"x": 1},
        "c": {"x": 1, "y": 2},
    }


def test_a_quoted_date_and_a_quoted_number_are_texts(tmp_path):
    assert yaml_of(tmp_path, 'since: "2021-05-04"\n"311": open\n') == {"since": "2021-05-04", "311": "open"}


def test_true_and_a_quoted_word_are_what_they_say(tmp_path):
    assert yaml_of(tmp_path, 'a: true\nb: False\nc: "no"\n') == {"a": True, "b": False, "c": "no"}


def test_a_byte_order_mark_is_no_part_of_the_document(tmp_path):
    assert yaml_of(tmp_path, b"\xef\xbb\xbftitle: a\n") == {"title": "a"}


def test_an_empty_file_is_nothing(tmp_path):
    assert yaml_of(tmp_path, "") is None


@pytest.mark.parametrize("opening", ["[", "a: [", "{a: "])
def test_what_nests_too_deeply_is_reported_without_a_crash(tmp_path, opening):
    closing = "]" if opening.endswith("[") else "}"
    with pytest.raises(BadInput, match=r"nested too deeply|mend the YAML"):
        yaml_of(tmp_path, opening * 3000 + closing * 3000)


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_a_file_that_is_not_there_or_is_a_folder_is_reported(tmp_path, read):
    with pytest.raises(BadInput, match="no such file; make it"):
        read(tmp_path / "absent", "make it")
    with pytest.raises(BadInput, match="a folder, not a file; make it"):
        read(tmp_path, "make it")


def test_broken_json_is_reported_with_line_and_column(tmp_path):
    path = tmp_path / "workflow.json"
    path.write_text('{"nodes": [\n  {"id": "a",}\n]}', encoding="utf-8")
    with pytest.raises(BadInput, match=r"workflow\.json:2:1[24]: .*; mend the JSON there"):
        read_json(path, "make it")


def test_json_that_nests_too_deeply_is_reported_without_a_crash(tmp_path):
    path = tmp_path / "workflow.json"
    path.write_text("[" * 200_000 + "]" * 200_000, encoding="utf-8")
    with pytest.raises(BadInput, match="nested too deeply"):
        read_json(path, "make it")


@given(data=st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_whatever_bytes_stand_there_give_a_value_or_one_line(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    for read in (read_yaml, read_json):
        try:
            read(path, "make it")
        except BadInput as error:
            assert "\n" not in str(error)
            assert str(error).startswith(str(path))
