"""What the long version draws its attempts from."""

import random
import sys

import pytest

from qa.torture import __main__ as torture
from qa.torture import damaged
from qa.torture.tally import Attempt


@pytest.fixture
def drawn(monkeypatch):
    """Try nothing, and return the seeds that it would have been drawn from."""
    seeds = []

    def attempts(_count, seed):
        seeds.append(seed)
        yield Attempt(kind="a kind", what="nothing")

    monkeypatch.setattr(damaged, "attempts", attempts)
    return seeds


def tried(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["torture", "damaged", *words])
    return torture.main()


def test_a_seed_is_drawn_again_each_time_and_reported(drawn, monkeypatch, capsys):
    chosen = iter((7, 4_000_000_000))
    monkeypatch.setattr(random.SystemRandom, "randrange", lambda _self, _most: next(chosen))
    assert (tried(monkeypatch), tried(monkeypatch)) == (0, 0)
    assert drawn == [7, 4_000_000_000]
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("seed")]
    assert said == ["seed 7", "seed 4000000000"]


def test_a_seed_that_is_given_is_the_one(drawn, monkeypatch, capsys):
    assert tried(monkeypatch, "--seed", "0") == 0
    assert drawn == [0]
    assert "seed 0\n" in capsys.readouterr().out
