"""The pre-commit hooks ``python -m mendbench.cli.hooks cases FILE…`` and ``python -m mendbench.cli.hooks gate [OPTION…]``.

pre-commit passes the changed files, relative to the root of the repository, which is the current folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mendbench.cli.exits import Exit, code_of
from mendbench.cli.main import main as mendbench
from mendbench.cli.output import say
from mendbench.config.config_file import load_config
from mendbench.errors import MendbenchError

_DEPTH = 3
"""Minimum number of parts of a case file's path in the corpus: family, case and file."""


def changed_cases(files: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the cases that these files belong to, and the options that name the corpus.

    A file belongs to a case if it is in the folder of the case or of its recordings. Deleted cases are omitted; the split and the
    protocol belong to no case.

    Raises:
        BadInput: the configuration is broken.
    """
    here = Path.cwd()
    loaded = load_config(here)
    cases = Path("cases") if loaded.packaged else loaded.cases_dir
    cassettes = Path("cassettes") if loaded.packaged else loaded.cassettes_dir
    found = set()
    for name in files:
        for folder in (cases, cassettes):
            path, root = (here / name).resolve(), (here / folder).resolve()
            parts = path.relative_to(root).parts if root in path.parents else ()
            if len(parts) >= _DEPTH and (here / cases / parts[0] / parts[1] / "case.yaml").is_file():
                found.add(f"{parts[0]}/{parts[1]}")
    return tuple(sorted(found)), ("--cases", str(cases), "--cassettes", str(cassettes)) if loaded.packaged else ()


def prove(files: Sequence[str]) -> int:
    """Prove the cases that changed files belong to, and return the exit code of ``mendbench case check``."""
    ids, corpus = changed_cases(files)
    return _ran("case", "check", *ids, *corpus) if ids else Exit.DONE


def gate(options: Sequence[str]) -> int:
    """Run the configured matrix and gate it. ``options`` are those of ``mendbench gate``."""
    code = _ran("run")
    return _ran("gate", *options) if code in {Exit.DONE, Exit.INCOMPLETE} else code


def main() -> None:
    """Run a hook, and exit with its code."""
    known = {"cases": prove, "gate": gate}
    hook, *words = sys.argv[1:] or [""]
    if hook not in known:
        say(f"hooks: unknown hook {hook!r}; name one of {', '.join(known)}")
        sys.exit(Exit.USAGE)
    try:
        sys.exit(known[hook](words))
    except MendbenchError as error:
        sys.exit(code_of(error))


def _ran(*words: str) -> int:
    """Run a command line, and return its exit code."""
    sys.argv = ["mendbench", *words]
    try:
        mendbench()
    except SystemExit as left:
        return int(left.code or Exit.DONE)
    return Exit.DONE


if __name__ == "__main__":
    main()
