from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.network import (
    NetworkFailure,
    Timeouts,
    network_message,
    network_wait_s,
    provider_of,
    timeouts_for,
    with_network_retry,
)
from mendbench.errors import ReplayMiss
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.model.exchange import Fault, Response

OK = Response(status=200)


def tried(*responses, **options):
    """Return the result over these answers, the calls made, and the seconds waited on the virtual clock."""
    left, clock = list(responses), VirtualClock()

    def call():
        came = left.pop(0)
        if isinstance(came, BaseException):
            raise came
        return came

    result = with_network_retry(call, clock, **options)
    return result, len(responses) - len(left), (clock.now_ms() - START_MS) / 1000


def faulty(fault, count=1):
    return [Response(status=0, fault=fault)] * count


def test_an_answer_is_taken_at_once():
    assert tried(OK) == (OK, 1, 0)


@pytest.mark.parametrize("status", [400, 401, 404, 408, 429, 500, 502, 503, 504])
def test_an_http_status_is_an_answer_and_never_tried_again_here(status):
    response = Response(status=status)
    assert tried(response) == (response, 1, 0)


@pytest.mark.parametrize("fault", get_args(Fault))
def test_every_transport_fault_is_tried_again(fault):
    result, calls, waited = tried(*faulty(fault, 2), OK)
    assert (result, calls) == (OK, 3)
    assert 3 <= waited <= 3.9


def test_the_fifth_retry_may_still_succeed():
    assert tried(*faulty("timeout", 5), OK)[:2] == (OK, 6)


def test_after_five_retries_the_user_is_informed():
    result, calls, waited = tried(*faulty("timeout", 6), OK, provider="Claude")
    assert result == NetworkFailure(message="Request to Claude timed out. Please try again.", fault="timeout", tries=6)
    assert calls == 6
    assert 31 <= waited <= 31 * 1.3


def test_the_last_fault_is_the_one_that_is_reported():
    result, _, _ = tried(*faulty("timeout", 5), *faulty("tls"))
    assert result.fault == "tls"


def test_the_number_of_retries_can_be_changed():
    assert tried(*faulty("reset"), OK, max_retries=0)[0].tries == 1


def test_what_a_call_raises_passes_at_once():
    with pytest.raises(ValueError, match="no JSON"):
        tried(ValueError("no JSON"), OK)
    with pytest.raises(ReplayMiss):
        tried(ReplayMiss("GET x", nearest=None, differs=(), record="r"), OK)


def test_a_real_sleep_is_used_where_it_is_given():
    slept = []
    responses = [*faulty("refused", 2), OK]
    assert with_network_retry(lambda: responses.pop(0), None, sleep=slept.append, seed="x") == OK
    assert slept == [network_wait_s(1, seed="x"), network_wait_s(2, seed="x")]
    with pytest.raises(ValueError, match="clock or a sleep"):
        with_network_retry(lambda: OK, None)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("timeout", "Request to API timed out. Please try again."),
        ("refused", "Unable to connect to API. Please check your internet connection."),
        ("reset", "Unable to connect to API. Please check your internet connection."),
        ("dns", "Unable to connect to API. Please check your internet connection."),
        ("tls", "SSL connection error with API. Please try again."),
        ("truncated", "Network error occurred: the answer broke off"),
    ],
)
def test_each_fault_has_one_of_four_messages(fault, message):
    assert network_message(fault) == message
    assert network_message(fault, "Mistral") == message.replace("API", "Mistral")


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        (None, (10, 120)), ("openai", (10, 120)), ("claude", (10, 300)), ("Claude", (10, 300)), ("deepseek", (15, 180)),
    ],
)  # fmt: skip
def test_a_slow_provider_is_waited_for_longer(provider, expected):
    opened, read = expected
    assert timeouts_for(provider) == Timeouts(open_s=opened, read_s=read)


@given(attempt=st.integers(1, 2000), seed=st.text(max_size=8))
def test_a_wait_is_the_doubled_base_and_up_to_three_tenths_more_and_never_over_thirty_seconds(attempt, seed):
    whole = 2.0 ** min(attempt - 1, 10)
    waited = network_wait_s(attempt, seed=seed)
    assert min(whole, 30) <= waited <= min(whole * 1.3, 30)
    assert waited == network_wait_s(attempt, seed=seed)


@given(seeds=st.sets(st.text(max_size=8), min_size=40, max_size=40))
def test_the_jitter_differs_from_seed_to_seed(seeds):
    assert len({network_wait_s(3, seed=seed) for seed in seeds}) > 30


@given(faults=st.lists(st.sampled_from(get_args(Fault)), max_size=8), seed=st.text(max_size=4))
def test_the_virtual_time_waited_is_the_sum_of_the_waits_on_every_run(faults, seed):
    responses = [*(Response(status=0, fault=fault) for fault in faults), OK]
    result, calls, waited = tried(*responses, seed=seed)
    retries = min(len(faults), 5)
    assert calls == retries + 1
    assert (result == OK) == (len(faults) <= 5)
    assert waited == pytest.approx(sum(network_wait_s(n + 1, seed=seed) for n in range(retries)), abs=0.01)
    assert tried(*responses, seed=seed) == (result, calls, waited)


@pytest.mark.parametrize(
    ("model", "provider"), [("claude/large", "claude"), ("a/b/c", "a"), ("small", None), ("/small", None), ("", None)]
)
def test_the_provider_stands_before_the_first_slash_of_the_models_name(model, provider):
    assert provider_of(model) == provider


def test_busy_answers_are_tried_again_where_the_caller_says_so_and_count_as_tries():
    busy = Response(status=503)
    options = {"busy": lambda response: response.status == 503}
    assert tried(busy, *faulty("reset"), OK, **options)[:2] == (OK, 3)
    assert tried(*[busy, *faulty("reset")] * 4, **options)[:2] == (
        NetworkFailure(message=network_message("reset"), fault="reset", tries=6),
        6,
    )
    assert tried(*[busy] * 9, max_retries=2, **options)[:2] == (busy, 3)


def test_a_busy_answer_is_left_alone_for_as_long_as_it_asks():
    busy = Response(status=429)
    _, _, waited = tried(busy, OK, busy=lambda response: response == busy, retry_after=lambda _response: 7.0)
    assert waited == 7
