"""The recorded prompt that is most like a missing one, and what differs."""

from mendbench.cassettes.cassette import Entry
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Answer, Request
from mendbench.prompts.prompt_diff import nearest, text_of


def ask(text, **more):
    return {
        "model": "m", "messages": [{"role": "user", "content": text}], "params": {"temperature": 0},
        "response_format": None, "draw": 0, **more,
    }  # fmt: skip


def entry(of):
    return Entry(
        key=digest(of), request=Request(method="POST", url="model://m/chat"), answer=Answer(status=200), ask=of
    )


def test_the_one_with_most_lines_in_common_is_shown_line_by_line():
    known = [entry(ask(text)) for text in ("x\ny\nz", "a\nb\nc\nd", "a\nb")]
    found = nearest(ask("a\nB\nc\nd"), known)
    assert found.key == known[1].key
    assert found.differs == ("messages[0] at character 2",)
    assert found.diff.splitlines() == [
        f"--- recorded {known[1].key}", "+++ rendered now", "@@ -1,4 +1,4 @@", " a", "-b", "+B", " c", " d",
    ]  # fmt: skip


def test_a_change_at_the_front_hides_nothing_that_follows():
    known = [entry(ask("head\nother\nlines\nall")), entry(ask("HEAD\nsame\nlines\nhere"))]
    assert nearest(ask("head\nsame\nlines\nhere"), known).key == known[1].key


def test_where_only_a_parameter_differs_there_is_no_text_to_show():
    found = nearest(ask("a", params={"temperature": 1}), [entry(ask("a"))])
    assert (found.differs, found.diff) == (("params.temperature",), "")


def test_nothing_recorded_is_like_nothing():
    assert nearest(ask("a"), []) is None


def test_the_choice_does_not_hang_on_the_order():
    known = [entry(ask("a\nb\nX")), entry(ask("a\nb\nY"))]
    assert nearest(ask("a\nb\nZ"), known) == nearest(ask("a\nb\nZ"), known[::-1])


def test_a_message_that_calls_a_tool_is_shown_whole():
    calls = [{"role": "assistant", "content": "hm", "tool_calls": [{"id": "t"}]}]
    assert text_of({"messages": calls}) == '{"content":"hm","role":"assistant","tool_calls":[{"id":"t"}]}'
