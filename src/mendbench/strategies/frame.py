"""The frame: everything in a prompt that is the same for all strategies of a comparison.

It contains the task, request, workflow, response format, and one validation error if the last response was invalid. The strategy's context
follows. Each frame is a template file. Responses are keyed by prompt, so any change in a frame invalidates its recorded responses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mendbench.errors import UnknownName
from mendbench.io.canonical_json import digest, pretty_json
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, View
from mendbench.ports.repair import Strategy
from mendbench.strategies.blocks import checked_blocks, render_blocks, too_deep
from mendbench.strategies.front_matter import FrontMatter, read_front_matter
from mendbench.strategies.interface import SUFFIX, strategy_name
from mendbench.strategies.tokens import estimate

CONTEXT_WINDOW = 8192
"""The default token limit of a prompt and its response together."""

RESPONSE_TOKENS = 400
"""The default token limit of a response."""

MARGIN_TOKENS = 64
"""Tokens reserved for what a model's server adds around the messages, and for the error of the estimate."""

SYSTEM = "You repair workflows that call APIs. Answer with one JSON object and nothing else."
"""The system message of every frame: it marks the requests of repairers."""

FRAMES = Path(__file__).parent / "frames"
"""The folder of the shipped frames. A user's are in ``frames`` below a folder of strategies."""

DEFAULT_FRAME = "v1"

_BLOCKS = ("frame", "context")
"""The blocks of a frame: all that comes before the context and its heading, and the heading."""

_VARIABLES = frozenset({"request", "workflow", "problem"})
"""The variables of a frame: the request, the workflow's JSON, and why the last response could not be used, or an empty text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The token limits."""

    window: int = CONTEXT_WINDOW
    response: int = RESPONSE_TOKENS
    margin: int = MARGIN_TOKENS

    def for_context(self, frame: str) -> int:
        """Return the tokens that remain for the context with this frame. It is the same for every strategy and never negative."""
        return max(0, self.window - self.response - self.margin - estimate(SYSTEM) - estimate(frame))


DEFAULT_BUDGET = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTemplate:
    """A frame, read from its file."""

    name: str
    title: str
    source: str
    path: Path
    body: str

    def render(self, request: str, workflow: JsonObject, problem: str | None = None) -> tuple[str, str]:
        """Return the text before the context's heading, and the heading.

        ``problem`` states why the last response was unparsable or invalid.

        Raises:
            BadInput: the template fails, or exceeds the limits of templates.
        """
        values = {"request": request.strip(), "workflow": pretty_json(workflow), "problem": (problem or "").strip()}
        text, heading = render_blocks(self.path, self.body, _BLOCKS, values)
        return text, heading

    @property
    def digest(self) -> str:
        """A digest of everything that is the same in all prompts. A comment in the file does not change it."""
        return digest([SYSTEM, *self.render("", {}), *self.render("", {}, "problem")])


def frame(name: str = DEFAULT_FRAME, strategy_dirs: Iterable[Path] = ()) -> FrameTemplate:
    """Return the frame with that name.

    Raises:
        UnknownName: there is none.
        BadInput: its file cannot be used.
    """
    found = _files(strategy_dirs)
    if name not in found:
        raise UnknownName("frame", name, found)
    return _load(found[name])


def frames(strategy_dirs: Iterable[Path] = ()) -> tuple[FrameTemplate, ...]:
    """Return all frames by name.

    Raises:
        BadInput: a file cannot be used.
    """
    return tuple(_load(path) for _, path in sorted(_files(strategy_dirs).items()))


def _files(strategy_dirs: Iterable[Path]) -> dict[str, Path]:
    """Return the files of all frames by name. A user's frame cannot replace a shipped one, whose name is in recordings."""
    folders = (*(Path(folder) / FRAMES.name for folder in strategy_dirs), FRAMES)
    return {strategy_name(path): path for folder in folders for path in sorted(folder.glob(f"*{SUFFIX}"))}


def _load(path: Path) -> FrameTemplate:
    front = read_front_matter(path, sections=False)
    return _checked(path, front)


@lru_cache(maxsize=64)
def _checked(path: Path, front: FrontMatter) -> FrameTemplate:
    try:
        checked_blocks(path, front.body, _BLOCKS, _VARIABLES)
    except RecursionError:
        raise too_deep(path) from None
    return FrameTemplate(name=strategy_name(path), title=front.title, source=front.source, path=path, body=front.body)


def build_frame(request: str, workflow: JsonObject, problem: str | None = None) -> str:
    """Return the default frame's user part, without the context and its heading."""
    return frame().render(request, workflow, problem)[0]


def build_prompt(view: View, strategy: Strategy, problem: str | None = None, budget: Budget = DEFAULT_BUDGET) -> Prompt:
    """Return the whole prompt: the strategy's frame, then its context under the frame's heading, if there is any context."""
    text, heading = strategy.frame.render(view.request, view.workflow, problem)
    headed = f"{text}\n\n{heading}"
    context = strategy.render(view, budget.for_context(headed))
    return Prompt(system=SYSTEM, frame=headed if context.text else text, context=context, view=view)


def frame_digest(name: str = DEFAULT_FRAME, strategy_dirs: Iterable[Path] = ()) -> str:
    """Return a digest over everything in a frame that is the same in all prompts."""
    return frame(name, strategy_dirs).digest
