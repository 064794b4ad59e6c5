from mendbench.scoring.confusion import confusion, warning_shares


def rates(matrix):
    return {name: share.value for name, share in warning_shares(matrix).items()}


def test_nodes_without_a_label_and_nodes_that_did_not_run_are_left_out():
    labels = {"a": "warning", "b": "success", "c": "not_run", "d": "error", "e": "error"}
    got = {"a": "error", "b": "success", "c": "success", "d": "not_run", "z": "warning"}
    assert confusion(labels, got) == {("warning", "error"): 1, ("success", "success"): 1}


def test_matrices_of_several_cases_add_up():
    one = confusion({"a": "warning"}, {"a": "warning"})
    assert (one + one)[("warning", "warning")] == 2


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
    assert rates(matrix) == {
        "recall": 6 / 8,
        "false_alarm_rate": 2 / 20,
        "silent_success_rate": 2 / 16,
        "precision": 6 / 8,
        "f1": 12 / 16,
    }


def test_every_rate_is_undefined_where_there_is_nothing_to_measure_it_on():
    assert set(rates({}).values()) == {None}
    calm = rates({("success", "success"): 3})
    assert [name for name, rate in calm.items() if rate is not None] == ["false_alarm_rate"]
    assert calm["false_alarm_rate"] == 0


def test_each_rate_says_what_it_is_counted_of():
    matrix = {("warning", "warning"): 6, ("warning", "error"): 2, ("error", "warning"): 1, ("success", "success"): 3}
    found = {name: (share.part, share.n) for name, share in warning_shares(matrix).items()}
    assert found == {
        "recall": (6, 8),
        "false_alarm_rate": (1, 4),
        "silent_success_rate": (0, 9),
        "precision": (6, 7),
        "f1": (12, 15),
    }
