from hypothesis import given
from hypothesis import strategies as st

from mendbench.scoring.confusion import STATES, first_states, state_matrix, warning_rates
from tests.fakes.forensics import trial, unjudged

FETCHED = ("fetch", "success", "success")
WARNED = (FETCHED, ("greet", "error", "warning"))
FAILED = (FETCHED, ("greet", "error", "error"))


def rates(matrix):
    return {rate.name: (rate.part, rate.n, rate.value) for rate in matrix.rates}


def test_a_case_counts_once_however_many_trials_it_has():
    trials = [trial("a", nodes=WARNED, sample=sample, policy=policy) for sample in (0, 1) for policy in ("warn", "all")]
    nodes, disagreements, not_executed = first_states(trials)
    assert (nodes, disagreements, not_executed) == ({"a": WARNED}, (), ())
    assert (state_matrix(nodes).n, state_matrix(nodes).cases) == (2, 1)


def test_the_matrix_as_worked_out_by_hand():
    nodes = {
        "a": WARNED,
        "b": (FETCHED, ("announce", "warning", "warning")),
        "c": (("announce", "warning", "error"), ("then", "error", "success")),
        "d": (),
    }
    found = state_matrix(nodes)
    assert (found.n, found.cases) == (6, 4)
    assert found.cells == ((2, 0, 0), (0, 1, 1), (1, 1, 0))
    assert rates(found) == {
        "recall": (1, 2, 0.5),
        "false_alarm_rate": (1, 4, 0.25),
        "silent_success_rate": (1, 4, 0.25),
        "precision": (1, 2, 0.5),
        "f1": (2, 4, 0.5),
    }


def test_rates_are_undefined_where_there_is_nothing_to_measure_them_on():
    found = state_matrix({})
    assert (found.n, found.cases, found.cells) == (0, 0, ((0, 0, 0),) * 3)
    assert {value for _, _, value in rates(found).values()} == {None}


def test_trials_that_disagree_are_named_and_their_case_is_left_out():
    trials = [
        trial("a", nodes=FAILED),
        trial("a", nodes=WARNED, sample=1),
        trial("a", nodes=WARNED, sample=2),
        trial("b"),
    ]
    nodes, (fault,), _ = first_states(trials)
    assert set(nodes) == {"b"}
    assert (fault.case, fault.node, fault.states) == ("a", "greet", ("error", "warning"))
    assert [key[-1] for key in fault.trials] == ["0", "1"]
    assert fault.says.startswith("the first execution gave error in a | ")


def test_a_node_that_only_one_trial_has_is_a_disagreement_too():
    _, (fault,), _ = first_states([trial("a", nodes=FAILED), trial("a", nodes=(FETCHED,), sample=1)])
    assert (fault.node, fault.states) == ("greet", ("error", "not_run"))


def test_a_trial_whose_first_execution_never_ended_says_nothing():
    never = unjudged("a", nodes=(), end=None)
    nodes, disagreements, not_executed = first_states(
        [never, trial("a", nodes=FAILED, sample=1), unjudged("b", nodes=(), end=None)]
    )
    assert (set(nodes), disagreements, not_executed) == ({"a"}, (), ("b",))


cases = st.dictionaries(
    st.sampled_from("abcde"),
    st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(STATES), st.sampled_from(STATES)), max_size=4).map(
        tuple
    ),
)


@given(cases)
def test_every_node_is_in_one_cell(nodes):
    found = state_matrix(nodes)
    assert found.n == sum(map(sum, found.cells)) == sum(map(len, nodes.values()))
    right = sum(found.cells[at][at] for at in range(len(STATES)))
    assert right == sum(expected == got for states in nodes.values() for _, expected, got in states)


@given(cases)
def test_trials_in_any_order_and_twice_give_the_same_states(nodes):
    trials = [trial(case, nodes=states, sample=sample) for case, states in nodes.items() for sample in (0, 1)]
    assert first_states(trials[::-1]) == first_states(trials) == (nodes, (), ())


def values_of(matrix):
    return {name: rate.value for name, rate in warning_rates(matrix).items()}


def test_the_rates_come_from_the_matrix():
    matrix = {
        ("warning", "warning"): 6,
        ("warning", "error"): 1,
        ("warning", "success"): 1,
        ("error", "warning"): 2,
        ("error", "error"): 5,
        ("error", "success"): 1,
        ("success", "success"): 12,
    }
    assert values_of(matrix) == {
        "recall": 6 / 8,
        "false_alarm_rate": 2 / 20,
        "silent_success_rate": 2 / 16,
        "precision": 6 / 8,
        "f1": 12 / 16,
    }


def test_every_rate_is_undefined_where_there_is_nothing_to_measure_it_on():
    assert set(values_of({}).values()) == {None}
    calm = values_of({("success", "success"): 3})
    assert [name for name, rate in calm.items() if rate is not None] == ["false_alarm_rate"]
    assert calm["false_alarm_rate"] == 0


def test_each_rate_says_what_it_is_counted_of():
    matrix = {("warning", "warning"): 6, ("warning", "error"): 2, ("error", "warning"): 1, ("success", "success"): 3}
    found = {name: (rate.part, rate.n) for name, rate in warning_rates(matrix).items()}
    assert found == {
        "recall": (6, 8),
        "false_alarm_rate": (1, 4),
        "silent_success_rate": (0, 9),
        "precision": (6, 7),
        "f1": (12, 15),
    }
