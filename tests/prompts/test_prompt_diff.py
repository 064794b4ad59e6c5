"""The recorded prompt that is most like a missing one, and what differs."""

from mendbench.cassettes.cassette import Entry
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request, Response
from mendbench.prompts.prompt_diff import nearest, text_of


def model_request(text, **more):
    return {
        "model": "m", "messages": [{"role": "user", "content": text}], "params": {"temperature": 0},
        "response_format": None, "draw": 0, **more,
    }  # fmt: skip


def entry(of):
    return Entry(
        key=digest(of),
        request=Request(method="POST", url="model://m/chat"),
        response=Response(status=200),
        model_request=of,
    )


def test_the_one_with_most_lines_in_common_is_shown_line_by_line():
    known = [entry(model_request(text)) for text in ("x\ny\nz", "a\nb\nc\nd", "a\nb")]
    found = nearest(model_request("a\nB\nc\nd"), known)
    assert found.key == known[1].key
    assert found.differs == ("messages[0] at character 2",)
    assert found.diff.splitlines() == [
        f"--- recorded {known[1].key}", "+++ rendered now", "@@ -1,4 +1,4 @@", " a", "-b", "+B", " c", " d",
    ]  # fmt: skip


def test_a_change_at_the_front_hides_nothing_that_follows():
    known = [entry(model_request("head\nother\nlines\nall")), entry(model_request("HEAD\nsame\nlines\nhere"))]
    assert nearest(model_request("head\nsame\nlines\nhere"), known).key == known[1].key


def test_where_only_a_parameter_differs_there_is_no_text_to_show():
    found = nearest(model_request("a", params={"temperature": 1}), [entry(model_request("a"))])
    assert (found.differs, found.diff) == (("params.temperature",), "")


def test_nothing_recorded_is_like_nothing():
    assert nearest(model_request("a"), []) is None


def test_the_choice_does_not_hang_on_the_order():
    known = [entry(model_request("a\nb\nX")), entry(model_request("a\nb\nY"))]
    assert nearest(model_request("a\nb\nZ"), known) == nearest(model_request("a\nb\nZ"), known[::-1])


def test_a_message_that_calls_a_tool_is_shown_whole():
    calls = [{"role": "assistant", "content": "hm", "tool_calls": [{"id": "t"}]}]
    assert text_of({"messages": calls}) == '{"content":"hm","role":"assistant","tool_calls":[{"id":"t"}]}'
