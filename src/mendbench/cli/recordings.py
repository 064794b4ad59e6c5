"""``mendbench recordings``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.group import App
from mendbench.cli.options import Cases, Cassettes, Format, Names, Output
from mendbench.cli.output import write, write_json
from mendbench.cli.words import counted

if TYPE_CHECKING:
    from mendbench.api.private_recordings import PrivateFile

app = App("List the private recordings of experiments, and move them into the corpus.")


@app.command("list")
def list_(names: Names = None, cases: Cases = None, cassettes: Cassettes = None, output: Output = Format.text) -> int:
    """List the private recordings: those of strategies, models, repairers and engines that no configured matrix names."""
    recordings = use_corpus(cases, cassettes)
    return _show(api.list_private_recordings(tuple(names or ()), cases, recordings), output, adopted=False)


@app.command("adopt")
def adopt(names: Names = None, cases: Cases = None, cassettes: Cassettes = None, output: Output = Format.text) -> int:
    """Move private recordings into the corpus. What the corpus has already, it keeps."""
    recordings = use_corpus(cases, cassettes)
    return _show(api.adopt_recordings(tuple(names or ()), cases, recordings), output, adopted=True)


def _show(found: Sequence[PrivateFile], output: Format, *, adopted: bool) -> int:
    from mendbench.cli.exits import Exit
    from mendbench.cli.output import plain

    if output is Format.json:
        rows = [
            {"case": file.case, "file": str(file.path), "entries": file.entries, "known": file.known} for file in found
        ]
        write_json({"adopted": adopted, "files": rows})
        return Exit.DONE
    for file in found:
        known = f", of which the corpus has {file.known}" if file.known else ""
        write(f"{plain(file.case)}: {counted(file.entries, 'recording')} in {plain(file.path.name)}{known}\n")
    total = sum(file.entries - file.known for file in found)
    if adopted:
        write(f"{counted(total, 'recording')} moved into the corpus\n")
    else:
        then = "; `mendbench recordings adopt` moves them into the corpus" if total else ""
        write(f"{counted(total, 'private recording')} that the corpus does not have{then}\n")
    return Exit.DONE
