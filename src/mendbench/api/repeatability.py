"""The noise of recording: responses of models to repeated prompts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.api.settings import RunOptions, open_context
from mendbench.cassettes.recordings import Recordings
from mendbench.config.config_file import load_config
from mendbench.corpus.corpus import select
from mendbench.corpus.split import in_part
from mendbench.errors import UnknownName
from mendbench.prompts.repeatability import Repeat, repeats
from mendbench.scoring.statistics.exact import Interval, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatability:
    """Responses of one model to repeated prompts of repairers without sampling."""

    model: str
    """The model's name on its server."""
    repeats: tuple[Repeat, ...]

    @property
    def same_text(self) -> int:
        """Number of repeats whose text equals the first response."""
        return sum(one.same_text for one in self.repeats)

    @property
    def same_response(self) -> int:
        """Number of repeats with the same edits or the same refusal."""
        return sum(one.same_response for one in self.repeats)

    @property
    def cases(self) -> tuple[str, ...]:
        """Cases with a repeat."""
        return tuple(dict.fromkeys(one.case for one in self.repeats))

    @property
    def cases_alike(self) -> int:
        """Number of cases in which every repeat has the first response."""
        return len(self.cases) - len({one.case for one in self.repeats if not one.same_response})

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval of the share of cases that are alike."""
        return wilson(self.cases_alike, len(self.cases))


def recorded_repeatability(options: RunOptions) -> tuple[Repeatability, ...]:
    """Return the noise of the configured models with repeated prompts, from the recordings alone.

    Only the cases, their part, the models and the folders of ``options`` are used.

    Raises:
        UnknownName: a model or case does not exist.
        BadInput: a recording is broken.
        Incomplete: a recorded response is not a valid one.
    """
    context = open_context(load_config(), options)
    names = options.models or tuple(context.models)
    for name in names:
        if name not in context.models:
            raise UnknownName("model", name, context.models)
    known = (name for name in names if context.model(name).sampling is None)
    served = dict.fromkeys(context.model(name).served_as or name for name in known)
    cases = in_part(select(context.corpus, options.names), options.part or "all", context.cases_dir)
    folders = {case.id: context.corpus.cassettes(case) for case in cases}

    def found(model: str) -> Iterator[Repeat]:
        for case, folder in folders.items():
            yield from repeats(case, Recordings.open(folder).model_entries(model))

    made = (Repeatability(model=model, repeats=tuple(found(model))) for model in served)
    return tuple(one for one in made if one.repeats)
