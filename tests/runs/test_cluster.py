"""A pool of a dask cluster's workers, with a real scheduler and real workers on loopback."""

import json
import logging
import os
import re
import signal
import sys
import time
from itertools import chain
from types import SimpleNamespace

import pytest

from mendbench.errors import BadInput, Incomplete
from mendbench.runs import cluster as clusters
from mendbench.runs.cluster import ClusterPool, open_cluster
from mendbench.runs.cluster_worker import makeup
from mendbench.runs.executor import DIED, run_on
from mendbench.runs.trials import run_trials
from tests.fakes.cases import MATRIX, RENAMED, context_of, key
from tests.fakes.clusters import START_S, cases_of, cluster, die_of_seven, linger, process_of, refuse, square

distributed = pytest.importorskip(
    "distributed", reason="dask.distributed is not installed: pip install 'mendbench[cluster]'"
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Return a cluster of two workers."""
    with cluster(tmp_path_factory.mktemp("cluster"), "north", "south") as started:
        yield started


def by_key(found):
    """Return rows without what the moment decides, and all texts."""
    pairs = list(found)
    rows = {row["key"]: json.dumps({**row, "timing": None}, sort_keys=True) for row, _ in pairs}
    assert len(rows) == len(pairs)
    return rows, dict(chain.from_iterable(texts.items() for _, texts in pairs))


def alone(root):
    return by_key(run_trials(context_of(root), MATRIX, 1))


def each(numbers):
    return [(number,) for number in numbers]


def opened(where, task, root, **more):
    return open_cluster(where, 0, task, context_of(root), (), **more)


def process_ids(address):
    with distributed.Client(address, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


def test_workers_give_the_rows_of_one_process_need_nothing_but_what_is_shipped_and_each_gets_it_once(
    running, root, tmp_path
):
    wanted, template = alone(root), tmp_path / "mine.md.j2"
    template.write_text(
        "---\ntitle: Mine\nsource: invented\nsections: [{name: message, label: raw, keep: 1}]\n---\n{% block message %}{{ message }}{% endblock %}\n"
    )
    named = [key(strategy=str(template)), key(strategy=f"{template}~message")]
    keys = (*MATRIX, *named)
    mine, _ = by_key(run_trials(context_of(root), named, 1))
    found = run_trials(context_of(root), keys, 0, running.address)
    first = next(found)
    root.rename(tmp_path / "gone")
    template.unlink()
    rows, texts = by_key(chain([first], found))
    (tmp_path / "gone").rename(root)
    assert rows == {**wanted[0], **mine}
    assert str(running.home) not in json.dumps(rows)
    assert texts.items() >= wanted[1].items()
    for name in ("north", "south"):
        places = list((running.home / f"cache-{name}").glob("mendbench/bundles/*"))
        stamps = [place.stat().st_mtime_ns for place in places]
        assert places
        by_key(run_trials(context_of(root), MATRIX[:2], 0, running.address))
        assert [place.stat().st_mtime_ns for place in places] == stamps


@pytest.mark.slow
def test_a_worker_that_is_killed_in_mid_run_changes_no_row_and_another_takes_its_place(running, root):
    keys = tuple(key(one.case, one.strategy, one.policy, sample=sample) for sample in (0, 1, 2) for one in MATRIX)
    wanted = by_key(run_trials(context_of(root), keys, 1))
    found = run_trials(context_of(root), keys, 0, running.address)
    first = next(found)
    os.kill(process_ids(running.address)[0], signal.SIGKILL)
    assert by_key(chain([first], found)) == wanted


@pytest.mark.slow
def test_what_a_worker_dies_of_costs_itself_alone_and_workers_that_come_back_work(running, root):
    before = process_ids(running.address)
    pool = opened(running.address, die_of_seven, root)
    found = run_on(pool, [(1, 2), (6, 7, 8), (9,), (10, 11)], lambda item, why: f"{item}: {why}")
    assert sorted(found, key=str) == sorted([1, 2, 6, f"7: {DIED}", 8, 9, 10, 11], key=str)
    pool = opened(running.address, process_of, root)
    after = set()
    try:
        for _ in range(3000):
            after.update(pool.submit((1,)).result())
            if len(after) == 2 or (pool.workers == 1 and not after.isdisjoint(before)):
                pool.renew()
            if after - set(before):
                break
    finally:
        pool.close()
    assert after - set(before), "no process that was started again was given anything"


@pytest.mark.slow
def test_without_workers_one_line_says_how_to_start_one_and_one_that_comes_late_gets_trials(tmp_path, root):
    with cluster(tmp_path) as started:
        with pytest.raises(Incomplete) as raised:
            opened(started.address, square, root, patience_s=0.1)
        said = f"--cluster {started.address}: no worker for 0.1 seconds; start one with `dask worker {started.address}`"
        assert str(raised.value) == said
        started.add_worker("late", "--no-nanny")
        pool = opened(started.address, square, root)
        try:
            assert pool.submit((2, 3)).result() == [4, 9]
            assert pool.workers == 1
        finally:
            pool.close()


def test_an_error_names_the_file_that_was_shipped_and_not_its_copy(running, root):
    with pytest.raises(BadInput) as raised:
        list(run_on(opened(running.address, refuse, root), [(RENAMED,)]))
    assert str(raised.value) == f"{root / 'cases' / RENAMED / 'case.yaml'}:3: torn; mend it"


@pytest.mark.slow
def test_a_run_may_be_given_up_in_the_middle(running, root):
    found = run_on(opened(running.address, cases_of, root), each(range(40)))
    assert next(found) == tuple(context_of(root).corpus.folders)
    found.close()


@pytest.mark.slow
def test_a_worker_that_differs_is_refused_by_name_and_what_differs(running, root, tmp_path, caplog):
    script = tmp_path / "older.py"
    script.write_text("import mendbench.version\nmendbench.version.__version__ = '0.0.1'\n")
    pool = opened(running.address, process_of, root)
    try:
        with caplog.at_level(logging.WARNING, "mendbench.runs.cluster"):
            older = running.add_worker("old-one", "--no-nanny", "--preload", str(script))
            deadline = time.monotonic() + START_S
            while not caplog.records and time.monotonic() < deadline:
                found = pool.submit((1,)).result()
                time.sleep(0.05)
        what = f"mendbench 0.0.1 in place of {makeup()['mendbench']}; it gets no trials"
        assert re.fullmatch(
            rf"--cluster {running.address}: worker old-one \(tcp://\S+\): {re.escape(what)}", caplog.messages[0]
        )
        found = [pool.submit((1,)).result()[0] for _ in range(10)]
        assert older not in found
        assert pool.workers == 2
    finally:
        pool.close()
        os.kill(older, signal.SIGTERM)


@pytest.mark.parametrize("address", ["", "nonsense", "walrus://127.0.0.1:1", "tcp://127.0.0.1:0"])
def test_an_address_of_no_scheduler_is_reported_in_one_line(address, root, monkeypatch):
    monkeypatch.setattr(clusters, "CONNECT_S", 0.1)
    with pytest.raises(BadInput, match=r"no scheduler answers there \(.+\); start one with `dask scheduler`") as raised:
        opened(address, square, root)
    assert "\n" not in str(raised.value)


def test_without_dask_it_says_what_to_install(root, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"not installed; pip install 'mendbench\[cluster\]'"):
        opened("local", square, root)


def test_how_many_workers_is_the_business_of_a_cluster_that_has_its_own(root):
    with pytest.raises(BadInput, match="--workers: 3, and a cluster that has its own"):
        open_cluster("tcp://127.0.0.1:1", 3, square, context_of(root), ())


@pytest.mark.slow
def test_a_cluster_of_this_machine_is_started_for_the_run_and_ended_with_it(root, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    wanted = alone(root)
    assert by_key(run_trials(context_of(root), MATRIX, 2, "local")) == wanted


class SilentClient:
    """A client whose scheduler has gone."""

    scheduler = SimpleNamespace(identity=None)

    def sync(self, _asked, **_):
        raise OSError("timed out")

    def run_on_scheduler(self, *_):
        return None


class OneOldWorker(SilentClient):
    """A client of a cluster with one worker."""

    def sync(self, _asked, **_):
        return {"workers": {"tcp://127.0.0.1:2": {"name": "old", "status": "running"}}}

    def run(self, function, *_, **__):
        return {"tcp://127.0.0.1:2": ({**makeup(), "Python": "3.9"}, False)}


def test_where_all_workers_differ_the_run_is_not_begun():
    pool = ClusterPool(
        OneOldWorker(), "tcp://127.0.0.1:1", SimpleNamespace(name="run", bundle=SimpleNamespace(digest="d")), 60
    )
    with pytest.raises(
        BadInput, match=r"worker old \(tcp://127\.0\.0\.1:2\): Python 3\.9 in place of 3\.\d+; install the same there"
    ):
        pool.start()


class BareScheduler(OneOldWorker):
    """A client of a scheduler on a machine without mendbench."""

    def run_on_scheduler(self, *_):
        raise ModuleNotFoundError("No module named 'mendbench'")


def test_a_scheduler_without_mendbench_is_reported_and_no_trial_is_blamed():
    pool = ClusterPool(BareScheduler(), "tcp://127.0.0.1:1", SimpleNamespace(name="run"), 60)
    with pytest.raises(
        BadInput, match="the scheduler has no mendbench that can run trials .No module named 'mendbench'"
    ):
        pool.start()


@pytest.mark.slow
def test_a_scheduler_that_dies_in_mid_run_ends_the_run_and_blames_no_item(tmp_path, root, monkeypatch):
    monkeypatch.setattr(clusters, "SILENCE_S", 1)
    with cluster(tmp_path) as started:
        started.add_worker("only", "--no-nanny")
        pool = opened(started.address, linger, root)
        pool._patience_s = 1
        found = run_on(pool, [(0,), (1,)], lambda item, why: pytest.fail(f"{item} {why}"))
        assert next(found) == 0
        os.kill(started.scheduler, signal.SIGKILL)
        with pytest.raises(Incomplete, match="no worker for 1 seconds"):
            list(found)


def test_a_scheduler_that_does_not_answer_once_is_only_busy():
    pool = ClusterPool(SilentClient(), "tcp://127.0.0.1:1", SimpleNamespace(name="run"), 0.05)
    pool._ready.add("tcp://127.0.0.1:2")
    pool._look()
    pool.renew()
    assert pool.workers == 1


def test_a_scheduler_that_is_gone_is_reported_as_no_worker_at_all(monkeypatch):
    monkeypatch.setattr(clusters, "SILENCE_S", 0)
    pool = ClusterPool(SilentClient(), "tcp://127.0.0.1:1", SimpleNamespace(name="run"), 0.05)
    pool._ready.add("tcp://127.0.0.1:2")
    pool._look()
    with pytest.raises(Incomplete, match=r"no worker for 0\.05 seconds"):
        pool.renew()
