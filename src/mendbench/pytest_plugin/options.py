"""The options of the plugin: on the command line, and under the same names in the ini file. The command line wins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

_Kind: TypeAlias = Literal["names", "name", "number", "folder", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    name: str
    kind: _Kind
    metavar: str
    help: str


OPTIONS = (
    _Option(name="strategy", kind="names", metavar="NAME", help="strategy, or a template file (my.md.j2); repeatable"),
    _Option(name="policy", kind="names", metavar="NAME", help="decides when repair stops; repeatable"),
    _Option(name="repairer", kind="names", metavar="NAME", help="repairer that responds to the prompts; repeatable"),
    _Option(name="model", kind="names", metavar="NAME", help="model of the repairer chat; repeatable"),
    _Option(name="detector", kind="name", metavar="NAME", help="replaces the policies' detector"),
    _Option(name="samples", kind="number", metavar="N", help="number of samples per trial"),
    _Option(name="cases", kind="folder", metavar="DIR", help="folder of the cases; default: the configured one"),
    _Option(
        name="cassettes", kind="folder", metavar="DIR", help="folder of the recordings; default: the configured one"
    ),
    _Option(
        name="part",
        kind="name",
        metavar="PART",
        help="only cases of this part: train, test, half, an edition, or its part (second-test)",
    ),
    _Option(
        name="baseline",
        kind="file",
        metavar="FILE",
        help="baseline; a trial that is wrong in it is an expected failure",
    ),
)
"""The options of ``mendbench run``, and the baseline of ``mendbench gate``."""

_INI_TYPES: dict[_Kind, Literal["args", "string", "int"]] = {
    "names": "args", "name": "string", "number": "int", "folder": "string", "file": "string",
}  # fmt: skip


def declare(parser: pytest.Parser) -> None:
    """Register the options with pytest."""
    group = parser.getgroup("mendbench", "repair cases as tests (mendbench)")
    group.addoption(
        "--mendbench", action="store_true", default=False, help="collect case.yaml files: one test for each trial"
    )
    parser.addini("mendbench", "collect case.yaml files, as --mendbench does", type="bool", default=False)
    for option in OPTIONS:
        words: dict[str, Any] = {"dest": f"mendbench_{option.name}", "metavar": option.metavar, "help": option.help}
        words |= {"action": "append"} if option.kind == "names" else {"default": None}
        words |= {"type": int} if option.kind == "number" else {}
        group.addoption(f"--mendbench-{option.name}", **words)
        default: object = [] if option.kind == "names" else None
        parser.addini(f"mendbench_{option.name}", option.help, type=_INI_TYPES[option.kind], default=default)


def is_on(config: pytest.Config) -> bool:
    """Return whether to collect cases."""
    return bool(config.getoption("mendbench", default=False) or config.getini("mendbench"))


def is_typed(config: pytest.Config) -> bool:
    """Return whether ``--mendbench`` is on the command line itself, and not only in the ini file."""
    return "--mendbench" in config.invocation_params.args


def names(config: pytest.Config, option: str) -> tuple[str, ...]:
    """Return the values of a repeatable option."""
    return tuple(config.getoption(f"mendbench_{option}", default=None) or config.getini(f"mendbench_{option}"))


def name(config: pytest.Config, option: str) -> str | None:
    """Return the value of an option that takes a name."""
    given = config.getoption(f"mendbench_{option}", default=None) or config.getini(f"mendbench_{option}")
    return str(given) if given else None


def number(config: pytest.Config, option: str) -> int | None:
    """Return the value of an option that takes a whole number."""
    given = config.getoption(f"mendbench_{option}", default=None)
    found = config.getini(f"mendbench_{option}") if given is None else given
    return None if found is None else int(found)


def place(config: pytest.Config, option: str) -> Path | None:
    """Return the absolute path that an option names, relative to the ini file or to the folder where pytest was started."""
    given = config.getoption(f"mendbench_{option}", default=None)
    if given:
        return config.invocation_params.dir / str(given)
    configured = config.getini(f"mendbench_{option}")
    here = config.inipath.parent if config.inipath else config.rootpath
    return here / str(configured) if configured else None
