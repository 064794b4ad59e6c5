"""A flame graph of a replay: where its CPU time goes, as one SVG that needs no script.

    python qa/benchmarks/flame.py [--out reports/flame.svg] [--label TEXT] -- run 'github/*' --workers 1 --out reports/profiled

Every five milliseconds of CPU time the stack of the main thread is looked at. A box is a function, as wide as the share of looks that
found it on the stack; what it called stands on it; its title has the share. Functions below a third of a per cent are left out.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from xml.sax.saxutils import escape

INTERVAL_S = 0.005
WIDTH, ROW, LEFT_OUT, LETTER, FEWEST = 1600, 17, 1 / 300, 6.3, 3
"""Pixels of the picture, of a function's height, least share that is drawn, pixels of a letter, and letters of the shortest name."""

COLOURS = {"mendbench": "#e8a33d", "yaml": "#7fb069", "jinja2": "#9b8bd0", "re": "#d77a7a", "importlib": "#8aa4b8"}
"""By package; all others are grey."""

Stack = tuple[str, ...]


def looks(words: list[str]) -> Counter[Stack]:
    """Run mendbench's command line in this process and return how often each stack was seen, outermost function first.

    Raises:
        SystemExit: the command failed.
    """
    from mendbench.cli.main import main

    seen: Counter[Stack] = Counter()

    def look(_number: int, frame: FrameType | None) -> None:
        seen[tuple(reversed(list(_names(frame))))] += 1

    sys.argv = ["mendbench", *words]
    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
    try:
        main()
    except SystemExit as left:
        if left.code:
            raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return seen


def _names(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "?"))
        yield f"{module}.{frame.f_code.co_qualname}"
        frame = frame.f_back


def drawn(seen: Counter[Stack], label: str) -> str:
    """Return the picture of these looks."""
    whole = seen.total()
    boxes = list(_boxes(seen, whole, (), 0))
    height = (max(depth for _, depth, _, _ in boxes) + 3) * ROW
    shown = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="10.5" role="img">',
        f"<title>{escape(label)}</title>",
        f'<text x="4" y="12">{escape(label)} ({whole * INTERVAL_S:.1f} s of CPU)</text>',
    ]
    for name, depth, begins, count in boxes:
        x, y, width = WIDTH * begins / whole, height - (depth + 1) * ROW, WIDTH * count / whole
        colour = COLOURS.get(name.partition(".")[0], "#c9c9c9")
        label = escape(name.removeprefix("mendbench."))
        room = int((width - 4) / LETTER)
        text = (
            f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(name.removeprefix("mendbench.")[:room])}</text>'
            if room >= FEWEST
            else ""
        )
        box = f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="{colour}"/>'
        shown.append(f"<g><title>{label}: {count / whole:.1%}</title>{box}{text}</g>")
    return "\n".join([*shown, "</svg>", ""])


def _boxes(seen: Counter[Stack], whole: int, below: Stack, begins: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, depth, first look and number of looks of everything on ``below``."""
    on_it: dict[str, Counter[Stack]] = {}
    for stack, count in seen.items():
        if len(stack) > len(below):
            on_it.setdefault(stack[len(below)], Counter())[stack] += count
    for name, stacks in sorted(on_it.items()):
        count = stacks.total()
        if count >= whole * LEFT_OUT:
            yield name, len(below), begins, count
            yield from _boxes(stacks, whole, (*below, name), begins)
        begins += count


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("reports/flame.svg"))
    parser.add_argument("--label", default="mendbench")
    parser.add_argument("words", nargs="+")
    given = parser.parse_args()
    seen = looks(given.words)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(drawn(seen, given.label), encoding="utf-8")


if __name__ == "__main__":
    main()
