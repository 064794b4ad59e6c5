"""The invented corpus, built once and copied for each test that wants it."""

import pytest

from tests.fakes import cases


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return the folder of the invented corpus with all its recordings. Nobody may change it."""
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def root(built, tmp_path):
    """Return a copy of the corpus, to be changed."""
    return cases.copy_of(built, tmp_path / "corpus")
