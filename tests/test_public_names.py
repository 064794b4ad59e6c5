"""``import mendbench``: the names for Python, and what they cost."""

import subprocess
import sys

import pytest

import mendbench
from mendbench import api
from tests.fakes.tables import for_each


@for_each("name", sorted(set(mendbench.__all__) - {"__version__"}))
def test_every_public_name_is_what_the_front_ends_call(name):
    assert getattr(mendbench, name) is getattr(api, name)
    assert name in dir(mendbench)


def test_there_is_no_other_name():
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        mendbench.runn  # noqa: B018


def test_importing_it_imports_nothing_else():
    code = "import sys, mendbench; print([name for name in sys.modules if name.startswith('mendbench.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
