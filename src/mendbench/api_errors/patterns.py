"""The error pattern detector: stops when three errors in a row are of one kind.

It uses only the category of an error, which the first matching substring decides. It ignores the failed function, its arguments and the
rest of the text. So it has false matches (``aggregate`` contains ``agg``, and counts as plotting), and treats any three unknown errors as
the same. This follows the specification, and is what is measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

HISTORY = 10
"""How many errors are kept."""

SIMILAR_TO_STOP = 2
"""How many repeated errors cause a stop. The first of a kind counts 0, so this is the third in a row."""

SHOWN = 3
"""How many of the last errors the general suggestion lists."""

GENERIC = "generic_error"
"""The category of an unrecognised error."""

Topic: TypeAlias = Literal["fonts", "modules", "permissions", "resources", "plotting", "file I/O", "network"]

Unrecognised: TypeAlias = Literal["counts", "resets"]
"""counts: unrecognised errors are of one kind, :data:`GENERIC`. resets: they have no category and reset the count."""

SUBSTRINGS: tuple[tuple[str, Topic, tuple[str, ...]], ...] = (
    ("font_error", "fonts", ("font", "findfont")),
    ("module_error", "modules", ("no module named", "modulenotfounderror")),
    ("permission_error", "permissions", ("permission denied", "access denied")),
    ("resource_error", "resources", ("out of memory", "disk full", "cannot allocate memory")),
    ("plotting_error", "plotting", ("backend", "display", "cairo", "agg", "figure", "window")),
    ("file_io_error", "file I/O", ("cannot write", "file locked", "read-only")),
)
"""Categories by substrings of the lower-cased text. The first match wins, before all system patterns."""

_PATTERNS: tuple[tuple[Topic, tuple[str, ...]], ...] = (
    ("fonts", (r"findfont:.*font family.*not found", r"cannot find font", r"font.*not available", r"missing.*font")),
    ("modules", (r"no module named", r"modulenotfounderror", r"importerror")),
    ("permissions", (r"permission denied", r"access denied", r"operation not permitted")),
    ("resources", (r"out of memory", r"disk full", r"no space left", r"cannot allocate memory")),
    ("network", (r"connection refused", r"network unreachable", r"timeout")),
    (
        "plotting",
        (
            r"backend.*not available",
            r"cannot create figure",
            r"failed to create.*window",
            r"display.*not.*found",
            r"display.*not set",
            r"cairo.*error",
            r"agg.*error",
        ),
    ),
    ("file I/O", (r"cannot write file", r"file.*locked", r"read-only file system")),
)

SYSTEM_PATTERNS: tuple[tuple[Topic, re.Pattern[str]], ...] = tuple(
    (topic, re.compile(pattern, re.IGNORECASE)) for topic, patterns in _PATTERNS for pattern in patterns
)
"""Errors of the system rather than of the code, in the specified order. The category is the index, from 0: ``system_error_14``. Most are
unreachable, because a category above matches their words first."""

_TOPICS: dict[str, Topic] = {category: topic for category, topic, _ in SUBSTRINGS} | {
    f"system_error_{at}": topic for at, (topic, _) in enumerate(SYSTEM_PATTERNS)
}

_ADVICE: dict[Topic, tuple[str, tuple[str, ...]]] = {
    "fonts": (
        "a font is asked for that this environment does not have.",
        (
            "Name a font that is installed, or none.",
            "Draw without text for now.",
            "Use a renderer that brings its own fonts.",
            "Ask whoever runs the environment to install the font.",
        ),
    ),
    "modules": (
        "a package is imported that is not installed.",
        (
            "Install the package, if that is allowed here.",
            "Do the same with a package that is there.",
            "List what is installed before the next try.",
        ),
    ),
    "permissions": (
        "the account may not do this, and another wording will not change it.",
        (
            "Check owner and mode of the file or folder.",
            "Check what the container or sandbox allows.",
            "Ask whoever runs the environment for the right.",
        ),
    ),
    "resources": (
        "memory or disk space is used up.",
        (
            "Work on less data at a time.",
            "Free memory or disk space.",
            "Restart the environment.",
        ),
    ),
    "plotting": (
        "the plot cannot be drawn with the backend or display that is set up.",
        (
            "Choose a backend that needs no display.",
            "Save the plot to a file and do not show it.",
            "Draw less: fewer points, a simpler style.",
            "Export the data and draw it elsewhere.",
        ),
    ),
    "file I/O": (
        "the file cannot be written.",
        (
            "Save under another name or in another folder.",
            "Check whether another program holds the file, or its file system is read-only.",
            "Save in another format.",
            "Keep the result in memory.",
        ),
    ),
    "network": (
        "the service cannot be reached.",
        (
            "Check that it runs and that its address is right.",
            "Wait before the next try.",
            "Allow it more time to answer.",
            "Go on with what was fetched before.",
        ),
    ),
}
_NEXT_STEPS = (
    "Take another approach.",
    "Split the task into smaller steps.",
    "Check how the environment is set up.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedError:
    """One error of a history."""

    text: str
    function: str | None
    """The called function. For information only; no decision uses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternHistory:
    """The detector's state. It is immutable; :func:`noted` returns a new one for each error."""

    errors: tuple[NotedError, ...] = ()
    """The last :data:`HISTORY` errors, oldest first."""
    category: str | None = None
    """The category of the last error; None before the first error and after one without a category."""
    similar: int = 0
    """How many errors in a row had the category of the one before."""
    unrecognised: Unrecognised = "counts"


def category_of(text: str) -> str:
    """Return the category of an error's text: a named one, ``system_error_<place>``, or :data:`GENERIC`."""
    lowered = text.lower()
    for category, _, parts in SUBSTRINGS:
        if any(part in lowered for part in parts):
            return category
    for at, (_, pattern) in enumerate(SYSTEM_PATTERNS):
        if pattern.search(text):
            return f"system_error_{at}"
    return GENERIC


def noted(history: PatternHistory, text: str, function: str | None = None) -> PatternHistory:
    """Return the history after one more error. Successes are not recorded, so they reset nothing."""
    found = category_of(text)
    category = None if found == GENERIC and history.unrecognised == "resets" else found
    again = category is not None and category == history.category
    return replace(
        history,
        errors=(*history.errors, NotedError(text=text, function=function))[-HISTORY:],
        category=category,
        similar=history.similar + 1 if again else 0,
    )


def should_stop(history: PatternHistory) -> bool:
    """Return whether three errors in a row, or more, were of one category."""
    return history.similar >= SIMILAR_TO_STOP


def suggestion(history: PatternHistory) -> str | None:
    """Return advice for a user who has to decide how to continue; None if the last error has no category.

    A known topic has its own advice. Otherwise the first lines of the last :data:`SHOWN` errors are listed.
    """
    if history.category is None:
        return None
    topic = _TOPICS.get(history.category)
    if topic is not None:
        what, steps = _ADVICE[topic]
        return f"The same kind of error keeps coming back ({topic}): {what}\n\n{_numbered(steps)}"
    lines = "\n".join("- " + error.text.strip().split("\n", 1)[0].strip() for error in history.errors[-SHOWN:])
    return f"Errors keep coming back. The last ones:\n{lines}\n\n{_numbered(_NEXT_STEPS)}"


def _numbered(steps: tuple[str, ...]) -> str:
    lines = "\n".join(f"{at}. {step}" for at, step in enumerate(steps, start=1))
    return f"What may help:\n{lines}"
