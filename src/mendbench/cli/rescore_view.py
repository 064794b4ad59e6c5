"""What is said of a run that was judged anew."""

from __future__ import annotations

from mendbench.api.rescoring import Rescored
from mendbench.cli.output import say


def say_rescored(rescored: Rescored) -> None:
    """Say in one line by what scorer a run is judged now, what that changed, and by what prices its costs are."""
    was = "" if rescored.before == rescored.scorer else f", and no longer by {rescored.before}"
    changed = (
        f"{_counted(rescored.verdicts, 'verdict')}, {_counted(rescored.outcomes, 'outcome')}, {_counted(rescored.labels, 'label')}, "
        f"{_counted(rescored.levels, 'progress level')} and {_counted(rescored.costs, 'cost')} changed"
    )
    prices = ", ".join(f"{name} ({source})" for name, source in rescored.prices.items())
    trials = _counted(len(rescored.run.rows), "trial")
    say(
        f"rescored: {trials} by scorer {rescored.scorer}{was}: {changed}"
        + (f"; prices of today: {prices}" if prices else "")
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
