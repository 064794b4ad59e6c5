"""Messages as servers and SDKs write them, and what they state."""

import json

import pytest

from mendbench.probing.answers import Answer, answer_of, lost
from mendbench.probing.faults import Fault
from mendbench.probing.findings import examine


def fault(operator, argument="sort_by", right_name="sort_by", expected=(), arguments=None):
    return Fault(
        operator=operator, argument=argument, what="", arguments={argument: "x"} if arguments is None else arguments,
        right_name=right_name, expected=expected,
    )  # fmt: skip


RENAMED = fault("renamed", "sortBy", "sort_by", ("sort_by",))
MISSING = fault("missing", arguments={})
ENUM = fault("enum", expected=("title", "year"))
TYPE = fault("type", "limit", "limit", ("integer",))


def verdict(one, text, kind="tool_error", tool="find", **same):
    found = examine(one, Answer(kind=kind, text=text), tool=tool, **same)
    return found.verdict, found.missing


@pytest.mark.parametrize(
    ("one", "text", "wanted"),
    [
        (
            RENAMED,
            "1 validation error for findArguments\nsort_by\n  Field required [type=missing, input_value={'sortBy': 'x'}, input_type=dict]",
            ("helps", ()),
        ),
        (
            RENAMED,
            "Additional properties are not allowed ('sortBy' was unexpected)",
            ("partly", ("the name 'sort_by'",)),
        ),
        (RENAMED, 'invalid call {"sortBy": "x"}', ("misleads", ("the name 'sort_by'",))),
        (MISSING, "Invalid input: expected string, received undefined at sort_by", ("helps", ())),
        (MISSING, "KeyError: 'sort_by'", ("partly", ("that it is required",))),
        (MISSING, "a required field is missing", ("partly", ("the name 'sort_by'",))),
        (MISSING, "Internal error", ("misleads", ("the name 'sort_by'", "that it is required"))),
        (ENUM, "sort_by must be title or year", ("helps", ())),
        (ENUM, "sort_by must be title, among others", ("partly", ("the allowed values",))),
        (ENUM, "'x' is not one of ['title', 'year']", ("partly", ("the argument",))),
        (
            TYPE,
            "limit: unable to parse string as an integer [type=int_parsing, input_value='x', input_type=str]",
            ("helps", ()),
        ),
        (TYPE, "limit: received number", ("partly", ("the type integer",))),
        (fault("type", "a", "a", ("string",)), "a problem with a string", ("partly", ("the argument",))),
        (fault("type", "a", "a", ("string",)), "expected string, received array at a", ("helps", ())),
        (fault("format", "due", "due", ("date",)), "due: written YYYY-MM-DD", ("helps", ())),
        (
            fault("format", "page", "page", ("uri",)),
            "For further information visit https://errors.example/uri",
            ("misleads", ("the argument", "the format")),
        ),
        (fault("range", "limit", "limit", (50,)), "limit is at most 50", ("helps", ())),
        (fault("range", "limit", "limit", (50,)), "limit is not 501", ("partly", ("the limit",))),
        (
            fault("name-for-id", "kiln_id", "kiln_id", ("id",)),
            "no kiln with this kiln_id",
            ("partly", ("that it is an id",)),
        ),
        (
            fault("name-for-id", "kiln_id", "kiln_id", ("id",)),
            "kiln_id: not an id: find one with list_kilns",
            ("helps", ()),
        ),
        (fault("unknown", "zone", "zone", ("Asia/Tokyoo",)), "No time zone found with key Asia/Tokyoo", ("helps", ())),
        (
            fault("unknown", "zone", "zone", ("Asia/Tokyoo",)),
            "Asia/Tokyoo is no city",
            ("partly", ("that there is none",)),
        ),
        (
            fault("unknown", "zone", "zone", ("Asia/Tokyoo",)),
            "Error executing tool find: Asia/Tokyoo",
            ("misleads", ("the argument", "that there is none")),
        ),
        (ENUM, "Invalid sort by: x", ("partly", ("the allowed values",))),
        (MISSING, "a sort by is required", ("partly", ("the name 'sort_by'",))),
        (
            fault("unknown", "zone", "zone", ("Asia/Tokyoo",)),
            "Internal error",
            ("misleads", ("the argument", "that there is none")),
        ),
        (
            fault("range", "limit", "limit", (1,)),
            "1 validation error for findArguments\nlimit\n  Bad value",
            ("partly", ("the limit",)),
        ),
        (fault("range", "names", "names", (1,), {"names": []}), "names must not be empty", ("helps", ())),
        (fault("type", "text", "text", ("string",)), "text: wrong", ("partly", ("the type string",))),
        (fault("type", "text", "text", ("string",)), "text: expected text", ("helps", ())),
        (fault("type", "at", "at", ("string",)), "Invalid arguments: at: expected text", ("helps", ())),
        (fault("extra", "verbose", ""), "Unrecognized key: verbose", ("helps", ())),
    ],
)
def test_a_message_helps_if_it_states_the_argument_and_what_is_expected(one, text, wanted):
    assert verdict(one, text) == wanted


def test_a_tool_that_is_called_like_its_argument_does_not_name_the_argument():
    assert (
        verdict(fault("type", "query", "query", ("string",)), "Error executing tool query: bad", tool="query")[0]
        == "misleads"
    )


def test_what_does_not_reach_the_model_as_an_error_is_no_help_whatever_it_states():
    said = "sort_by must be title or year"
    assert verdict(ENUM, said, "protocol_error") == ("hidden", ("isError",))
    assert verdict(ENUM, f"Error: {said}", "result") == ("silent", ("isError",))
    assert verdict(ENUM, "[]", "result") == ("silent", ("an error",))
    assert examine(ENUM, lost("no answer within 10 s"), tool="find").verdict == "lost"


def test_a_wrong_argument_is_ignored_if_the_answer_is_that_of_a_call_that_is_right_or_lacks_it():
    answer = Answer(kind="result", text="Bread")
    for same, heed in (({}, "accepted"), ({"same_as_right": True}, "ignored"), ({"same_as_without": True}, "ignored")):
        assert examine(ENUM, answer, tool="find", **same).heed == heed


def test_traces_paths_and_size_are_noted():
    text = 'Traceback (most recent call last)\n  File "/opt/library/find.py", line 3\nno /clay/pots.txt'
    found = examine(
        fault("enum", arguments={"sort_by": "/clay/pots.txt"}), Answer(kind="tool_error", text=text), tool="find"
    )
    assert found.stack_trace
    assert found.local_paths == ("/opt/library/find.py",)
    assert found.bytes == len(text)


def test_a_path_of_the_call_that_a_message_shortens_is_no_path_of_the_servers_machine():
    one = fault("enum", arguments={"sort_by": "/clay/kiln/pots.txt"})
    for text, paths in (
        ("input_value={'sort_by': '/clay/ki...txt'}", ()),
        ("no /opt/li...txt", ("/opt/li...txt",)),
    ):
        assert examine(one, Answer(kind="tool_error", text=text), tool="find").local_paths == paths


def test_the_kind_of_an_answer_comes_from_its_marks_and_a_failure_from_its_words():
    def result(text, **more):
        return answer_of({"result": {"content": [{"type": "text", "text": text}], **more}})

    for answer, kind, accepted in (
        (result("Bread"), "result", True),
        (result("no", isError=True), "tool_error", False),
        (
            answer_of({"error": {"code": -32602, "message": "Invalid params", "data": {"at": "a"}}}),
            "protocol_error",
            False,
        ),
        (result("Error: no shelf"), "result", False),
        (result("Failed to open it"), "result", False),
        (result(json.dumps({"success": False})), "result", False),
        (result("Database error: no such table"), "result", False),
        (result("Errors of the first edition"), "result", True),
        (result("The kiln failed in 1907"), "result", True),
        (answer_of({"result": {"structuredContent": {"n": 1}}}), "result", True),
    ):
        assert (answer.kind, answer.accepted) == (kind, accepted), answer.text
