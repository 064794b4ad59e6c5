"""Texts on which a pattern that can be read in many ways would take hours: each is looked through in a moment, or this module hangs."""

import pytest

from mendbench.kit.sensitive import sanitise

UNENDING = 'Error: {"detail": "' + "line one\\n" * 300 + '<html>"}'


@pytest.mark.parametrize("text", [UNENDING, UNENDING.replace("detail", "password"), r'"password": "' + r"\\\"" * 300 + "<"])
def test_a_quoted_value_that_does_not_end_is_read_once(text):
    assert len(sanitise(text)) <= len(text)
