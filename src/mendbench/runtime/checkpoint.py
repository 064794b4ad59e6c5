"""Checkpoints: which completed nodes need not run again.

A node is reused if its type, its *resolved* parameters and the action of the edge that led to it are unchanged. A
changed node upstream therefore reruns, and its dependants rerun only if its outputs changed their parameters. Only the
edge's action counts, not its source node: an edit that inserts a node before a completed write must not repeat the
write.

A *read* also depends on the world, which parameters do not show. A completed node that only read therefore runs again
if an earlier node on the path has changed something since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Checkpoint, Completed
from mendbench.model.json import JsonObject


def node_digest(node_type: str, params: JsonObject, action: str) -> str:
    """Return the digest of a node's work.

    ``params`` are resolved; ``action`` is that of the edge taken to it, ``default`` at the start. The digest of the
    unredacted parameters decides about reuse: redaction hides the spelling of a secret, and a token sent in the wrong
    spelling has to be sent again. The digest of redacted parameters may be shown: it depends on no secret's value.
    """
    return digest({"type": node_type, "params": params, "action": action})


def completed_as(
    checkpoint: Checkpoint | None, node_id: str, work_digest: str, node_ids: Collection[str]
) -> tuple[str, Completed] | None:
    """Return the id and the checkpoint entry of a completed node with this work, or None.

    A completed node that is no longer in the workflow (``node_ids``) matches a new one with the same work: it was
    renamed.
    """
    if checkpoint is None:
        return None
    own = checkpoint.completed.get(node_id)
    if own is not None:
        return (node_id, own) if own.digest == work_digest else None
    gone = ((name, done) for name, done in checkpoint.completed.items() if name not in node_ids)
    return next(((name, done) for name, done in gone if done.digest == work_digest), None)


def traces_of(exchanges: Sequence[Exchange], first: int) -> tuple[int | None, bool]:
    """Return where these exchanges last changed the world, and whether they only read.

    ``first`` is the index of the first one in the world's traffic. A model's response does not depend on the world.
    """
    places = [first + index for index, exchange in enumerate(exchanges) if exchange.changed]
    asked = [exchange for exchange in exchanges if not exchange.request.is_model_request]
    return (places[-1] if places else None), bool(asked) and all(exchange.only_read for exchange in asked)


def continued(
    before: Checkpoint | None,
    completed: Mapping[str, Completed],
    items: Mapping[str, tuple[Completed, ...]],
    failed_node: str | None,
) -> Checkpoint:
    """Return the checkpoint after an execution that completed these nodes and these items of batch nodes.

    Earlier completed nodes that this execution did not reach are kept: their effects have happened, and a later edit may
    lead to them again.
    """
    earlier = before or Checkpoint()
    return Checkpoint(
        completed={**earlier.completed, **completed}, items={**earlier.items, **items}, failed_node=failed_node
    )
