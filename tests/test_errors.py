import pickle

from mendbench.errors import BadInput, EffectEscape, GuardTripped, MendbenchError, ReplayMiss, UnknownName
from tests.fakes.tables import for_each

ERRORS = [
    MendbenchError("plain"),
    BadInput("case.yaml: title", "found  a\nthing", "mend it"),
    UnknownName("strategy", "sumary", ["summary", "none"]),
    ReplayMiss(
        "GET https://x.example/", nearest="GET https://y.example/", differs=("url.host",), record="mendbench run"
    ),
    GuardTripped("socket.connect", "127.0.0.1"),
]


@for_each("error", ERRORS)
def test_an_error_comes_whole_out_of_another_process(error):
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


@for_each("error", ERRORS)
def test_an_error_is_one_line(error):
    assert "\n" not in str(error)


def test_an_unknown_name_says_the_closest_and_all():
    said = str(UnknownName("strategy", "sumary", ["summary", "none"]))
    assert said == "strategy: unknown strategy 'sumary'; did you mean 'summary'? known: none, summary"


def test_what_ends_a_trial_is_not_caught_by_the_code_that_met_it():
    assert not issubclass(EffectEscape, Exception)
    assert issubclass(MendbenchError, Exception)


def test_of_many_names_the_first_are_listed_and_the_rest_counted():
    said = str(UnknownName("case", "nope", [f"c{number:03}" for number in range(127)]))
    assert said.endswith("c018, c019 and 107 more")


def test_a_line_is_cut_and_never_steers_a_terminal():
    error = BadInput("a\x1b[2J" * 200, "\ud800 " + "x" * 9000, "y\n" * 5000)
    assert str(error).isprintable()
    assert len(str(error)) < 2500
    assert "\\x1b[2J" in error.place
    assert len(str(UnknownName("node", "n" * 9000, ["m" * 9000] * 30))) < 2500
