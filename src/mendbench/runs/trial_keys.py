"""The keys of many trials, held so that a hundred thousand of them take a megabyte."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import eq
from typing import Any, overload

from mendbench.model.trial import TrialKey
from mendbench.values.interning import NUMBERS, Interned


class TrialKeys(Sequence[TrialKey]):
    """Keys of trials, in their order. Those that differ in the sample alone are kept as one; a key is made when it is asked for."""

    def __init__(self, keys: Iterable[TrialKey] = ()) -> None:
        first = Interned[TrialKey]()
        self._first, self._sample = array(NUMBERS), array(NUMBERS)
        for key in keys:
            self._first.append(first.number(key if key.sample == 0 else replace(key, sample=0)))
            self._sample.append(key.sample)
        self._values = first.values

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._first)

    @overload
    def __getitem__(self, at: int) -> TrialKey: ...
    @overload
    def __getitem__(self, at: slice) -> TrialKeys: ...
    def __getitem__(self, at: Any) -> Any:
        """Return the key at a place, or those of a part."""
        if isinstance(at, slice):
            return TrialKeys(self[one] for one in range(*at.indices(len(self))))
        return _sampled(self._values[self._first[at]], self._sample[at])

    def __iter__(self) -> Iterator[TrialKey]:
        """Yield the keys one by one; none is kept."""
        values = self._values
        return (_sampled(values[first], sample) for first, sample in zip(self._first, self._sample, strict=True))

    def __eq__(self, other: object) -> bool:
        """Return whether the other ones are the same keys in the same order."""
        return len(self) == len(other) and all(map(eq, self, other)) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def each_first(self) -> Sequence[TrialKey]:
        """Return a key of each case and treatment, with the first sample: all that keys differ in but for that."""
        return self._values


def _sampled(key: TrialKey, sample: int) -> TrialKey:
    return replace(key, sample=sample) if sample else key
