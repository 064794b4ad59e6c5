"""Texts on which a pattern that can be read in many ways would take hours: each is looked through in a moment, or this module hangs."""

import pytest

from mendbench.secrets.encodings import respelled
from mendbench.secrets.undeclared import sanitise

UNENDING = 'Error: {"detail": "' + "line one\\n" * 300 + '<html>"}'


@pytest.mark.parametrize(
    "text", [UNENDING, UNENDING.replace("detail", "password"), r'"password": "' + r"\\\"" * 300 + "<"]
)
def test_a_quoted_value_that_does_not_end_is_read_once(text):
    assert len(sanitise(text)) <= len(text)


@pytest.mark.parametrize(
    "fragment",
    ["name=", 'name="a"\n', "name=a\n\n", "\n", "a://b:", "jdbc:oracle:a:", "jdbc:oracle:a:b/", "/-ua", "sk-", "rk-a", "eyJaaaaa-", "a=\\'", "\\"],
)  # fmt: skip
def test_what_begins_again_and_again_is_looked_through_once(fragment):
    hostile = "@=: " + fragment * (100_000 // len(fragment)) + "\n--</"
    assert "redacted" not in str(sanitise(hostile))


@pytest.mark.parametrize("attribute", [' name="a"', ' name="a" value="'])
def test_an_element_with_many_names_is_looked_through_once(attribute):
    hostile = f"<a{attribute * 20_000}>"
    assert sanitise(hostile) == hostile


@pytest.mark.parametrize("escape", ["\\", "\\r", "\\u00", "\\x"])
def test_a_long_run_of_backslashes_is_respelled_in_one_pass(escape):
    assert respelled(escape + "\\" * 200_000)


def test_an_entity_of_more_digits_than_a_number_has_stays():
    assert respelled("&amp;&#" + "9" * 5000 + ";") == ("&&#" + "9" * 5000 + ";",)
