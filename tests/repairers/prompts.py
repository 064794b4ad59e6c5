"""Prompts to answer, made as the repair loop makes them."""

from mendbench.model.prompt import Context, Prompt, Section
from mendbench.strategies import build_prompt, strategy


def plain(text="It failed.", frame="Mend it.", system="You mend."):
    section = Section(name="all", label="raw", text=text)
    return Prompt(system=system, frame=frame, context=Context(strategy="mine", sections=(section,), tokens=1))


def asked(view, name):
    return build_prompt(view, strategy(name))
