"""Everything that trials read, packed and unpacked."""

import io
import multiprocessing
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import Incomplete
from mendbench.runs.bundle import Bundle, default_cache, pack, unpack, unpacked
from mendbench.trial.components import BenchContext
from tests.fakes.cases import RENAMED, context_of, copy_of

TEMPLATE = "---\ntitle: Mine\nsource: invented\nsections: [{name: message, label: raw, keep: 1}]\n---\n{% block message %}{{ message }}{% endblock %}\n"


def names(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle.blob)) as archive:
        return archive.namelist()


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_files_give_the_same_bytes_wherever_and_whenever_they_were_written(root, tmp_path):
    other = copy_of(root, tmp_path / "elsewhere")
    for path in other.rglob("*.yaml"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert pack(context_of(root), ())[0] == pack(context_of(other), ())[0]


def test_one_changed_byte_gives_another_digest(root):
    first, _ = pack(context_of(root), ())
    path = root / "cases" / RENAMED / "workflow.json"
    path.write_text(path.read_text() + " ")
    assert pack(context_of(root), ())[0].digest != first.digest


def test_what_trials_do_not_read_is_not_shipped(root):
    first, _ = pack(context_of(root), ())
    for name in (
        "notes.txt",
        ".hidden.yaml",
        f"cases/{RENAMED}/draft.md",
        "cases/http/.venv/lib/big.yaml",
        f"cassettes/{RENAMED}/.lock.yaml",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("of no use to a trial")
    assert pack(context_of(root), ())[0] == first
    assert f"cases/{RENAMED}/case.yaml" in names(first)
    assert f"cassettes/{RENAMED}/world.yaml" in names(first)


def test_what_is_unpacked_is_what_was_packed(root, tmp_path):
    (root / "cases" / "split.yaml").write_text("format: 1\n")
    bundle, unpacking = pack(context_of(root), ())
    place = unpack(bundle, tmp_path / "cache")
    assert place.name == bundle.digest
    kept = {name: data for name, data in files_in(root).items() if name.startswith(("cases/", "cassettes/"))}
    assert files_in(place) == kept
    there = unpacking.context_in(place)
    assert {case.digest for case in there.corpus.cases} == {case.digest for case in context_of(root).corpus.cases}
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [bundle.digest]


def test_a_setting_lists_its_models_and_repairers_as_before_and_brings_no_case_that_was_read(root, tmp_path):
    context = replace(context_of(root), tolerant=True)
    assert context.corpus.cases
    bundle, unpacking = pack(context, ())
    assert set(vars(unpacking.context)) == set(BenchContext.__dataclass_fields__)
    there = unpacking.context_in(unpack(bundle, tmp_path / "cache"))
    assert replace(there, cases_dir=context.cases_dir, cassettes_dir=context.cassettes_dir) == replace(context)


@pytest.mark.parametrize("left_out", ["", "~message"])
@pytest.mark.parametrize("spelling", ["{0}/mine.md.j2", "{0}/../mine/mine.md.j2", "mine.md.j2", "./mine.md.j2"])
def test_a_strategy_that_is_named_by_its_file_is_shipped_and_keeps_its_name(
    root, tmp_path, monkeypatch, spelling, left_out
):
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("mine.md.j2").write_text(TEMPLATE)
    name = spelling.format(folder) + left_out
    here = context_of(root).strategy(name)
    bundle, unpacking = pack(context_of(root), [name, "summary"])
    there = unpacking.context_in(unpack(bundle, tmp_path / "cache"))
    Path("mine.md.j2").unlink()
    found = there.strategy(name)
    assert (found.name, found.digest) == (here.name, here.digest)
    assert there.strategy("summary").name == "summary"


def test_two_files_of_one_name_stay_two(root, tmp_path):
    places = [tmp_path / letter / "mine.md.j2" for letter in "ab"]
    for at, path in enumerate(places):
        path.parent.mkdir()
        path.write_text(TEMPLATE.replace("Mine", f"Mine {at}"))
    bundle, unpacking = pack(context_of(root), map(str, places))
    there = unpacking.context_in(unpack(bundle, tmp_path / "cache"))
    assert [there.strategy(str(path)).title for path in places] == ["Mine 0", "Mine 1"]


def test_the_configured_folders_of_strategies_are_shipped(root, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.md.j2").write_text(TEMPLATE)
    (folder / "README.md").write_text("not a template")
    bundle, unpacking = pack(replace(context_of(root), strategy_dirs=(folder,)), ())
    assert "strategies/0/mine.md.j2" in names(bundle)
    assert "strategies/0/README.md" not in names(bundle)
    there = unpacking.context_in(unpack(bundle, tmp_path / "cache"))
    assert there.strategy("mine").title == "Mine"


def test_what_is_said_of_a_copy_is_mapped_to_what_was_packed(root, tmp_path):
    bundle, unpacking = pack(context_of(root), ())
    place = unpack(bundle, tmp_path / "cache")
    said = f"{place / 'cassettes' / RENAMED / 'world.yaml'}:3: torn"
    assert unpacking.with_original_paths(said, place) == f"{root / 'cassettes' / RENAMED / 'world.yaml'}:3: torn"


@given(st.binary(max_size=200))
def test_bytes_that_are_not_what_the_digest_says_are_never_unpacked(tmp_path_factory, blob):
    cache = tmp_path_factory.mktemp("cache")
    with pytest.raises(Incomplete, match="arrived damaged"):
        unpack(Bundle(digest="0" * 64, blob=blob), cache)
    assert not list(cache.iterdir())


def test_a_copy_that_somebody_changed_is_not_used_and_is_made_again(root, tmp_path):
    bundle, _ = pack(context_of(root), ())
    place = unpack(bundle, tmp_path)
    path = place / "cases" / RENAMED / "case.yaml"
    path.write_text("changed")
    assert unpacked(bundle.digest, tmp_path) is None
    assert unpack(bundle, tmp_path) == place
    assert path.read_text() != "changed"
    assert unpacked(bundle.digest, tmp_path) == place


def _unpack_into(bundle, cache):
    return str(unpack(bundle, cache))


def test_several_processes_may_unpack_at_once(root, tmp_path):
    bundle, _ = pack(context_of(root), ())
    with multiprocessing.get_context("forkserver").Pool(2) as pool:
        places = pool.starmap(_unpack_into, [(bundle, tmp_path / "cache")] * 6)
    assert set(places) == {str(tmp_path / "cache" / bundle.digest)}
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [bundle.digest]


def test_a_cache_folder_that_cannot_be_written_to_is_an_error_of_the_system(root, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        unpack(pack(context_of(root), ())[0], tmp_path / "file")


def test_bundles_are_kept_where_the_users_caches_are(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert default_cache() == Path("/caches/mendbench/bundles")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache() == Path.home() / ".cache/mendbench/bundles"
