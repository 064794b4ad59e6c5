"""What a worker of a cluster does; no dask is needed to know."""

import pickle
import sys
import zlib

import pytest

import mendbench.version
from mendbench.errors import BadInput, Incomplete
from mendbench.runs import cluster_worker
from mendbench.runs.bundle import pack
from mendbench.runs.cluster_worker import Unready, begin, end, introduce, makeup, run_chunk
from tests.fakes.cases import RENAMED, context_of
from tests.fakes.clusters import cases_of, refuse, square

RUN = "a-run"


@pytest.fixture
def shipped(root, tmp_path, monkeypatch):
    """Return a bundle and how it is unpacked, with a cache folder that holds nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cluster_worker, "_tasks", {})
    return pack(context_of(root), ())


def what(raw):
    return pickle.loads(zlib.decompress(raw))


def test_a_worker_says_what_it_is_and_whether_it_holds_the_bundle(shipped):
    bundle, unpacking = shipped
    versions, held = introduce(bundle.digest)
    assert versions["mendbench"] == mendbench.version.__version__
    assert versions["Python"] == ".".join(map(str, sys.version_info[:2]))
    assert versions["jinja2"] == pytest.importorskip("jinja2").__version__
    assert not held
    begin(RUN, square, unpacking, bundle)
    assert introduce(bundle.digest) == (makeup(), True)


def test_one_bundle_serves_all_runs_that_need_it(shipped):
    bundle, unpacking = shipped
    with pytest.raises(Unready):
        begin(RUN, square, unpacking, None)
    begin(RUN, square, unpacking, bundle)
    begin("another", cases_of, unpacking, None)
    assert what(run_chunk(RUN, (2, 3))) == [4, 9]
    assert RENAMED in what(run_chunk("another", (0,)))[0]


def test_a_run_that_ended_is_forgotten_and_one_that_was_never_begun_is_not_known(shipped):
    bundle, unpacking = shipped
    begin(RUN, square, unpacking, bundle)
    end(RUN)
    end(RUN)
    with pytest.raises(Unready):
        run_chunk(RUN, (1,))


def test_a_worker_remembers_only_so_many_runs_and_the_latest_of_them(shipped):
    bundle, unpacking = shipped
    for number in range(40):
        begin(f"run {number}", square, unpacking, bundle if number == 0 else None)
    assert what(run_chunk("run 39", (3,))) == [9]
    assert len(cluster_worker._tasks) < 40


def test_what_a_task_raises_comes_back_with_the_names_that_files_have_where_the_run_is(shipped, root):
    bundle, unpacking = shipped
    begin(RUN, refuse, unpacking, bundle)
    error = what(run_chunk(RUN, (RENAMED,)))
    assert isinstance(error, BadInput)
    place = f"{root / 'cases' / RENAMED / 'case.yaml'}:3"
    assert (error.place, error.found, error.hint) == (place, "torn", "mend it")
    assert str(error) == f"{place}: torn; mend it"


def test_a_bundle_that_arrived_damaged_is_not_used(shipped):
    bundle, unpacking = shipped
    torn = type(bundle)(digest=bundle.digest, blob=bundle.blob[: len(bundle.blob) // 2])
    with pytest.raises(Incomplete, match="arrived damaged"):
        begin(RUN, square, unpacking, torn)


def test_a_change_of_what_makes_rows_changes_what_a_worker_is_and_a_change_of_a_front_end_does_not(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(mendbench.version, "__file__", str(tmp_path / "__init__.py"))

    def written(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return makeup.__wrapped__()["mendbench's files"]

    first = written("trial/row.py", "one")
    assert written("cli/run.py", "shown") == first
    assert written("_corpus/case.json", "{}") == first
    second = written("strategies/mend.md.j2", "template")
    assert len({first, second, written("trial/row.py", "two")}) == 3
