"""Runs on a cluster, as the public functions take them."""

import pytest

from mendbench import api
from mendbench.api.settings import RunOptions
from mendbench.errors import BadInput


@pytest.mark.parametrize("mode", ["new_episodes", "all"])
@pytest.mark.parametrize("where", ["local", "tcp://127.0.0.1:1"])
def test_nothing_is_recorded_on_a_cluster(where, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=f"^--cluster: with --record {mode}; record without it"):
        api.run(RunOptions(cluster=where, record=mode, out=tmp_path / "out"))
    assert not list(tmp_path.iterdir())
