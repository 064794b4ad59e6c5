from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from mendbench.api.trying import EarlierTries, Standing, TryBudget, TrySpent, _Try, read_budget
from mendbench.errors import BadInput


def standing(**changes):
    values = {
        "strategy": "mine", "against": "summary", "model": "m", "budget": TryBudget(unit="prompts", amount=9), "pairs": (), "groups": 4,
        "spent": TrySpent(), "earlier": EarlierTries(), "estimate": None, **changes,
    }  # fmt: skip
    return Standing(**values)


def after(error):
    def run(_key):
        raise error

    bench = SimpleNamespace(
        key=lambda case, **_: case, run=run, context=SimpleNamespace(private_recordings=lambda _key: None)
    )
    own = _Try(bench=bench, strategy="mine", against="summary", model="m", now=lambda: 0.0)
    return own.after(standing(), SimpleNamespace(id="shell/case"))


def test_a_case_whose_world_cannot_be_recorded_is_skipped():
    found = after(BadInput("shell://sandbox/", "a shell command, and none may run", "record with --allow-shell"))
    assert found.pairs == ()
    assert found.skipped[0][0] == "shell/case"
    assert "--allow-shell" in found.skipped[0][1]


def test_a_model_that_does_not_answer_ends_the_try():
    with pytest.raises(BadInput, match="nothing listens"):
        after(BadInput("models.m", "nothing listens", "start the server"))


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("5min", "seconds", 300),
        ("1.5 h", "seconds", 5400),
        ("30s", "seconds", 30),
        ("2usd", "usd", 2),
        ("$2", "usd", None),
        ("200prompts", "prompts", 200),
        ("1 prompt", "prompts", 1),
    ],
)
def test_a_budget_has_an_amount_and_a_unit(text, unit, amount):
    with nullcontext() if amount is not None else pytest.raises(BadInput):
        assert read_budget(text) == TryBudget(unit=unit, amount=amount)
