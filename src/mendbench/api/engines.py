"""Checks external engines before they are used in a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mendbench.config.config_file import load_config
from mendbench.errors import BadInput
from mendbench.secrets.redaction import Redactor
from mendbench.trial.engines import command_of, refuse_absent

if TYPE_CHECKING:
    from mendbench.engines import Declared
    from mendbench.engines.contract import Finding, Unreported


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCheck:
    """The contract kit's report on an engine."""

    engine: str
    declared: Declared
    network: str
    """``held``, ``open``, or why this machine cannot hold it."""
    findings: tuple[Finding, ...]
    unreported: tuple[Unreported, ...]
    """Optional parts of the contract that the engine does not report. This is not an error."""

    @property
    def holds(self) -> bool:
        """Whether the engine fulfils the contract."""
        return not any(finding.wrong for finding in self.findings)


def check_engine(
    name: str,
    start: Path | None = None,
    on_progress: Callable[[int, int, str], None] = lambda _done, _total, _last: None,
) -> EngineCheck:
    """Run ten small workflows with an engine, and return its errors.

    ``name`` is an engine in the configuration that applies in ``start``, or ``cmd: …``.

    Raises:
        UnknownName: there is no such engine.
        BadInput: it is not a command, or cannot be run.
    """
    from mendbench.engines import (  # noqa: PLC0415  what our own engine does not need
        CommandEngine,
        contract,
        declared_by,
        misdeclared,
        network_record,
    )

    engines = load_config(start).engines
    command = command_of(name, engines)
    if command is None:
        raise BadInput(f"engine {name}", "it is no command, but our own", "name another: 'cmd: PROGRAM'")
    refuse_absent(name, engines)
    declared = declared_by(command)
    engine = CommandEngine(command, declared, Redactor({}), about="contract")
    found = []
    for finding in contract.check_engine(engine, misdeclared(command)):
        found.append(finding)
        on_progress(len(found), max(len(found), len(contract.cases_for(declared))), finding.case)
    return EngineCheck(
        engine=name, declared=declared, network=network_record(command.network), findings=tuple(found),
        unreported=contract.unreported(declared, found),
    )  # fmt: skip
