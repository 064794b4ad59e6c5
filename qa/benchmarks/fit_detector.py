"""Fit the weights of the detector ``weighted`` on the development responses, and print what changes.

The weights in ``weights.tsv`` are the prior of a logistic regression (maximum a posteriori, with a Gaussian penalty for the distance from
them). So a signal that is rare keeps the weight that was chosen by hand. The evaluation responses are not read.

    .venv/bin/python qa/benchmarks/fit_detector.py [PENALTY]
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

from mendbench.api.detectors import shipped_responses
from mendbench.corpus.labelled_responses import read_responses
from mendbench.detectors.weighted.observing import finding
from mendbench.detectors.weighted.tables import weights
from mendbench.detectors.weighted.weighing import REPEATED, signals
from tests.detectors.pipeline import rows_of
from tests.detectors.rows import ROWS
from tests.detectors.unseen import UNSEEN

PENALTY = 0.3
FOLDS = 10
SHOWN = 0.05
"""The least change of a weight that is printed."""

Failure = tuple[int, dict[str, Any], Any, str, bool]
"""Status, headers, body, method, and whether an edit could help."""


def failures() -> Iterator[Failure]:
    """Yield the labelled failures: the development responses, and the rows that the detectors' tests have."""
    for response in read_responses(shipped_responses("development")):
        if response.truth != "success":
            yield response.status, dict(response.headers), response.body, response.method, response.truth == "error"
    for row in (*rows_of("holdout.yaml"), *rows_of("holdout2.yaml")):
        if row["node"] == "http" and "fault" not in row and row["label"] != "success":
            yield (
                row.get("status", 200),
                row.get("headers", {}),
                row.get("text", row.get("body")),
                "",
                row["label"] == "error",
            )
    for known in (*ROWS, *UNSEEN):
        seen = known.observation
        if seen.kind in {"http", "envelope"} and known.cls in {"W", "R"}:
            yield seen.status or 200, dict(seen.headers), seen.body, "", known.cls == "R"


def features(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return one row of signals for each noticed failure, and whether an edit could help."""
    at = {name: number for number, name in enumerate(names)}
    rows, edits = [], []
    for status, headers, body, method, edit in failures():
        found = finding(status, body, method)
        if not found.failed:
            continue
        row, sources = np.zeros(len(names)), defaultdict(list)
        for signal, path, words, share in signals(found, status, headers, ""):
            if signal in at:
                sources[signal].append((path, words.lower(), share))
        for signal, own in sources.items():
            first = max(own, key=lambda source: source[2])
            again = any(source[0] != first[0] and source[1] != first[1] for source in own)
            row[at[signal]] = first[2] + (REPEATED if again else 0)
        rows.append(row)
        edits.append(edit)
    return np.array(rows), np.array(edits)


def fitted(rows: np.ndarray, edits: np.ndarray, prior: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights with the least penalised loss."""

    def loss(weight: np.ndarray) -> tuple[float, np.ndarray]:
        odds = rows @ weight
        fit = np.where(edits, np.logaddexp(0, -odds), np.logaddexp(0, odds)).sum()
        slope = rows.T @ (1 / (1 + np.exp(-odds)) - edits)
        return fit + penalty * ((weight - prior) ** 2).sum(), slope + 2 * penalty * (weight - prior)

    found: np.ndarray = minimize(loss, prior, jac=True, method="L-BFGS-B").x
    return found


def main(penalty: float) -> None:
    """Print accuracy before and after, in cross-validation, and every weight that moves."""
    table = weights()
    names = sorted(table)
    prior = np.array([table[name] for name in names])
    rows, edits = features(names)
    weight = fitted(rows, edits, prior, penalty)
    order = np.random.default_rng(0).permutation(len(edits))
    right = 0
    for fold in range(FOLDS):
        test = order[fold::FOLDS]
        rest = np.setdiff1d(order, test)
        right += ((rows[test] @ fitted(rows[rest], edits[rest], prior, penalty) > 0) == edits[test]).sum()
    before, after = (((rows @ one > 0) == edits).mean() for one in (prior, weight))
    print(
        f"{len(edits)} failures noticed; right before {before:.3f}, after {after:.3f}, in cross-validation {right / len(edits):.3f}"
    )
    for name, old, new, count in zip(names, prior, weight, (rows > 0).sum(axis=0), strict=True):
        if abs(old - new) >= SHOWN:
            print(f"{name}\t{old:.1f}\t{new:.1f}\t{count} responses")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else PENALTY)
