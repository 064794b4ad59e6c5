"""The placebo: a context of similar length that describes another workflow's failure.

Its gain over an empty context does not come from information. A strategy has to beat it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mendbench.exchanges.urls import host_of
from mendbench.model.prompt import View
from mendbench.strategies.tokens import estimate

BANK = Path(__file__).parent / "controls" / "placebo.json"
"""The texts that come with mendbench."""

_URL = re.compile(r"[a-z][a-z0-9+.\-]{0,30}://[^\s\"'`<>\\]+", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_][\w\-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class BankText:
    """One text of the bank."""

    text: str
    tokens: int
    """Estimated."""
    hosts: tuple[str, ...]
    """Hosts that it names."""
    words: tuple[str, ...]
    """All words in it that could be a node's id."""


def entry(text: str) -> BankText:
    """Return the entry for a text."""
    return BankText(text=text, tokens=estimate(text), hosts=_hosts(text), words=tuple(sorted(set(_WORD.findall(text)))))


def choose(entries: Sequence[BankText], view: View, wanted_tokens: int) -> str:
    """Return the text nearest to ``wanted_tokens`` among those that name no node and no host of the view's workflow.

    If every entry names one, the one with the fewest is used. An empty bank gives an empty text. Ties go to the alphabetically first text,
    so that the order of the bank does not matter.
    """
    ids, hosts = _node_ids(view), set(_view_hosts(view))

    def rank(candidate: BankText) -> tuple[int, int, str]:
        return (
            len(ids & set(candidate.words)) + len(hosts & set(candidate.hosts)),
            abs(candidate.tokens - wanted_tokens),
            candidate.text,
        )

    return min(entries, key=rank).text if entries else ""


@lru_cache(maxsize=1)
def shipped_entries() -> tuple[BankText, ...]:
    """Return the bank that comes with mendbench."""
    return read_entries(BANK)


def read_entries(path: Path) -> tuple[BankText, ...]:
    """Return the bank in a file. Only the texts are read; the rest is computed again."""
    document = json.loads(path.read_text("utf-8"))
    return tuple(entry(item["text"]) for item in document["entries"])


def _node_ids(view: View) -> set[str]:
    nodes = view.workflow.get("nodes")
    listed = nodes if isinstance(nodes, list) else []
    ids = {str(node["id"]) for node in listed if isinstance(node, dict) and node.get("id")}
    return ids | {record.node_id for record in view.execution.nodes}


def _view_hosts(view: View) -> tuple[str, ...]:
    sent = [failure.request_sent.url for failure in view.failures if failure.request_sent]
    return _hosts("\n".join([json.dumps(view.workflow, ensure_ascii=False), *sent]))


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(sorted({host for url in _URL.findall(text) if (host := host_of(url))}))
