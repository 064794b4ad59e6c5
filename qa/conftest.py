"""What holds for every test holds here too."""

from tests.conftest import pytest_collection_finish  # noqa: F401
