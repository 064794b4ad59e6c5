"""What is said of a run that was judged anew."""

from __future__ import annotations

from mendbench.api.rescoring import Rescored
from mendbench.cli.output import say


def say_rescored(anew: Rescored) -> None:
    """Say in one line by what scorer a run is judged now, what that changed, and by what prices its costs are."""
    was = "" if anew.before == anew.scorer else f", and no longer by {anew.before}"
    changed = (
        f"{_counted(anew.verdicts, 'verdict')}, {_counted(anew.outcomes, 'outcome')}, {_counted(anew.labels, 'label')}, "
        f"{_counted(anew.rungs, 'rung')} and {_counted(anew.costs, 'cost')} changed"
    )
    prices = ", ".join(f"{name} ({source})" for name, source in anew.prices.items())
    trials = _counted(len(anew.run.rows), "trial")
    say(
        f"rescored: {trials} by scorer {anew.scorer}{was}: {changed}"
        + (f"; prices of today: {prices}" if prices else "")
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
