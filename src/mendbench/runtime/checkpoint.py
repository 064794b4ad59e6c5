"""Checkpoints: which completed nodes need not run again.

A node is reused if its type, its *resolved* parameters and the action of the edge that led to it are what they were. A
changed node upstream therefore reruns, and its dependants rerun only where its outputs changed what they are told. The
edge counts by its action and not by the node it comes from: an edit that puts a new node in front of a completed write
must not repeat the write.

Parameters do not tell what a *read* depends on: the world. A completed node that only read is therefore run again once
this execution has written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mendbench.kit.canonical import digest
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Checkpoint, Completed
from mendbench.model.json import JsonObject


def node_digest(node_type: str, params: JsonObject, action: str) -> str:
    """Return the digest of what a node does.

    ``params`` are resolved; ``action`` is that of the edge taken to it, ``default`` at the start. Over the parameters
    as they are it decides what is reused: redaction tells the spellings of a secret alike, and a token that was sent in
    the wrong one has to be sent again. Over redacted ones it may be shown, for it hangs on no secret's value.
    """
    return digest({"type": node_type, "params": params, "action": action})


def completed_as(
    checkpoint: Checkpoint | None, node_id: str, wanted: str, node_ids: Collection[str]
) -> Completed | None:
    """Return what the checkpoint keeps of a node that would do just what it did, or None.

    A completed node that is no longer in the workflow (``node_ids``) stands for a new one that would do the same: it
    was renamed.
    """
    if checkpoint is None:
        return None
    own = checkpoint.completed.get(node_id)
    if own is not None:
        return own if own.digest == wanted else None
    gone = (done for name, done in checkpoint.completed.items() if name not in node_ids)
    return next((done for done in gone if done.digest == wanted), None)


def readers(traffic: Iterable[Exchange]) -> frozenset[str]:
    """Return the nodes that have asked the world and changed nothing in it."""
    sent: dict[str, bool] = {}
    for exchange in traffic:
        if exchange.node is not None:
            sent[exchange.node] = sent.get(exchange.node, True) and exchange.only_read
    return frozenset(node for node, only_read in sent.items() if only_read)


def continued(
    before: Checkpoint | None,
    completed: Mapping[str, Completed],
    items: Mapping[str, tuple[Completed, ...]],
    failed_node: str | None,
) -> Checkpoint:
    """Return the checkpoint after an execution that did these nodes, and of batch nodes these items.

    What completed earlier and was not reached this time is kept: its effect has happened, and a later edit may lead to
    it again.
    """
    earlier = before or Checkpoint()
    return Checkpoint(
        completed={**earlier.completed, **completed}, items={**earlier.items, **items}, failed_node=failed_node
    )
