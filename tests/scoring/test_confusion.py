from mendbench.scoring.confusion import warning_rates


def rates(matrix):
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
    found = {name: (rate.part, rate.n) for name, rate in warning_rates(matrix).items()}
    assert found == {
        "recall": (6, 8),
        "false_alarm_rate": (1, 4),
        "silent_success_rate": (0, 9),
        "precision": (6, 7),
        "f1": (12, 15),
    }
