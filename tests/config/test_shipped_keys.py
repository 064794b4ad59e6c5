"""The recorded responses that ship stand under the keys that the shipped matrix asks for: none is orphaned, and none is missing but known ones.

A key is the digest of a whole request, so one changed byte of a prompt fails these tests. What the sample's prompts quote decides which texts
the quick test covers: each shipped template, the frame, and the messages of validator, templates, nodes and edits that its cases lead to.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import pytest

from mendbench.api.plans import plan_of
from mendbench.api.settings import RunOptions, open_context
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import WORLD
from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.model.trial import TrialKey
from mendbench.runs.trials import run_trials
from mendbench.trial.row import whole

OPEN: frozenset[tuple[str, str, str, str]] = frozenset()
"""Requests that have no recorded response yet: case, model, strategy, and how the key begins. Recording one takes it off the list."""

SAMPLE = (
    "aws/dynamodb-wrong-key-name", "control/search-results-look-like-errors",
    "discord/embed-field-too-long", "github/labels-as-string", "graphql/missing-fragment-for-type",
    "http/endpoint-moved-to-new-url", "http/requested-item-already-taken", "http/wrong-body-field-name",
    "http/wrong-field-name-and-enum-value", "jupyter/hardcoded-notebook-does-not-exist", "llm/model-does-not-exist",
    "mcp/git-base-branch-does-not-exist", "mcp/path-outside-allowed-directories", "mcp/required-argument-misnamed",
    "mixed/wrong-field-then-rate-limit", "sheets/record-name-instead-of-tab-title", "shell/git-repository-does-not-exist",
    "shell/pipe-hides-git-error", "slack/block-text-is-empty", "stripe/amount-not-in-cents", "stripe/card-was-declined",
    "template/display-name-field-does-not-exist", "template/negative-index-not-supported",
    "template/path-omits-level-in-json-string", "transient/429-retry-after-date", "workflow/uri-instead-of-url-in-batch",
)  # fmt: skip
"""Cases whose prompts quote, between them, nearly every message that any prompt of the corpus quotes."""

LONGEST = frozenset({"naive", "first-answer"})
"""Policies that stop last: every other one asks for a part of the same. ``first-answer`` stands alone in its sweep."""


@dataclass(frozen=True)
class Asked:
    """What trials asked for: recorded keys by case, requests that have no recording, and what else kept a trial from its verdict."""

    keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    missing: set[tuple[str, str, str, str]] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def loaded():
    return load_config(shipped_root())


@pytest.fixture(scope="module")
def context(loaded):
    return open_context(loaded, RunOptions(all=True))


@pytest.fixture(scope="module")
def trials(loaded, context):
    return plan_of(loaded.config, RunOptions(all=True), context.corpus).keys


def asked_by(context, keys: Collection[TrialKey], workers: int) -> Asked:
    """Replay these trials and return what they asked for."""
    asked = Asked()
    for row, texts in run_trials(context, keys, workers):
        asked.keys[row["case"]].update(str(whole(row["used"], texts)).split())
        problem = whole(row["problem"], texts)
        if problem is None:
            continue
        request = re.fullmatch(r"the model request (\w+) to model .*", str((problem["detail"] or {}).get("request")))
        if request:
            asked.missing.add((row["case"], row["model"], row["strategy"], request[1]))
        else:
            asked.broken.add(f"{row['key']}: {problem['message']}")
    return asked


def unrequested_writes(context, asked: Asked, cases: Iterable[str]) -> dict[str, set[str]]:
    """Return the recorded keys that nothing asked for, by file: of all models, and of what their edits led to in the world."""
    found = {}
    for case in cases:
        for path in context.corpus.cassettes(context.corpus.case(case)).glob("*.yaml"):
            left = cassette.keys(path) - asked.keys[case] if path.name != WORLD else set()
            if left:
                found[f"{case}/{path.name}"] = left
    return found


def test_the_sample_has_every_family_strategy_model_and_policy_of_the_matrix(trials):
    def kinds(keys):
        return {
            *((key.strategy, key.model) for key in keys), *(key.policy for key in keys),
            *(key.case.partition("/")[0] for key in keys),
        }  # fmt: skip

    assert kinds(trials) == kinds([key for key in trials if key.case in SAMPLE])


def test_every_recorded_key_of_the_sample_is_asked_for_and_no_other(context, trials):
    keys = [key for key in trials if key.case in SAMPLE and key.model and key.policy in LONGEST]
    asked = asked_by(context, keys, workers=1)
    assert asked.broken == set()
    assert asked.missing == {one for one in OPEN if one[0] in SAMPLE}
    assert unrequested_writes(context, asked, SAMPLE) == {}


@pytest.mark.slow
def test_every_recorded_key_is_asked_for_by_the_shipped_matrix_and_no_other(context, trials):
    asked = asked_by(context, trials, workers=0)
    assert asked.broken == set()
    assert asked.missing == OPEN
    assert unrequested_writes(context, asked, [case.id for case in context.corpus.cases]) == {}
