import re

import typer

from mendbench import __version__
from mendbench.cli.main import COMMANDS as MEMBERS
from mendbench.cli.main import app
from tests.fakes.tables import for_each


def _walk(command, words=()):
    yield words
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from _walk(command.get_command(None, name), (*words, name))


COMMANDS = tuple(_walk(typer.main.get_command(app)))
LEAVES = tuple(words for words in COMMANDS if not any(other[:-1] == words for other in COMMANDS if other))
OPTIONS = {
    (
        "run",
    ): "part cases cassettes out engine strategy frame policy detector repairer model samples record concurrency dry-run allow-shell allow-writes workers cluster shard all gated fresh resume details format",
    ("report",): "rescore forensics part details junit markdown csv parquet github-summary annotations against format",
    ("compare",): "part score trials format",
    ("try",): "against model budget part cases cassettes allow-shell allow-writes format",
    ("gate",): "baseline update partial new self-test reuse cases cassettes workers format",
    ("merge",): "out format",
    ("prompts", "export"): "part out strategy frame policy detector model samples labelled cases cassettes workers",
    (
        "prompts",
        "import",
    ): "prompts provenance dry-run replace skip-broken batches model strategy detector labelled cases cassettes workers format",
    ("prompts", "diff"): "part full strategy frame policy detector model samples cases cassettes workers format",
    ("prompts", "prune"): "delete cases cassettes workers format",
    ("init",): "example ci format",
    ("doctor",): "format",
    (
        "tools",
        "probe",
    ): "url calls write-calls log folder env limit only allow-writes no-sandbox emit-cases html fail-on format",
    ("case", "list"): "family kind tag level api provenance cases cassettes format",
    ("case", "show"): "cases cassettes format",
    ("case", "new"): "kind workflow cases format",
    ("case", "import"): "from workflow input kind provenance cases cassettes format",
    ("case", "generate"): "operators limit out cases cassettes allow-shell workers format",
    ("case", "check"): "cases cassettes record allow-shell allow-writes workers format",
    ("strategy", "list"): "format",
    ("strategy", "show"): "format",
    ("strategy", "render"): "model attempt part cases cassettes format",
    ("strategy", "diff"): "part cases cassettes format",
    (
        "strategy",
        "ablate",
    ): "part model prompts-only cases cassettes out record concurrency dry-run allow-shell allow-writes workers format",
}
PRINTS_A_TABLE = (
    ("run",),
    ("report",),
    ("case", "list"),
    ("case", "check"),
    ("case", "show"),
    ("case", "new"),
    ("case", "import"),
    ("strategy", "list"),
    ("strategy", "show"),
    ("strategy", "render"),
    ("strategy", "diff"),
    ("strategy", "ablate"),
)


def _documented(helped):
    """Return the options in a help text, with the words beside each."""
    part = helped.split("Options:\n")[1].split("\nCommands:")[0]
    lines = re.sub(r"\n {8,}", " ", part).splitlines()
    pairs = (
        re.match(r"  (?:-\w, )?--([a-z-]+)(?: [A-Z_=/]+| [a-z|]+| <[^>]+>)?(?:  +(.*))?$", line)
        for line in lines
        if line.strip()
    )
    return {pair[1]: pair[2] for pair in pairs}


@for_each("name", MEMBERS)
def test_the_line_of_a_command_is_the_first_of_its_own_help(name):
    own = typer.main.get_command(app).get_command(None, name)
    assert " ".join(own.help.split("\n\n")[0].split()) == MEMBERS[name].help


@for_each("words", COMMANDS)
def test_every_command_has_a_help_of_its_own(mendbench, words):
    result = mendbench(*words, "--help")
    assert result.code == 0
    assert result.err == ""
    assert result.out.startswith(f"Usage: {' '.join(('mendbench', *words))} ")


@for_each(("words", "options"), OPTIONS.items())
def test_every_option_stands_in_the_help_with_a_sentence(mendbench, words, options):
    documented = _documented(mendbench(*words, "--help").out)
    assert set(documented) == {*options.split(), "help"}
    for name, sentence in documented.items():
        assert sentence, name
        assert len(sentence.split()) >= 3, name
        assert "." in sentence, name


@for_each("words", PRINTS_A_TABLE)
def test_every_command_that_prints_a_table_prints_json_too(mendbench, words):
    assert "--format text|json" in mendbench(*words, "--help").out


@for_each("words", [(), ("case",), ("strategy",)])
def test_a_group_without_a_command_shows_its_help_and_is_a_usage_error(mendbench, words):
    result = mendbench(*words)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("Usage: mendbench")


def test_an_unknown_command_is_answered_with_the_closest_and_all_of_them(mendbench):
    line = mendbench("rnu").line
    assert line.startswith("command: unknown command 'rnu'; did you mean 'run'? known: case, ")
    for name in ("report", "schema", "strategy"):
        assert f", {name}" in line


def test_the_version_is_said(mendbench):
    assert mendbench("--version").out == f"mendbench {__version__}\n"


@for_each(
    ("words", "line"),
    [
        (("case", "lst"), "case: unknown command 'lst'; did you mean 'list'? known: check, generate, import, list, new, secrets, show"),
        (("strategy", "rendr"), "strategy: unknown command 'rendr'; did you mean 'render'? known: ablate, diff, list, render, show, watch"),
        (("merge", "a", "--fromat", "json"), "merge: unknown option '--fromat'; did you mean '--format'? known: --format, --help, --out"),
        (("--versoin",), "usage: unknown option '--versoin'; did you mean '--version'? known: --help, --version"),
        (("report", "a", "b"), "report: Got unexpected extra argument(s) (b); `mendbench report --help` shows how"),
        (("run", "--out"), "run: Option '--out' requires an argument; `mendbench run --help` shows how"),
        (("schema",), "schema: Missing argument 'WHAT'; `mendbench schema --help` shows how"),
        (("strategy", "diff", "none"), "strategy diff: Missing argument 'OTHER'; `mendbench strategy diff --help` shows how"),
        (("run", "--workers", "many"), "run: Invalid value for '--workers': 'many' is not an integer of at least 0; `mendbench run --help` shows how"),
        (("run", "--samples", "0"), "run: Invalid value for '--samples': '0' is not an integer of at least 1; `mendbench run --help` shows how"),
        (("run", "--format", "xml"), "run: Invalid value for '--format': 'xml' is not one of 'text', 'json'; `mendbench run --help` shows how"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_used_are_answered_in_one_line(mendbench, empty, words, line):
    result = mendbench(*words)
    assert (result.code, result.line, result.out) == (2, line, "")
    assert list(empty.iterdir()) == []
