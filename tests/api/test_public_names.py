"""The public functions are there under their names, and cost nothing before they are called."""

import subprocess
import sys

from mendbench import api


def test_every_public_name_is_there_and_has_one_home():
    assert sorted(api._HOME) == sorted(api.__all__)
    assert sum(len(names) for names in api._HOMES.values()) == len(api.__all__)
    for name in api.__all__:
        assert getattr(api, name) is not None


def test_one_function_does_not_import_the_others():
    program = "import sys; from mendbench.api import read_run; print([n for n in sys.modules if n.startswith('mendbench.api.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
