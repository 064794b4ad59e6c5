"""The named policies. This module names their detectors; the code that runs a trial builds them.

A name may end in ``~`` and a failure signature that replaces the policy's own: ``two-layer~prefix40``. This is a separate
policy, in the keys of its trials and in comparisons of policies.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import get_args

from mendbench.errors import BadInput, UnknownName
from mendbench.model.policy import Policy, SignatureName
from mendbench.model.trial import SELF_REPAIR

SEPARATOR = "~"
"""Separates a policy's name from the signature that replaces its own."""

_SIGNATURES: tuple[SignatureName, ...] = get_args(SignatureName)

FIRST_RESPONSE = "first-answer"
"""The policy of one response."""

CONFIDENCE = 0.95
"""The least confidence of a warning at which ``confident`` and ``ask-first`` stop."""

ATTENDED = "two-layer"
"""The default policy where a person answers warnings."""

UNATTENDED = "ask-first"
"""The default policy of repairs without a person. On the training part, with the strong model, it loses no repair on balance."""

_plain = partial(Policy, detector=None, signature=None)

_POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        _plain(name="naive", title="Every failure is an error, and only the limit stops"),
        _plain(
            name=FIRST_RESPONSE, title="Every failure is an error, and the first response is the last", max_responses=1
        ),
        _plain(name="loop", title="Loop detection alone", signature="full"),
        _plain(name="warn", title="Warning detection alone", detector="structural"),
        _plain(name="two-layer", title="Warning detection and loop detection", detector="structural", signature="full"),
        _plain(
            name="seed",
            title="Both layers as first specified: three patterns, and the first 40 characters of a message",
            detector="minimal",
            signature="prefix40",
        ),
        _plain(
            name="three-strikes",
            title="Pattern detection alone: three errors of one category in a row",
            patterns=True,
        ),
        _plain(
            name="all",
            title="Warning detection, loop detection and pattern detection",
            detector="structural",
            signature="full",
            patterns=True,
        ),
        _plain(
            name="confident",
            title="Warning detection above a confidence, and loop detection",
            detector=f"weighted@{CONFIDENCE}",
            signature="full",
        ),
        _plain(
            name="ask-first",
            title="The model always answers once; then warning detection above a confidence, and loop detection",
            detector=f"weighted@{CONFIDENCE}~later",
            signature="full",
        ),
    )
}

_SELF_REPAIR = _plain(name=SELF_REPAIR, title="The rules of an engine that repairs by itself", max_responses=20)
"""The engine's configuration sets its number of responses. It is not one of our policies and not in their names."""


def policy(name: str) -> Policy:
    """Return the policy of that name, with another signature if the name contains one.

    Raises:
        UnknownName: there is no such policy, or no such signature.
        BadInput: the policy with that signature already has a name: a trial has one key.
    """
    if name == SELF_REPAIR:
        return _SELF_REPAIR
    plain, mark, signature = name.partition(SEPARATOR)
    if plain not in _POLICIES:
        raise UnknownName("policy", plain, _POLICIES)
    own = _POLICIES[plain]
    return _with_signature(own, signature) if mark else own


def is_policy(name: str) -> bool:
    """Return whether there is a policy of that name that is not an engine's own."""
    try:
        return policy(name).name != SELF_REPAIR
    except BadInput:
        return False


def policy_names() -> tuple[str, ...]:
    """Return the names of all policies, sorted."""
    return tuple(sorted(_POLICIES))


def _with_signature(own: Policy, wanted: str) -> Policy:
    signature = next((name for name in _SIGNATURES if name == wanted), None)
    if signature is None:
        raise UnknownName("signature", wanted, _SIGNATURES)
    name, title = f"{own.name}{SEPARATOR}{signature}", f"{own.title}; with the signature {signature}"
    made = replace(own, name=name, title=title, signature=signature)
    for known in _POLICIES.values():
        if made == replace(known, name=name, title=title):
            raise BadInput(f"policy {name}", f"that is {known.name}", f"write {known.name}")
    return made
