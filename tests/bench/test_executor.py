"""Running many tasks, here or in other processes."""

import os
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future

import pytest

from mendbench.bench.executor import IN_FLIGHT_PER_WORKER, SerialExecutor, executor_for, run_all
from mendbench.errors import BadInput, GuardTripped, Incomplete, ReplayMiss, UnknownName

ERRORS = (
    BadInput("world.yaml:3", "torn", "mend it"),
    UnknownName("strategy", "sumary", ["summary"]),
    Incomplete("no answer came"),
    ReplayMiss("GET https://a.test/", nearest="GET https://a.test/b", differs=("url.path",), record="mendbench run"),
    GuardTripped("socket.connect", "('127.0.0.1', 9)"),
)


def square(number):
    return number * number


def raise_numbered(number):
    raise ERRORS[number]


def divide(number):
    return 1 // number


def process_of(_number):
    return os.getpid()


class HoldingExecutor(Executor):
    """Runs nothing until it holds ``batch`` tasks, and then all but the newest one; at the last task, all."""

    def __init__(self, batch, total):
        self.batch, self.total, self.submitted = batch, total, 0
        self.held = []

    def submit(self, fn, /, *args, **kwargs):
        self.held.append((Future(), fn, args))
        self.submitted += 1
        newest = self.held[-1]
        if self.submitted == self.total or len(self.held) >= self.batch:
            ready = self.held if self.submitted == self.total else self.held[:-1]
            for future, work, given in ready:
                future.set_result(work(*given))
            self.held = self.held[len(ready) :]
        return newest[0]


def test_one_worker_is_this_process_and_keeps_the_order():
    with executor_for(1) as pool:
        assert isinstance(pool, SerialExecutor)
        assert list(run_all(pool, square, range(5), 1)) == [0, 1, 4, 9, 16]


def test_one_worker_runs_a_task_only_when_its_result_is_wanted():
    ran = []
    results = run_all(SerialExecutor(), ran.append, [1, 2, 3], 1)
    next(results)
    assert ran == [1]


def test_no_more_tasks_are_handed_out_than_workers_can_soon_begin():
    most, total = 2 * IN_FLIGHT_PER_WORKER, 5 * IN_FLIGHT_PER_WORKER
    pool = HoldingExecutor(most, total)
    results = run_all(pool, square, range(total), 2)
    first = next(results)
    assert pool.submitted == most
    assert sorted([first, *results]) == [n * n for n in range(total)]


def test_several_workers_are_other_processes_and_every_result_comes_once():
    with executor_for(2) as pool:
        assert sorted(run_all(pool, square, range(20), 2)) == [n * n for n in range(20)]
        assert os.getpid() not in set(run_all(pool, process_of, range(4), 2))


def test_an_error_on_purpose_comes_out_of_another_process_as_it_was_raised():
    with executor_for(2) as pool:
        for number, error in enumerate(ERRORS):
            with pytest.raises(type(error)) as raised:
                list(run_all(pool, raise_numbered, [number], 2))
            assert str(raised.value) == str(error)
            assert vars(raised.value) == vars(error)


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_an_error_on_purpose_comes_out_of_this_process_as_it_was_raised(number):
    with pytest.raises(type(ERRORS[number])) as raised:
        list(run_all(SerialExecutor(), raise_numbered, [number], 1))
    assert str(raised.value) == str(ERRORS[number])


def test_a_fault_of_the_task_itself_is_raised_too():
    with pytest.raises(ZeroDivisionError):
        list(run_all(SerialExecutor(), divide, [1, 0], 1))


def test_ctrl_c_ends_busy_and_idle_workers_without_a_word():
    program = (
        "import os, sys, time\n"
        "from mendbench.bench.executor import executor_for, run_all\n"
        "try:\n"
        "    with executor_for(2) as pool:\n"
        "        for _ in run_all(pool, time.sleep, [0.01, 1.0], 2):\n"
        "            print('going', flush=True)\n"
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
