"""The first message of a command that uses a corpus: its configuration and cases."""

from __future__ import annotations

from pathlib import Path

from mendbench.cli.output import say
from mendbench.errors import BadInput


def use_corpus(cases: Path | None, cassettes: Path | None, record: str = "none") -> Path | None:
    """Report the configuration and the cases that are used, and return the folder that ``--cassettes`` names.

    Raises:
        BadInput: the configuration is broken, there are no cases, or the folder of ``--cassettes`` does not exist and nothing is recorded.
    """
    if cassettes is not None and record == "none" and not cassettes.is_dir():
        raise BadInput(f"--cassettes {cassettes}", "no such folder", "name the folder of the recordings")

    from mendbench.config.config_file import cases_folder, load_config
    from mendbench.corpus.corpus import case_folders

    loaded = load_config()
    folder = cases_folder(loaded, cases)
    count = len(case_folders(folder))
    if not loaded.packaged:
        say(f"configuration: {loaded.place}; cases: {folder} ({count})")
    elif cases is None:
        say(f"no mendbench.toml up to {loaded.searched}; using the packaged corpus ({count} cases)")
    else:
        say(f"no mendbench.toml up to {loaded.searched}; using the packaged configuration; cases: {folder} ({count})")
    return cassettes
