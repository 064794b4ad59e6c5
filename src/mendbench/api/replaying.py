"""The replay of a run's trials: those whose inputs are unchanged are taken from earlier runs, the others are executed."""

from __future__ import annotations

from collections.abc import Iterator

from mendbench.api.settings import Progress, RunOptions
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.results.record_index import RunInputs
from mendbench.results.reuse import KnownRows, texts_named
from mendbench.results.row_cache import FoundRow, RowCache
from mendbench.results.store import RunFolder
from mendbench.runs.trial_keys import TrialKeys
from mendbench.runs.trials import run_trials
from mendbench.trial.components import BenchContext
from mendbench.trial.inputs import TrialInputs
from mendbench.trial.row import key_of, trial_key


class Replay:
    """One replay into a run's folder."""

    def __init__(self, context: BenchContext, keys: TrialKeys, folder: RunFolder) -> None:
        """Prepare to run ``keys``. The files that trials depend on are read as they are needed, each once."""
        self._context, self._keys, self._folder = context, keys, folder
        self._inputs = TrialInputs(context)
        self._fingerprints = dict[str, str]()
        self._executed = set[str]()
        self._reused = 0

    def run(self, known: KnownRows | None, options: RunOptions, on_progress: Progress) -> None:
        """Add a row for every trial that the folder does not have yet: a known one, or that of its execution."""
        done, total = self._folder.done(), len(self._keys)
        todo = TrialKeys(key for key in self._keys if trial_key(key) not in done and not self._is_taken(key, known))
        finished = total - len(todo)
        for row, texts in run_trials(self._context, todo, options.workers, options.cluster):
            self._folder.add(row, texts)
            self._note(row)
            self._executed.add(row["key"])
            finished += 1
            on_progress(finished, total, row["key"])

    def inputs(self, made_from: str) -> RunInputs:
        """Return what the finished run was made from. ``made_from`` is the digest of everything that it depends on."""
        rows = self._folder.rows()
        for at, key in enumerate(rows.records().trial_keys()):
            if key not in self._fingerprints:  # kept from an interrupted run
                self._note(rows[at])
        found = tuple(self._fingerprints[key] for key in rows.records().trial_keys())
        return RunInputs(plan=made_from, fingerprints=found, reused=self._reused)

    def store(self, cache: RowCache) -> None:
        """Store the executed trials in the cache. Call it when it is certain that their inputs did not change meanwhile."""
        cache.put(self._executed_rows())

    def _is_taken(self, key: TrialKey, known: KnownRows | None) -> bool:
        """Return whether a trial's row is known; add it to the folder then."""
        fingerprints = self._inputs.fingerprints(key) if known is not None else None
        found = known.get(fingerprints) if known is not None and fingerprints is not None else None
        if found is None:
            return False
        name = trial_key(key)
        self._folder.add_line(name, found.line, found.texts)
        self._fingerprints[name] = found.fingerprint
        self._reused += 1
        return True

    def _note(self, row: TrialRow) -> None:
        self._fingerprints[row["key"]] = self._inputs.fingerprint(key_of(row), row) or ""

    def _executed_rows(self) -> Iterator[FoundRow]:
        rows, texts = self._folder.rows(), self._folder.texts()
        for at, key in enumerate(rows.records().trial_keys()):
            if key in self._executed and (fingerprint := self._fingerprints[key]):
                line = rows.line(at)
                yield FoundRow(
                    fingerprint=fingerprint, line=line, texts={name: texts[name] for name in texts_named(line)}
                )
