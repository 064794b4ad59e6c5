"""Running many tasks, here or in other processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import Incomplete
from mendbench.runs import executor
from mendbench.runs.executor import DIED, IN_FLIGHT_PER_WORKER, LARGEST_CHUNK, chunked, run_all, workers_for
from tests.fakes.tasks import (
    ERRORS,
    die_at_first,
    die_of_seven,
    divide,
    process_of,
    raise_numbered,
    square,
    touch_until_over,
)


def each(items):
    return [(item,) for item in items]


def test_one_worker_is_this_process_and_keeps_the_order():
    assert list(run_all(process_of, each(range(2)), 1)) == [os.getpid()] * 2
    assert list(run_all(square, [(0, 1), (2,), (), (3, 4)], 1)) == [0, 1, 4, 9, 16]


def test_one_worker_runs_a_task_only_when_its_result_is_wanted():
    ran = []
    results = run_all(ran.append, each([1, 2, 3]), 1)
    next(results)
    assert ran == [1]


def test_chunks_are_taken_only_when_a_worker_can_soon_begin():
    taken = []

    def chunks():
        for number in range(40):
            taken.append(number)
            yield (number,)

    results = run_all(square, chunks(), 2)
    next(results)
    assert len(taken) <= 2 * IN_FLIGHT_PER_WORKER + 2
    assert sum(1 for _ in results) == 39


def test_several_workers_are_other_processes_and_every_result_comes_once():
    assert sorted(run_all(square, [range(7), range(7, 20)], 2)) == [n * n for n in range(20)]
    assert os.getpid() not in set(run_all(process_of, each(range(4)), 2))


@given(st.lists(st.integers(0, 5)), st.integers(1, 4))
def test_chunks_hold_every_item_once_in_order_and_never_two_kinds(items, workers):
    chunks = list(chunked(items, lambda item: item, workers))
    assert [item for chunk in chunks for item in chunk] == items
    assert all(len(set(chunk)) == 1 and len(chunk) <= LARGEST_CHUNK for chunk in chunks)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40)), max_size=90), st.integers(1, 3))
def test_neighbours_that_are_alike_follow_each_other_in_the_order_asked_for(items, workers):
    chunks = list(chunked(sorted(items), lambda item: item[0], workers, lambda item: -item[1]))
    assert [item for chunk in chunks for item in chunk] == sorted(items, key=lambda item: (item[0], -item[1]))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_items_that_are_all_alike_are_still_divided_between_workers(workers):
    assert len(list(chunked([1] * 100, lambda item: item, workers))) >= 2 * workers


@pytest.mark.parametrize(
    ("wanted", "tasks", "least", "workers"),
    [
        (3, 9, 1, 3),
        (3, 2, 1, 2),
        (1, 9, 1, 1),
        (5, 0, 1, 1),
        (0, 10_000, 1, os.cpu_count()),
        (0, 199, 100, 1),
        (2, 9, 100, 2),
    ],
)
def test_there_are_no_more_workers_than_tasks_and_by_themselves_than_are_worth_their_start(
    wanted, tasks, least, workers
):
    assert workers_for(wanted, tasks, least) == workers


def test_a_worker_that_is_killed_costs_its_item_alone():
    found = list(run_all(die_of_seven, [(1, 2), (6, 7, 8), (9,), (10, 11)], 2, lambda item, why: f"{item}: {why}"))
    assert sorted(found, key=str) == sorted([1, 2, 6, f"7: {DIED}", 8, 9, 10, 11], key=str)


def test_a_worker_that_is_killed_once_costs_nothing(tmp_path):
    assert sorted(run_all(partial(die_at_first, tmp_path / "died"), each(range(9)), 2)) == list(range(9))


def test_where_no_loss_is_provided_for_a_death_is_reported():
    with pytest.raises(Incomplete, match=f"^7: {DIED}"):
        list(run_all(die_of_seven, each(range(5, 9)), 2))


def test_a_script_that_is_not_guarded_is_reported_as_such(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from mendbench.runs.executor import run_all\nprint(list(run_all(abs, [(-1,), (-2,)], 2)))\n")
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "workers: worker processes die as they start; use one worker; a script that" in done.stderr


def test_an_error_on_purpose_comes_out_of_another_process_as_it_was_raised():
    for number, error in enumerate(ERRORS):
        with pytest.raises(type(error)) as raised:
            list(run_all(raise_numbered, each([number]), 2))
        assert str(raised.value) == str(error)
        assert vars(raised.value) == vars(error)


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_an_error_on_purpose_comes_out_of_this_process_as_it_was_raised(number):
    with pytest.raises(type(ERRORS[number])) as raised:
        list(run_all(raise_numbered, each([number]), 1))
    assert str(raised.value) == str(ERRORS[number])


def test_a_fault_of_the_task_itself_is_raised_too():
    for workers in (1, 2):
        with pytest.raises(ZeroDivisionError):
            list(run_all(divide, each([1, 0]), workers))


def test_ctrl_c_ends_busy_and_idle_workers_without_a_word():
    program = (
        "import os, sys, time\n"
        "from mendbench.runs.executor import run_all\n"
        "try:\n"
        "    for _ in run_all(time.sleep, [(0.01,), (1.0,)], 2):\n"
        "        print('going', flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "going\n"
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out.endswith("stopped\n")
    assert err == ""
    assert child.returncode == 0


def test_a_worker_ends_when_the_process_that_it_works_for_is_gone(monkeypatch):
    done = []

    class Parent:
        sentinel, ended = executor.connection.Pipe(duplex=False)

        def join(self):
            done.append("waited")

    Parent.ended.close()
    monkeypatch.setattr(executor, "parent_process", Parent)
    monkeypatch.setattr(executor, "_over", threading.Event())
    monkeypatch.setattr(executor.os, "_exit", done.append)
    going, mine = executor.connection.Pipe(duplex=False)
    with going, mine:
        executor._outlive_nobody(going)
    assert done == ["waited", 1]


def test_a_pool_that_is_closed_ends_with_the_task_at_hand(tmp_path):
    pool = executor.LocalPool(touch_until_over, 1)
    pool.submit([tmp_path / "first", tmp_path / "second"])
    while not (tmp_path / "first").exists():
        pass
    pool.close()
    assert not (tmp_path / "second").exists()


def test_workers_are_started_afresh_where_the_system_cannot_fork(monkeypatch):
    def context(method):
        if method != "spawn":
            raise ValueError(f"cannot find context for {method!r}")
        return multiprocessing.get_context(method)

    monkeypatch.setattr(executor, "get_context", context)
    assert sorted(executor.run_all(abs, [(-1,), (-2,)], 2)) == [1, 2]
