"""The keys of many trials, stored compactly: a hundred thousand of them take a megabyte."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import eq
from typing import Any, overload

from mendbench.model.trial import TrialKey
from mendbench.values.interning import NUMBERS, Interned


class TrialKeys(Sequence[TrialKey]):
    """Keys of trials, in order. Those that differ only in the sample are stored as one; a key is made on access."""

    def __init__(self, keys: Iterable[TrialKey] = ()) -> None:
        first = Interned[TrialKey]()
        self._first, self._sample = array(NUMBERS), array(NUMBERS)
        for key in keys:
            self._first.append(first.number(key if key.sample == 0 else replace(key, sample=0)))
            self._sample.append(key.sample)
        self._values = first.values

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._first)

    @overload
    def __getitem__(self, at: int) -> TrialKey: ...
    @overload
    def __getitem__(self, at: slice) -> TrialKeys: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the key at an index, or those of a slice."""
        if isinstance(at, slice):
            return TrialKeys(self[one] for one in range(*at.indices(len(self))))
        return _sampled(self._values[self._first[at]], self._sample[at])

    def __iter__(self) -> Iterator[TrialKey]:
        """Yield the keys one by one, without storing them."""
        values = self._values
        return (_sampled(values[first], sample) for first, sample in zip(self._first, self._sample, strict=True))

    def __eq__(self, other: object) -> bool:
        """Return whether the other sequence has the same keys in the same order."""
        return len(self) == len(other) and all(map(eq, self, other)) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def each_first(self) -> Sequence[TrialKey]:
        """Return one key for each case and treatment, with the first sample."""
        return self._values


def _sampled(key: TrialKey, sample: int) -> TrialKey:
    return replace(key, sample=sample) if sample else key
