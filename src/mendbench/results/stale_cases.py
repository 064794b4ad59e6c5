"""The cases of a run that changed since it was made."""

from __future__ import annotations

from mendbench.corpus.corpus import Corpus
from mendbench.results.store import StoredRun


def changed_since(run: StoredRun, corpus: Corpus) -> tuple[str, ...]:
    """Return the cases of a run that have other content in the corpus now. The rows are read only if the corpus differs."""
    if corpus.digest == run.run["digests"]["corpus"]:
        return ()
    ran = {row["case"]: row["case_digest"] for row in run.rows}
    return tuple(case.id for case in corpus.cases if ran.get(case.id, case.digest) != case.digest)
