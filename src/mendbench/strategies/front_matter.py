"""The YAML block at the top of a template file, between two lines of three hyphens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import get_args

from mendbench.errors import BadInput, UnknownName
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.reading import MAX_TEMPLATE, read_text
from mendbench.io.yaml_documents import load_yaml
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import SectionLabel
from mendbench.strategies.interface import SectionSpec, strategy_name

_FENCE = "---"
_FIELDS = frozenset({"name", "title", "source", "sections"})
_SECTION_FIELDS = {"name", "label", "keep"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """A template file's front matter and its body."""

    title: str
    source: str
    sections: tuple[SectionSpec, ...]
    """None in a frame, whose blocks have fixed names."""
    body: str
    """The Jinja text, after as many empty lines as the front matter has, so that line numbers match the file."""


def read_front_matter(path: Path, *, sections: bool = True) -> FrontMatter:
    """Return the front matter and the body of a template file. It has to declare its ``sections``, or must not.

    Raises:
        BadInput: the file cannot be read, has no front matter, or it does not have the documented form.
    """
    return _read(path, template_text(path), sections)


@lru_cache(maxsize=256)
def _read(path: Path, text: str, sections: bool) -> FrontMatter:  # noqa: FBT001 (a cached function has no keywords)
    """Return the front matter and the body of this text. Cached, because each trial needs those of its strategy."""
    lines = text.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE]
    if len(ends) < 2 or ends[0] != 0:  # noqa: PLR2004 (an opening and a closing line)
        raise BadInput(f"{path}:1", "no front matter", "begin the file with '---', title, source and sections, '---'")
    fields = _fields(path, "".join(lines[1 : ends[1]]), _FIELDS if sections else _FIELDS - {"sections"})
    return FrontMatter(
        title=_text(path, fields, "title"),
        source=_text(path, fields, "source"),
        sections=_sections(path, fields["sections"]) if sections else (),
        body="\n" * (ends[1] + 1) + "".join(lines[ends[1] + 1 :]),
    )


def template_text(path: Path) -> str:
    """Return a template file's text, with the line ends of prompts.

    Raises:
        BadInput: it cannot be read, is too large, or has a merge conflict.
    """
    hint = "give the path of a UTF-8 template file"
    text = read_text(path, MAX_TEMPLATE, hint, hint, hint)
    refuse_conflict(text, str(path))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _fields(path: Path, text: str, known: frozenset[str]) -> JsonObject:
    fields = load_yaml(text, str(path), "mend the lines between '---'", first_line=2)
    if not isinstance(fields, dict):
        raise BadInput(f"{path}: front matter", "not a mapping", "write 'title: …', 'source: …', 'sections: […]'")
    for name in sorted(map(str, set(fields) - known)):
        raise UnknownName("field", name, known, f"{path}: front matter")
    for name in sorted(known - {"name"} - set(fields)):
        raise BadInput(f"{path}: front matter", f"no field {name!r}", "add it")
    own = fields.get("name", strategy_name(path))
    if own != strategy_name(path):
        raise BadInput(
            f"{path}: name", f"{own!r} is not the file's name", f"write {strategy_name(path)!r} or leave it out"
        )
    return fields


def _text(path: Path, fields: JsonObject, name: str) -> str:
    value = fields[name]
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{path}: {name}", f"{value!r} is not a text", "write one line of text")
    return " ".join(value.split())


def _sections(path: Path, value: Json) -> tuple[SectionSpec, ...]:
    if not isinstance(value, list):
        raise BadInput(f"{path}: sections", f"{value!r} is not a list", "list sections as {name, label, keep}")
    specs = tuple(_section(f"{path}: sections[{index}]", item) for index, item in enumerate(value))
    names = [spec.name for spec in specs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise BadInput(f"{path}: sections", f"{name!r} is declared twice", "declare each section once")
    return specs


def _section(place: str, item: Json) -> SectionSpec:
    if not isinstance(item, dict) or set(item) != _SECTION_FIELDS:
        raise BadInput(place, f"{item!r}", "give exactly name, label and keep")
    name, label, keep = item["name"], item["label"], item["keep"]
    if not isinstance(name, str) or not name.isidentifier():
        raise BadInput(f"{place}.name", f"{name!r} is no block name", "use letters, digits and _")
    if label not in get_args(SectionLabel):
        raise UnknownName("label", str(label), get_args(SectionLabel), f"{place}.label")
    if not isinstance(keep, int) or isinstance(keep, bool):
        raise BadInput(f"{place}.keep", f"{keep!r} is not a whole number", "rank sections: the lowest is cut first")
    return SectionSpec(name=name, label=label, keep=keep)
