"""The place of a run: one writer at a time, and always a run to be read there."""

import pytest

from mendbench.errors import BadInput
from mendbench.results import run_lock as places
from mendbench.results.run_lock import held, put_back, take
from mendbench.results.store import open_run, read_run
from tests.fakes.runs import small_run

WORDS = {"busy": "wait for it", "unwritable": "choose another"}


@pytest.fixture(params=[True, False], ids=["in one step", "in two steps"])
def folders(tmp_path, monkeypatch, request):
    """Two folders that hold their own names."""
    if not request.param:
        monkeypatch.setattr(places, "exchanged", lambda _one, _other: False)
    for name in ("place", "fresh"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "is").write_text(name, encoding="utf-8")
    return tmp_path / "place", tmp_path / "fresh"


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_the_fresh_folder_takes_the_place_and_the_old_one_is_gone(folders):
    place, fresh = folders
    take(place, fresh)
    assert (place / "is").read_text() == "fresh"
    assert names(place.parent) == ["place"]
    place.rename(fresh)
    take(place, fresh)
    assert (place / "is").read_text() == "fresh"


def test_one_writer_at_a_time_and_no_lock_is_left(tmp_path):
    place = tmp_path / "reports" / "latest"
    with (
        held(place, **WORDS),
        pytest.raises(BadInput, match="another run is writing it; wait for it"),
        held(place, **WORDS),
    ):
        pass
    with held(place, **WORDS):
        pass
    assert names(tmp_path / "reports") == []
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="; choose another"), held(tmp_path / "file" / "latest", **WORDS):
        pass


def test_a_run_whose_writer_was_killed_between_two_steps_is_put_back_by_the_next_reader(tmp_path):
    made, place = small_run(), tmp_path / "reports" / "latest"
    with open_run(place, {}, resume=False) as folder:
        folder.take(made)
        folder.finish(made.run, {})
    place.rename(tmp_path / "reports" / ".latest.old")
    assert len(read_run(place).rows) == len(made.rows)
    assert names(tmp_path / "reports") == ["latest"]


def test_what_was_replaced_already_is_removed_by_the_next_writer(folders):
    place, _ = folders
    old = place.with_name(".place.old")
    old.mkdir()
    put_back(place)
    assert not old.exists()
    assert (place / "is").read_text() == "place"
