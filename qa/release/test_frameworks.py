from importlib.util import find_spec

import pytest

from mendbench.strategies import strategy
from qa.release.frameworks import ERRORS, PACKAGES, compared, view_of

MODULES = {
    "instructor": "instructor",
    "langchain": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_a_strategy_says_what_its_framework_says(name):
    if find_spec(MODULES[name]) is None:
        pytest.skip(f"{', '.join(PACKAGES[name])} is not installed: pip install --group frameworks")
    assert compared(name) is None


def test_a_framework_that_says_something_else_is_reported(tmp_path):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\ncat > /dev/null; echo \'["Sorry.", "Sorry.", "Sorry."]\'\n', "utf-8")
    python.chmod(0o755)
    ours = strategy("instructor").render(view_of(ERRORS[0]), 100_000).text
    assert compared("instructor", python) == f"{ours!r} is not 'Sorry.'"
    python.write_text("#!/bin/sh\necho no such module >&2; exit 1\n", "utf-8")
    assert compared("instructor", python) == "no such module"
