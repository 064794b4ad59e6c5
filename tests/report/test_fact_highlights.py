from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.fact_highlights import MOST, matched_words


def test_the_words_that_state_a_fact_are_those_that_stand_there():
    assert matched_words([r"fetch\.\w+"], ["use fetch.name or fetch.id"]) == ("fetch.name", "fetch.id")


def test_a_part_of_a_word_states_nothing():
    assert matched_words(["name"], ["username and names"]) == ()


def test_a_fact_that_json_escaped_is_marked_as_it_is_written():
    assert matched_words(['say "hi"'], [r'{"error": "please say \"hi\" first"}']) == (r"say \"hi\"",)


def test_the_longest_words_come_first_so_that_none_hides_in_another():
    assert matched_words(["a", "a-b"], ["a-b"]) == ("a-b", "a")


def test_a_loose_fact_does_not_mark_all_there_is():
    assert len(matched_words([r"\w+"], [" ".join(f"word{number}" for number in range(99))])) == MOST


def test_a_damaged_fact_that_is_no_pattern_marks_nothing():
    assert matched_words(["((", "a{9999999999}", "name"], ["a name"]) == ("name",)


@given(st.text(max_size=60))
def test_every_marked_word_stands_in_the_text(text):
    assert all(word in text for word in matched_words([r"\w+", r"\S+ \S+"], [text]))
