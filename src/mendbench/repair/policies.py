"""The named policies. Their detectors are named here and built by whoever runs the trial."""

from __future__ import annotations

from mendbench.errors import UnknownName
from mendbench.model.policy import Policy
from mendbench.model.trial import ITSELF

_POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            name="naive", title="Every failure is an error, and only the limit stops", detector=None, signature=None
        ),
        Policy(name="loop", title="Loop detection alone", detector=None, signature="full"),
        Policy(name="warn", title="Warning detection alone", detector="mend", signature=None),
        Policy(name="two-layer", title="Warning detection and loop detection", detector="mend", signature="full"),
        Policy(
            name="seed",
            title="Both layers as first specified: three patterns, and the first 40 characters of a message",
            detector="minimal",
            signature="prefix40",
        ),
        Policy(
            name="three-strikes",
            title="Pattern detection alone: three errors of one category in a row",
            detector=None,
            signature=None,
            patterns=True,
        ),
        Policy(
            name="all",
            title="Warning detection, loop detection and pattern detection",
            detector="mend",
            signature="full",
            patterns=True,
        ),
    )
}

_ITSELF = Policy(
    name=ITSELF, title="The rules of an engine that repairs by itself", detector=None, signature=None, max_answers=20
)
"""Its engine's configuration says how many answers it gets. No policy of ours, and not among their names."""


def policy(name: str) -> Policy:
    """Return the policy of that name.

    Raises:
        UnknownName: there is none.
    """
    if name == ITSELF:
        return _ITSELF
    if name not in _POLICIES:
        raise UnknownName("policy", name, _POLICIES)
    return _POLICIES[name]


def policy_names() -> tuple[str, ...]:
    """Return the names of all policies, sorted."""
    return tuple(sorted(_POLICIES))
