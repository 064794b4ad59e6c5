"""Other spellings of a name."""

from mendbench.generating.spellings import misspellings

FIRST = {
    "created_at": "createdAt",
    "createdAt": "created_at",
    "id": "identifier",
    "customer_id": "customerId",
    "labels": "label",
    "box": "boxs",
}


def test_the_most_plausible_misspelling_comes_first():
    assert {name: next(misspellings(name)) for name in FIRST} == FIRST


def test_no_spelling_is_yielded_twice_and_none_is_the_name_itself():
    for name in (*FIRST, "text", "user_email", "a"):
        found = list(misspellings(name))
        assert len(found) == len(set(found))
        assert name not in found
