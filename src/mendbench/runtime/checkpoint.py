"""Checkpoints: which completed nodes need not run again.

A node is reused if its type, its *resolved* parameters and the action of the edge that led to it are what they were. A
changed node upstream therefore reruns, and its dependants rerun only where its outputs changed what they are told. The
edge counts by its action and not by the node it comes from: an edit that puts a new node in front of a completed write
must not repeat the write.

Parameters do not tell what a *read* depends on: the world. A completed node that only read is therefore run again if a
node before it on the way has changed something since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mendbench.io.canonical_json import digest
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
) -> tuple[str, Completed] | None:
    """Return what the checkpoint keeps of a node that would do just what it did, and under which id, or None.

    A completed node that is no longer in the workflow (``node_ids``) stands for a new one that would do the same: it
    was renamed.
    """
    if checkpoint is None:
        return None
    own = checkpoint.completed.get(node_id)
    if own is not None:
        return (node_id, own) if own.digest == wanted else None
    gone = ((name, done) for name, done in checkpoint.completed.items() if name not in node_ids)
    return next(((name, done) for name, done in gone if done.digest == wanted), None)


def items_done(
    checkpoint: Checkpoint | None, node_id: str, node_ids: Collection[str]
) -> dict[str, tuple[Completed, ...]]:
    """Return the items that a batch node has done, by the id that it had then: its own, and those of nodes that are gone."""
    known = checkpoint.items if checkpoint is not None else {}
    return {name: done for name, done in known.items() if name == node_id or name not in node_ids}


def traces_of(exchanges: Sequence[Exchange], first: int) -> tuple[int | None, bool]:
    """Return where these exchanges last changed the world, and whether they only read.

    ``first`` is the place of the first one in the world's traffic. What a model says hangs on no world.
    """
    places = [first + index for index, one in enumerate(exchanges) if one.changed]
    asked = [one for one in exchanges if not one.request.is_model_request]
    return (places[-1] if places else None), bool(asked) and all(one.only_read for one in asked)


def continued(
    before: Checkpoint | None,
    completed: Mapping[str, Completed],
    items: Mapping[str, tuple[Completed, ...]],
    failed_node: str | None,
) -> Checkpoint:
    """Return the checkpoint after an execution that did these nodes, and after which batch nodes have these items done.

    What completed earlier and was not reached this time is kept: its effect has happened, and a later edit may lead to
    it again.
    """
    earlier = before or Checkpoint()
    return Checkpoint(
        completed={**earlier.completed, **completed}, items={**earlier.items, **items}, failed_node=failed_node
    )
