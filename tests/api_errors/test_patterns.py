import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.patterns import (
    GENERIC,
    HISTORY,
    SUBSTRINGS,
    SYSTEM_PATTERNS,
    PatternHistory,
    category_of,
    noted,
    should_stop,
    suggestion,
)


def after(*texts, start=None, function="run_code"):
    history = start or PatternHistory()
    for text in texts:
        history = noted(history, text, function)
    return history


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("findfont: Font family 'Noto' not found.", "font_error"),
        ("ModuleNotFoundError: No module named 'pandas'", "module_error"),
        ("PERMISSION DENIED", "permission_error"),
        ("Access denied for user", "permission_error"),
        ("RuntimeError: out of memory", "resource_error"),
        ("disk full", "resource_error"),
        ("fork: Cannot allocate memory", "resource_error"),
        ("cannot connect to display :0", "plotting_error"),
        ("cairo returned NULL", "plotting_error"),
        ("cannot write to /data/x.csv", "file_io_error"),
        ("the volume is read-only", "file_io_error"),
        ("HTTP 422", GENERIC),
        ("", GENERIC),
    ],
)
def test_a_category_is_reported_by_a_substring_whatever_its_case(text, category):
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("permission denied while loading the font", "font_error"),
        ("no module named x: permission denied", "module_error"),
        ("access denied, disk full", "permission_error"),
        ("disk full, so no figure", "resource_error"),
        ("cannot write the figure", "plotting_error"),
        ("timeout: file locked", "file_io_error"),
    ],
)
def test_the_first_category_of_the_list_wins(text, category):
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("ImportError: x", "system_error_6"),
        ("operation not permitted", "system_error_9"),
        ("No space left on device", "system_error_12"),
        ("Connection refused", "system_error_14"),
        ("network unreachable", "system_error_15"),
        ("Timeout after 30 s", "system_error_16"),
        ("timeout: connection refused", "system_error_14"),
        ("file x.pdf is locked", "system_error_25"),
    ],
)
def test_what_no_substring_identifies_has_the_place_of_the_first_system_pattern(text, category):
    assert category_of(text) == category


def test_there_are_27_system_patterns_and_most_are_hidden_behind_a_substring():
    examples = [
        "findfont: font family x not found", "cannot find font", "font x not available", "missing a font",
        "no module named x", "modulenotfounderror", "importerror",
        "permission denied", "access denied", "operation not permitted",
        "out of memory", "disk full", "no space left", "cannot allocate memory",
        "connection refused", "network unreachable", "timeout",
        "backend x not available", "cannot create figure", "failed to create a window", "display x was not found",
        "DISPLAY is not set", "cairo x error", "agg x error",
        "cannot write file", "file x locked", "read-only file system",
    ]  # fmt: skip
    assert [bool(p.search(text)) for (_, p), text in zip(SYSTEM_PATTERNS, examples, strict=True)] == [True] * 27
    reached = [at for at, text in enumerate(examples) if category_of(text) == f"system_error_{at}"]
    assert reached == [6, 9, 12, 14, 15, 16, 25]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("cannot aggregate a text", "plotting_error"),
        ("the message was tagged twice", "plotting_error"),
        ("the rate window is used up", "plotting_error"),
        ("unknown field display_name", "plotting_error"),
        ("backend answered 502", "plotting_error"),
        ("figures must be positive", "plotting_error"),
        ("the font of all wisdom", "font_error"),
        ("field 'id' is read-only", "file_io_error"),
    ],
)
def test_words_that_hold_another_word_collide_as_in_the_baseline_so_that_aggregate_is_plotting(text, category):
    assert category_of(text) == category


def test_the_third_error_of_a_category_in_a_row_means_stop():
    texts = ("permission denied: /a", "Access denied", "permission denied: /b")
    assert [should_stop(after(*texts[:count])) for count in range(4)] == [False, False, False, True]
    assert after(*texts).similar == 2


def test_function_and_text_do_not_matter_to_likeness():
    history = PatternHistory()
    for at, name in enumerate(("read", "write", "fetch")):
        history = noted(history, f"disk full at {at}", name)
    assert should_stop(history)


def test_a_success_in_between_does_not_reset_because_it_is_not_reported():
    history = after("disk full", "disk full")
    assert should_stop(after("disk full", start=history))


def test_another_category_in_between_begins_again():
    assert not should_stop(after("disk full", "disk full", "no module named x", "disk full", "disk full"))


def test_the_stop_stands_while_the_category_stays_and_ends_with_another():
    history = after(*["disk full"] * 5)
    assert should_stop(history)
    assert not should_stop(after("permission denied", start=history))


def test_two_system_errors_of_different_places_are_not_similar():
    assert not should_stop(after("connection refused", "timeout", "network unreachable"))
    assert should_stop(after("connection refused", "Connection refused by x", "connection refused"))


def test_three_unknown_errors_are_of_one_kind():
    assert should_stop(after("HTTP 422", "no such channel", "title is too long"))


def test_unknown_errors_reset_where_the_policy_says_so():
    resets = PatternHistory(unrecognised="resets")
    assert not should_stop(after("a", "b", "c", start=resets))
    assert not should_stop(after("disk full", "disk full", "HTTP 422", "disk full", start=resets))
    assert after("disk full", "HTTP 422", start=resets).category is None
    assert suggestion(after("HTTP 422", start=resets)) is None


def test_there_is_nothing_to_suggest_before_the_first_error():
    assert suggestion(PatternHistory()) is None


@pytest.mark.parametrize(
    ("text", "topic", "step"),
    [
        ("font x", "(fonts)", "install the font"),
        ("no module named x", "(modules)", "Install the package"),
        ("ImportError", "(modules)", "Install the package"),
        ("permission denied", "(permissions)", "owner and mode"),
        ("operation not permitted", "(permissions)", "owner and mode"),
        ("disk full", "(resources)", "less data"),
        ("no space left", "(resources)", "less data"),
        ("display", "(plotting)", "needs no display"),
        ("cannot write", "(file I/O)", "another folder"),
        ("file is locked", "(file I/O)", "another folder"),
        ("timeout", "(network)", "more time"),
        ("connection refused", "(network)", "address"),
    ],
)
def test_each_topic_has_its_own_numbered_steps(text, topic, step):
    hint = suggestion(after(text))
    assert topic in hint
    assert step in hint
    assert "\n1. " in hint


def test_an_unknown_error_is_summarised_by_the_first_lines_of_the_last_three_and_three_next_steps():
    hint = suggestion(after("zero", "one\nmore", "two", "\n  three\nmore"))
    assert "- one\n- two\n- three\n" in hint
    assert "zero" not in hint
    assert "more" not in hint
    assert "3. " in hint
    assert "4. " not in hint


def test_every_named_category_and_every_system_pattern_has_a_topic_to_suggest_from():
    topics = {topic for _, topic, _ in SUBSTRINGS} | {topic for topic, _ in SYSTEM_PATTERNS}
    for category in [c for c, _, _ in SUBSTRINGS] + [f"system_error_{at}" for at in range(27)]:
        hint = suggestion(PatternHistory(category=category))
        assert any(f"({topic})" in hint for topic in topics)


TEXTS = st.one_of(
    st.sampled_from(["disk full", "HTTP 422", "timeout", "permission denied", "aggregate", "", "\n"]), st.text()
)


@given(texts=st.lists(TEXTS, max_size=40))
def test_a_history_never_holds_more_than_ten_errors_and_they_are_the_last_ones(texts):
    history = after(*texts)
    assert [error.text for error in history.errors] == texts[-HISTORY:]


@given(texts=st.lists(TEXTS, max_size=12), last=TEXTS, unrecognised=st.sampled_from(["counts", "resets"]))
def test_the_detector_is_pure(texts, last, unrecognised):
    before = after(*texts, start=PatternHistory(unrecognised=unrecognised))
    kept = (before.errors, before.category, before.similar, should_stop(before), suggestion(before))
    assert noted(before, last) == noted(before, last)
    assert kept == (before.errors, before.category, before.similar, should_stop(before), suggestion(before))
    assert noted(before, last).unrecognised == unrecognised


@given(texts=st.lists(TEXTS, max_size=20))
def test_it_stops_exactly_where_the_last_three_categories_are_one(texts):
    categories = [category_of(text) for text in texts]
    assert should_stop(after(*texts)) == (len(texts) >= 3 and len(set(categories[-3:])) == 1)


@given(texts=st.lists(TEXTS, min_size=1, max_size=12))
def test_there_is_a_suggestion_after_any_error(texts):
    assert suggestion(after(*texts))
