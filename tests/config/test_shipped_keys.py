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
from mendbench.cassettes.recordings import WORLD, model_file
from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.model.trial import TrialKey
from mendbench.runs.trials import run_trials
from mendbench.trial.long_texts import whole

OPEN: frozenset[tuple[str, str, str, str]] = frozenset()
"""Requests that have no recorded response yet: case, model, strategy, and how the key begins. Recording one takes it off the list."""

SAMPLE = {
    "qwen2.5-coder-0.5b-instruct-q4_k_m.yaml": (
        "aws/dynamodb-wrong-key-name", "control/search-results-look-like-errors", "http/endpoint-moved-to-new-url",
        "http/requested-item-already-taken", "jupyter/hardcoded-notebook-does-not-exist",
        "mcp/git-base-branch-does-not-exist", "sheets/record-name-instead-of-tab-title",
        "shell/pipe-hides-git-error", "stripe/amount-not-in-cents", "template/path-omits-level-in-json-string",
        "workflow/uri-instead-of-url-in-batch",
    ),
    "qwen2.5-coder-1.5b-instruct-q4_k_m.yaml": (
        "aws/dynamodb-wrong-key-name", "github/labels-as-string", "http/wrong-body-field-name",
        "jupyter/hardcoded-notebook-does-not-exist", "mcp/required-argument-misnamed",
        "mixed/wrong-field-then-rate-limit", "shell/git-repository-does-not-exist", "slack/block-text-is-empty",
        "stripe/card-was-declined", "template/negative-index-not-supported",
    ),
    "claude-2026-11-batched.yaml": (
        "discord/embed-field-too-long", "http/endpoint-moved-to-new-url", "http/requested-item-already-taken",
        "http/wrong-body-field-name", "llm/model-does-not-exist", "mcp/git-base-branch-does-not-exist",
        "mcp/path-outside-allowed-directories", "transient/429-retry-after-date",
        "workflow/uri-instead-of-url-in-batch",
    ),
    "claude-2026-11-28-batched.yaml": (
        "mixed/close-state-then-bot-not-invited", "stripe/monthly-instead-of-month",
        "stripe/refund-reason-of-order-system",
    ),
    "claude-2026-11-single.yaml": (
        "graphql/missing-fragment-for-type", "stripe/amount-not-in-cents",
    ),
    "smollm2-135m-instruct-q4_1.yaml": (
        "http/wrong-field-name-and-enum-value",
    ),
}  # fmt: skip
"""By file of recordings, cases whose prompts contain, between them, every line of a template and the messages that most prompts quote."""

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


def file_of(context, key: TrialKey) -> str:
    """Return the name of the file with the responses to a trial's prompts."""
    return model_file(context.model(key.model).served_as or key.model)


def never_asked(context, asked: Asked, files: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the recorded keys that nothing asked for, by case and file."""
    left = {
        f"{case}/{name}": cassette.keys(context.corpus.cassettes(context.corpus.case(case)) / name) - asked.keys[case]
        for case, name in files
    }
    return {place: keys for place, keys in left.items() if keys}


def test_the_sample_has_every_family_strategy_model_and_policy_of_the_matrix(context, trials):
    def kinds(keys):
        return {
            *((key.strategy, key.model) for key in keys), *(key.policy for key in keys),
            *(key.case.partition("/")[0] for key in keys),
        }  # fmt: skip

    asking = [key for key in trials if key.model]
    assert kinds(asking) == kinds([key for key in asking if key.case in SAMPLE.get(file_of(context, key), ())])


def test_every_recorded_key_of_the_sample_is_asked_for_and_no_other(context, trials):
    files = {(case, name) for name, cases in SAMPLE.items() for case in cases}
    keys = [key for key in trials if key.model and key.policy in LONGEST and (key.case, file_of(context, key)) in files]
    asked = asked_by(context, keys, workers=1)
    assert asked.broken == set()
    assert asked.missing == {one for one in OPEN if (one[0], model_file(one[1])) in files}
    assert never_asked(context, asked, files) == {}


@pytest.mark.slow
def test_every_recorded_key_is_asked_for_by_the_shipped_matrix_and_no_other(context, trials):
    asked = asked_by(context, trials, workers=0)
    recorded = {
        (case.id, path.name)
        for case in context.corpus.cases
        for path in context.corpus.cassettes(case).glob("*.yaml")
        if path.name != WORLD
    }
    assert asked.broken == set()
    assert asked.missing == OPEN
    assert never_asked(context, asked, recorded) == {}
