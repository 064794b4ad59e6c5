from mendbench.cli import probe_table
from mendbench.probing.answers import Answer
from mendbench.probing.calls import Call
from mendbench.probing.faults import Fault
from mendbench.probing.findings import examine
from mendbench.probing.result import BrokenCall


def broken(tool, operator, argument, text, kind="tool_error", expected=(), **same):
    right = "" if operator == "extra" else "sort_by"
    fault = Fault(
        operator=operator, argument=argument, what=f"{argument} {operator}", arguments={argument: "x"}, right_name=right, expected=expected
    )  # fmt: skip
    answer = Answer(kind=kind, text=text)
    call = Call(tool=tool, arguments={}, place="line 1")
    findings = examine(fault, answer, tool=tool, **same)
    return BrokenCall(id=f"{tool}/{operator}/{argument}", call=call, fault=fault, answer=answer, findings=findings)


def rows(*found):
    return [tuple(row) for row in probe_table.probe_table(found).rows]


def ignored(tool):
    return broken(tool, "extra", "limit", f"{tool} is done", "result", same_as_right=True)


def test_tools_with_the_same_finding_share_a_row_that_counts_them():
    refused = broken("sort", "extra", "limit", "no limit here")
    assert rows(ignored("find"), ignored("lend"), refused) == [
        ("2 of 3 tools", "limit extra", "silent", "an error (ignored)", "find is done"),
        ("sort", "limit extra", "partly", "that it is not allowed", "no limit here"),
    ]


def test_a_message_that_helps_has_no_row():
    assert rows(broken("find", "extra", "limit", "unexpected argument limit")) == []


def test_the_message_is_the_first_line_that_says_something_without_the_tools_name():
    (row,) = rows(broken("find", "missing", "sort_by", '{\n  "error": "find: bad call"\n}'))
    assert row[4] == '…bad call"'


def test_what_is_missing_is_cut_only_where_there_is_no_room(monkeypatch):
    long = broken("find_all_the_books_of_a_shelf", "missing", "sort_by", "bad " * 40)
    monkeypatch.setattr(probe_table, "_room", lambda: 100)
    (narrow,) = rows(long)
    assert narrow[3] == "the name 'sort_by', that it is…"
    assert sum(map(len, narrow)) + 2 * len(narrow) == 100
    monkeypatch.setattr(probe_table, "_room", lambda: 300)
    (wide,) = rows(long)
    assert wide[3] == "the name 'sort_by', that it is required"
    assert wide[0] == "find_all_the_books_of_a_shelf"
