"""The command, run through its entry point in a folder that holds the invented corpus."""

import signal
import sys
from dataclasses import dataclass

import pytest

from mendbench.cli.main import main
from tests.fakes import cases
from tests.fakes.commands import split_corpus_line


@dataclass(frozen=True)
class Result:
    """What a command returned and wrote."""

    code: int
    out: str
    err: str
    """Without the first line about the corpus."""
    corpus: str = ""
    """The first line about the corpus; empty where the command wrote none."""

    @property
    def line(self):
        """The one line on standard error, after the program's name."""
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("mendbench: ")
        assert "Traceback" not in self.err
        return self.err.removeprefix("mendbench: ").rstrip("\n")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The invented corpus with all its recordings. Nobody may change it."""
    return cases.build(tmp_path_factory.mktemp("cli"))


@pytest.fixture
def corpus(built, tmp_path, monkeypatch):
    """A copy of the corpus to be changed, which is the current folder."""
    root = cases.copy_of(built, tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def mendbench(monkeypatch, capsys):
    """Run the command with these words, and return what it said."""
    monkeypatch.delenv("MENDBENCH_TRACEBACK", raising=False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["mendbench", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        result = capsys.readouterr()
        corpus, err = split_corpus_line(result.err)
        return Result(left.value.code, result.out, err, corpus)

    return run


@pytest.fixture
def rules(mendbench):
    """Run trials that need no model: the rule book, one strategy, one policy, on this process."""

    def run(*words, strategy="full-context"):
        plain = ("--repairer", "rules", "--policy", "two-layer", "--workers", "1")
        return mendbench("run", *plain, "--strategy", strategy, *words)

    return run
