"""A quick version of what engines are put through."""

import random

from tests.torture.engines import PROGRAMS, broken, documents
from tests.torture.tally import failures


def test_a_few_odd_documents_each_come_to_a_row(tmp_path):
    assert failures(documents(tmp_path, 4, random.Random(0))) == []


def test_a_few_programs_that_come_to_nothing_are_ended_whole():
    chosen = ("leaves a stranger", "sends what is too deep")
    assert set(chosen) <= set(PROGRAMS)
    assert failures(map(broken, chosen)) == []
