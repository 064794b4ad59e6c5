import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.failure import FieldProblem, SentRequest, UpstreamSource
from mendbench.repair.signature import normalised, signature
from tests.fakes.repair import execution, failure


def of(*failures, name="full"):
    return signature(execution("error", *failures), name)


@pytest.mark.parametrize("name", ["full", "prefix40"])
def test_an_execution_without_failures_has_the_signature_of_no_errors(name):
    assert signature(execution("success"), name) == "no_errors"


@pytest.mark.parametrize("name", ["full", "prefix40"])
@given(order=st.permutations(range(4)))
def test_the_order_of_failures_does_not_matter(name, order):
    failures = [failure(f"error {at}", node) for at, node in enumerate(["b", None, "a", "a"])]
    assert of(*[failures[at] for at in order], name=name) == of(*failures, name=name)


def test_the_baseline_writes_node_category_and_forty_characters():
    long = "Unresolved variables in parameter 'body': ${a.b}"
    assert of(failure(long, "greet", category="template_error"), failure("HTTP 500", "fetch"), name="prefix40") == (
        "fetch|api_validation|http 500||greet|template_error|" + long.lower()[:40]
    )


def test_the_baseline_looks_at_the_first_five_failures():
    six = [failure("x", node) for node in "abcdef"]
    assert of(*six, name="prefix40") == of(*six[:5], name="prefix40")
    assert of(*six) != of(*six[:5])


@pytest.mark.parametrize(
    ("message", "normal"),
    [
        ("at 10:45 and 10:45:23", "at time and time"),
        ("on 2026-01-02", "on date"),
        ("id deadbeef01", "id hex_id"),
        ("request_123 failed", "request_id failed"),
        ("number 123456", "number num_id"),
        ("line 12 of x.py:3:4", "line n of x.py:n:n"),
        ("Too   many\n spaces", "too many spaces"),
    ],
)
def test_the_baseline_normalises_volatile_parts(message, normal):
    assert of(failure(message, "n"), name="prefix40") == f"n|api_validation|{normal}"


def test_the_baseline_leaves_the_hour_of_an_iso_time_and_the_full_signature_does_not():
    early, late = failure("at 2026-01-02T10:45:23Z"), failure("at 2026-01-02T11:45:23Z")
    assert of(early, name="prefix40") != of(late, name="prefix40")
    assert of(early) == of(late)


def test_a_422_on_the_title_and_then_on_the_body_differ_in_full_but_not_in_the_baseline():
    title = failure(problems=(FieldProblem(field="title", problem="missing", says="missing_field"),))
    body = failure(problems=(FieldProblem(field="body", problem="invalid", says="invalid"),))
    assert of(title) != of(body)
    assert of(title, name="prefix40") == of(body, name="prefix40")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"raw_response": {"message": "Not Found"}}, {"raw_response": {"message": "Gone"}}),
        ({"status_code": 404}, {"status_code": 410}),
        ({"unresolved": ("${a.b}",)}, {"unresolved": ("${a.c}",)}),
        ({"category": "exception"}, {"category": "execution_failure"}),
        ({"shell_exit_code": 1}, {"shell_exit_code": 2}),
        ({"mcp_error": {"message": "a"}}, {"mcp_error": {"message": "b"}}),
    ],
)
def test_every_part_of_a_failure_that_an_edit_can_change_distinguishes_two(one, other):
    assert of(failure(**one)) != of(failure(**other))


def test_a_message_is_compared_to_its_end():
    assert of(failure("x" * 60 + "a")) != of(failure("x" * 60 + "b"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("request id: 4f2a9c117be0", "request id: 0b77d2e9aa31"),
        ("failed (request_id=req_011CSHoEeqs5)", "failed (request_id=req_7Yx2Kqq10ab)"),
        ("uuid 0f8fad5b-d9cb-469f-a165-70867728950e", "uuid 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("Date: Mon, 23 Nov 2026 10:00:01 GMT", "Date: Tue, 24 Nov 2026 11:30:59 GMT"),
        ("at 2026-11-21T10:01:02.123Z", "at 2026-11-22T23:59:00.7Z"),
        ("at 2026-11-21 10:00:00+01:00", "at 2026-11-22 00:00:00+01:00"),
        ("since 1767225600.123", "since 1767225999.9"),
        ("account 123456", "account 999999999"),
        ("after 30 ms", "after 7ms"),
        ("in line 3", "in line 99"),
        ("at x.py:3:14", "at x.py:10:1"),
        ("ref 9ABCdef0123XYZ456", "ref QQ78zzTTopqrs0012"),
        ("object 0x7f41", "object 0x7fffe1"),
    ],
)
def test_what_changes_from_call_to_call_does_not_change_the_full_signature(first, second):
    assert of(failure(first)) == of(failure(second))
    assert of(failure(raw_response={"message": first})) == of(failure(raw_response={"message": second}))


def test_ids_of_a_response_are_known_by_their_keys():
    def body(mark, when):
        return {"error": "boom", "requestId": mark, "meta": [{"timestamp": when, "x-request-id": mark}]}

    assert of(failure(raw_response=body("a", 1))) == of(failure(raw_response=body("b", 2)))
    assert of(failure(raw_response=body("a", 1))) != of(failure(raw_response=body("a", 1) | {"error": "bang"}))


def test_short_ids_and_words_that_an_edit_may_change_stay():
    assert normalised("channel C0123AB not in ${fetch.items[0].id}") == "channel c0123ab not in ${fetch.items[0].id}"
    assert of(failure("no channel C0123AB")) != of(failure("no channel C0123AC"))


@given(text=st.text())
def test_any_message_has_a_signature_in_both_ways(text):
    for name in ("full", "prefix40"):
        assert of(failure(text), name=name) == of(failure(text), name=name)


def sent(body=None, url="https://api.test/items"):
    return SentRequest(method="POST", url=url, headers={}, body=body)


ECHOED = [
    ("date {} is invalid", "2026-13-01", "2026-31-12"),
    ("amount {} too big", 250000, 100000),
    ("amount {} too big", 250000.0, 250001.0),
    ("no item deadbeef{}", "deadbeef01", "deadbeef02"),
    ("start {} is in the past", "2026-01-02T10:00:00Z", "2026-01-02T11:00:00Z"),
    ("window of {} ms is too long", 300000, 400000),
    ("window of {} s is too long", 30, 40),
    ("request id {} is unknown", "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"),
]


@pytest.mark.parametrize(("says", "first", "second"), ECHOED)
def test_a_value_that_the_request_carried_is_not_volatile_wherever_the_answer_echoes_it(says, first, second):
    def failures_with(value, **more):
        words = says.format(str(value).removeprefix("deadbeef"))
        return [
            failure(words, **more),
            failure(raw_response={"error": words}, **more),
            failure(problems=(FieldProblem(field="x", problem="invalid", says=words),), **more),
            failure(shell_stderr=words, **more),
        ]

    for one, other in zip(
        failures_with(first, request_sent=sent({"x": [first]})),
        failures_with(second, request_sent=sent({"x": [second]})),
        strict=True,
    ):
        assert of(one) != of(other)
    for one, other in zip(failures_with(first), failures_with(second), strict=True):
        assert of(one) == of(other)


def test_the_request_url_the_resolved_data_and_the_command_count_as_sent():
    def ways(day):
        words = f"{day} is no day"
        source = UpstreamSource(param="body.on", template="${rota.day}", resolved=True, value={"day": day})
        return (
            failure(words, request_sent=sent(url=f"https://api.test/days?on=x+{day}")),
            failure(words, request_sent=sent({"form": [["on", day]]})),
            failure(words, upstream=(source,)),
            failure(words, shell_command=f"date -d {day}"),
        )

    for one, other in zip(ways("2026-13-01"), ways("2026-31-12"), strict=True):
        assert of(one) != of(other)


def test_numbers_and_volatile_keys_of_an_answer_stay_where_the_request_carried_them():
    def echo(amount, day):
        return failure(raw_response={"amount": amount, "date": day}, request_sent=sent({"a": amount, "d": day}))

    assert of(echo(250000, "2026-13-01")) != of(echo(100000, "2026-13-01"))
    assert of(echo(250000, "2026-13-01")) != of(echo(250000, "2026-31-12"))


def test_what_the_request_did_not_carry_stays_volatile_beside_what_it_did():
    def at(moment, mark):
        message = f"date 2026-13-01 is invalid (at {moment}, request id: {mark})"
        return failure(
            message, raw_response={"ts": moment, "says": message}, request_sent=sent({"date": "2026-13-01", "n": 1})
        )

    assert of(at("2026-11-21T10:01:02Z", "4f2a9c117be0")) == of(at("2026-11-22T11:00:00Z", "0b77d2e9aa31"))


def test_a_date_that_the_request_carried_stays_even_inside_a_moment():
    def failure_on(day, clock):
        return failure(f"{day}T{clock}Z is invalid", request_sent=sent({"date": day}))

    assert of(failure_on("2026-13-01", "00:00:00")) != of(failure_on("2026-31-12", "00:00:00"))
    assert of(failure_on("2026-13-01", "00:00:00")) == of(failure_on("2026-13-01", "11:00:00"))


def test_a_part_of_a_sent_value_is_not_the_value():
    one, other = (failure(f"job {job}", request_sent=sent({"n": f"9{job}9"})) for job in (100000, 200000))
    assert of(one) == of(other)


def test_the_baseline_does_not_look_at_the_request():
    one, other = (failure(f"amount {n} too big", request_sent=sent({"n": n})) for n in (250000, 100000))
    assert of(one, name="prefix40") == of(other, name="prefix40")


@given(text=st.text(), body=st.text())
def test_normalising_beside_any_request_never_fails_and_without_one_nothing_is_kept(text, body):
    assert normalised(text, "") == normalised(text)
    normalised(text + body, body.lower())
    assert normalised(f"at 123456 {text}", "123456").startswith("at 123456")
