from mendbench.scoring.forensics.confusion import confusion, warning_accuracy, warning_shares


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
    found = warning_accuracy(matrix)
    assert found.recall == 6 / 8
    assert found.false_alarm_rate == 2 / 20
    assert found.silent_success_rate == 2 / 16
    assert found.precision == 6 / 8
    assert found.f1 == 12 / 16


def test_every_rate_is_undefined_where_there_is_nothing_to_measure_it_on():
    empty = warning_accuracy({})
    assert (empty.recall, empty.false_alarm_rate, empty.silent_success_rate, empty.precision, empty.f1) == (None,) * 5
    calm = warning_accuracy({("success", "success"): 3})
    assert (calm.recall, calm.false_alarm_rate, calm.silent_success_rate, calm.f1) == (None, 0.0, None, None)


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
    rates = warning_accuracy(matrix)
    assert {name: share.value for name, share in warning_shares(matrix).items()} == {
        name: getattr(rates, name) for name in found
    }
