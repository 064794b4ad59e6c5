import pytest

from mendbench.errors import BadInput
from mendbench.io.json_documents import load_json
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.yaml_documents import load_yaml

CONFLICT = "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> theirs\n"


def test_a_conflict_is_reported_with_its_first_line():
    with pytest.raises(BadInput, match=r"^a\.md:2: a merge conflict; resolve it$"):
        refuse_conflict(CONFLICT, "a.md")
    with pytest.raises(BadInput, match=r"^a\.md:11: "):
        refuse_conflict(CONFLICT.replace("\n", "\r\n"), "a.md", first_line=10)


@pytest.mark.parametrize(
    "text", ["", "<<<<<<<< eight\n>>>>>>>> eight\n", "a <<<<<<< b\n>>>>>>> c\n", ">>>>>>> c\n<<<<<<< b\n", "=======\n"]
)
def test_a_rule_of_signs_is_no_conflict(text):
    refuse_conflict(text, "a.md")


def test_a_document_in_conflict_is_reported_as_such_and_not_as_broken():
    with pytest.raises(BadInput, match=r"^a\.yaml:5: a merge conflict; "):
        load_yaml(CONFLICT, "a.yaml", "mend it", first_line=4)
    with pytest.raises(BadInput, match=r"^a\.json:2: a merge conflict; "):
        load_json(CONFLICT, "a.json")
