import json

import pytest

from tests.fakes import probed


@pytest.fixture
def probe(mendbench, tmp_path):
    """Return a function that probes the library without the sandbox."""

    def run(*words, mode=""):
        calls = probed.calls_file(tmp_path)
        options = ("--no-sandbox", "--calls", calls, "--limit", 100, *words)
        return mendbench("tools", "probe", *options, "--", *probed.command(mode))

    return run


def test_the_worst_messages_come_first_in_a_table_of_a_hundred_columns(probe):
    result = probe()
    assert result.code == 0
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == ["tool", "fault", "verdict", "missing", "message"]
    assert lines[2].split()[:4] == ["find_book", "sort_by", "as", "sortBy"]
    assert "find_book  shelf_id as shelfId" in result.out
    assert "helps" not in result.out.split("\n\n")[0]
    assert lines[-1] == "library 7: 19 broken calls: 7 silent, 1 hidden, 3 misleads, 1 partly, 7 helps"
    assert "mendbench: not counted: burn_book: its destructiveHint is true: --allow-writes runs it\n" in result.err


def test_the_json_has_every_call_with_its_message_and_response(probe):
    document = json.loads(probe("--format", "json").out)
    assert document["counts"] == {"silent": 7, "hidden": 1, "misleads": 3, "partly": 1, "helps": 7}
    one = next(call for call in document["broken_calls"] if call["id"] == "find_book/renamed/shelf_id")
    assert one["message"] == "KeyError"
    assert one["response"]["result"]["isError"] is True
    assert (one["right_arguments"], one["arguments"]["shelfId"]) == (probed.FIND, "s-17")
    assert one["request"] == probed.CALLS[0].request
    assert {"what": "burn_book", "why": "its destructiveHint is true: --allow-writes runs it"} in document["not_run"]


def test_a_verdict_that_is_not_accepted_fails_the_command(probe):
    assert probe("--fail-on", "lost").code == 0
    assert probe("--fail-on", "lost,hidden").code == 1
    assert "--fail-on: unknown verdict 'hiden'; did you mean 'hidden'?" in probe("--fail-on", "hiden").line


def test_cases_and_a_page_are_written_where_they_are_wanted(probe, tmp_path):
    page, cases = tmp_path / "probe.html", tmp_path / "made" / "cases"
    result = probe("--html", page, "--emit-cases", cases, "--only", "find_book/enum/sort_by")
    assert result.code == 0
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert (cases / "library" / "find-book-enum-sort-by" / "case.yaml").is_file()
    assert f"1 case in {cases}; prove them again with: mendbench case check --cases {cases}" in result.err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "tools probe: neither a command nor a URL; give one of them: `tools probe -- COMMAND`, or --url URL"),
        (
            ("--url", "http://a", "--", "b"),
            "tools probe: a command and a URL; give one of them: `tools probe -- COMMAND`, or --url URL",
        ),
        (
            ("--env", "NO_SUCH_KEY", "--", "b"),
            "--env NO_SUCH_KEY: the environment variable is not set; set it, or leave the option out",
        ),
        (
            ("--folder", "nowhere", "--", "b"),
            "--folder nowhere: no folder; name the folder whose content the server needs",
        ),
        (("--log", ".", "--", "b"), ".: a folder, not a file; name a log of JSON-RPC messages with right calls"),
        (
            ("--html", "nowhere/probe.html", "--", "b"),
            "--html nowhere/probe.html: there is no folder nowhere; make the folder, or name another file",
        ),
        (("--html", ".", "--", "b"), "--html .: a folder, not a file; name a file"),
        (("--", "no-such-program"), "command 'no-such-program': not found; name a program on the PATH, or its path"),
    ],
)
def test_words_that_name_no_server_end_in_one_line(mendbench, words, line):
    result = mendbench("tools", "probe", *words)
    assert (result.code, result.line, result.out) == (2, line, "")


def test_without_a_right_call_a_draft_of_calls_is_printed(mendbench):
    result = mendbench("tools", "probe", "--no-sandbox", "--", *probed.command())
    drafts = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 2
    assert [one["tool"] for one in drafts] == ["find_book", "lend_book", "burn_book"]
    assert drafts[1] == {"tool": "lend_book", "arguments": {"title": "FILL IN", "due": "FILL IN"}, "request": ""}


def test_a_draft_of_calls_is_written_to_a_new_file_only(mendbench, tmp_path):
    path = tmp_path / "draft.jsonl"
    words = ("tools", "probe", "--no-sandbox", "--write-calls", path, "--", *probed.command())
    assert mendbench(*words).code == 0
    draft = path.read_text("utf-8")
    assert draft.count("\n") == 3
    result = mendbench(*words)
    assert (result.code, result.line) == (2, f"--write-calls {path}: it is there already; name a new file")
    assert path.read_text("utf-8") == draft


def test_cases_go_into_an_empty_folder_only(mendbench, tmp_path):
    (tmp_path / "notes.txt").write_text("ash")
    result = mendbench("tools", "probe", "--emit-cases", tmp_path, "--", "no-such-program")
    line = f"--emit-cases {tmp_path}: a folder with something in it; name a new or an empty folder"
    assert (result.code, result.line) == (2, line)


def test_without_a_case_no_command_to_prove_cases_is_named(mendbench, tmp_path):
    calls = probed.calls_file(tmp_path, json.dumps({"tool": "find_book", "arguments": probed.FIND}))
    words = ("--no-sandbox", "--calls", calls, "--limit", 4, "--emit-cases", tmp_path / "cases", "--format", "json")
    result = mendbench("tools", "probe", *words, "--", *probed.command())
    assert f"no case is written to {tmp_path / 'cases'}\n" in result.err
    assert "its right call has no request" in result.err
    assert "case check" not in result.err
    assert "mendbench: not counted: burn_book: its destructiveHint is true: --allow-writes runs it\n" in result.err
