"""Estimates the model requests, time and cost of a recording."""

from __future__ import annotations

from mendbench.api.gated_plans import planned_for
from mendbench.api.plans import refuse_unknown
from mendbench.api.settings import Progress, RunOptions, in_silence, open_context
from mendbench.config.config_file import load_config
from mendbench.prompts.collecting import collect_all
from mendbench.prompts.estimate import Estimate, can_ask, estimated


def estimate_recording(options: RunOptions, on_progress: Progress = in_silence) -> Estimate:
    """Return what ``run`` with these options would request while recording. Nothing is sent or written.

    If ``options.record`` is ``all``, all prompts count, else only those without a response.

    Raises:
        UnknownName, BadInput: something that the options name does not exist or cannot be used.
    """
    loaded = load_config()
    context = open_context(loaded, options)
    planned = planned_for(loaded, options, context.corpus)
    refuse_unknown(planned.keys, context, loaded)
    keys = tuple(key for key in planned.own_keys() if can_ask(context, key))
    collected = collect_all(context, keys, options.workers, on_progress)
    return estimated(context, collected, fresh=options.record == "all", concurrency=options.concurrency)
