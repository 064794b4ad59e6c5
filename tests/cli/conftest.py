"""The command, run through its entry point in a folder that holds the invented corpus."""

import signal
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO

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


def code_of(words):
    """Run the command with these words in this process, and return its exit code."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(sys, "argv", ["mendbench", *map(str, words)])
        main()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    return left.value.code


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The invented corpus with all its recordings. Nobody may change it."""
    return cases.build(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="session")
def after(built, tmp_path_factory):
    """Return the folder of a corpus in which these commands ran; the same ones run once. Nobody may change it."""

    @cache
    def ran(*commands, start=built):
        root = cases.copy_of(start, tmp_path_factory.mktemp("after"))
        with chdir(root), redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
            for words in commands:
                assert code_of(words) == 0, said.getvalue()
        return root

    return ran


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

    def run(*words):
        code = code_of(words)
        result = capsys.readouterr()
        corpus, err = split_corpus_line(result.err)
        return Result(code, result.out, err, corpus)

    return run


@pytest.fixture
def rules(mendbench):
    """Run trials that need no model: the rule book, one strategy, one policy, on this process."""

    def run(*words, strategy="full-context"):
        plain = ("--repairer", "rules", "--policy", "two-layer", "--workers", "1")
        return mendbench("run", *plain, "--strategy", strategy, *words)

    return run
