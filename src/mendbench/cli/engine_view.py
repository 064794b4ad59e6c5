"""Prints the result of ``mendbench engine check``."""

from __future__ import annotations

from dataclasses import asdict

from mendbench.api.engines import EngineCheck
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json


def show_check(found: EngineCheck, output: Format) -> int:
    """Print what an engine declares and does wrong; exit 1 if it does anything wrong."""
    if output is Format.json:
        cases = [{"case": finding.case, "title": finding.title, "wrong": finding.wrong} for finding in found.findings]
        write_json(
            {
                "engine": found.engine,
                "declared": found.declared.document(),
                "network": found.network,
                "holds": found.holds,
                "cases": cases,
                "not_reported": [asdict(part) for part in found.unreported],
            }
        )
        return Exit.DONE if found.holds else Exit.FAILED
    write(f"{plain(found.engine)}: {_declared(found)}\n\n")
    for finding in found.findings:
        write(f"{'✗' if finding.wrong else '✓'} {finding.case}: {finding.title}\n")
        for line in finding.wrong:
            write(f"    {plain(line)}\n")
    if found.unreported:
        write("\nnot reported, and what that costs:\n")
    for unreported in found.unreported:
        write(f"    {unreported.part}: {unreported.cost}\n")
    wrong = sum(bool(finding.wrong) for finding in found.findings)
    total = len(found.findings)
    write(f"\n{f'{wrong} of {total} cases do not hold' if wrong else f'all {total} cases hold'}\n")
    return Exit.FAILED if wrong else Exit.DONE


def _declared(found: EngineCheck) -> str:
    own = found.declared
    types = "all types of nodes" if own.node_types is None else ", ".join(own.node_types)
    parts = (
        f"version {own.version}" if own.version else "says no version",
        "resumes" if own.resume else "starts over after each edit",
        "repairs by itself" if own.repairs else "our loop repairs",
        {"engine": "judges by itself", "named": "judges by our detector", "mendbench": "is judged by our detector"}[
            own.judge
        ],
        types,
        {"held": "held back from other hosts", "open": "has the machine's network"}.get(
            found.network, f"not held back from other hosts{found.network.removeprefix('open')}"
        ),
    )
    return plain("; ".join(parts))
