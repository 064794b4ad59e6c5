"""A few faults of each effect, recorded from servers that misbehave; ``make torture`` tries all of the matrix."""

import shutil
from pathlib import Path

import pytest

from qa.torture import faults
from qa.torture.tally import failures

SHELL = "faults of shell"
EFFECTS = (faults.HTTP_CELLS, faults.MCP_CELLS, faults.FAR_MCP_CELLS, faults.SHELL_CELLS, faults.FILE_CELLS)


@pytest.fixture(scope="module")
def few():
    return list(faults.attempts(2, seed=5))


def test_a_few_faults_of_each_effect_replay_as_they_were_recorded(few):
    assert failures(one for one in few if one.kind != SHELL) == []


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed: no command can run")
def test_so_do_those_of_the_shell(few):
    assert failures(one for one in few if one.kind == SHELL) == []


def test_every_cell_of_the_matrix_has_a_name_of_its_own():
    for cells in (*EFFECTS, faults.MODEL_CELLS):
        assert len({cell.name for cell in cells}) == len(cells)


def test_the_page_on_trust_counts_the_cells():
    page = " ".join((Path(__file__).parents[2] / "docs" / "trust.md").read_text().split())
    http, mcp, far, shell, file, model = (len(cells) for cells in (*EFFECTS, faults.MODEL_CELLS))
    assert f"{http} faults of HTTP, {mcp} of MCP over a pipe and {far} over HTTP, {shell} of the shell, " in page
    assert f" {file} of files, {model} of a model's server" in page


CELLS = tuple(cell for cells in EFFECTS for cell in cells)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return faults.Authority(tmp_path_factory.mktemp("authority"))


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.effect}: {cell.name}")
def test_a_fault_replays_as_it_was_recorded(cell, authority):
    assert faults.met(cell, authority) is None


@pytest.mark.slow
@pytest.mark.parametrize("cell", faults.MODEL_CELLS, ids=lambda cell: cell.name)
def test_a_fault_of_a_models_server_is_no_answer(cell, authority):
    assert faults.model_tried(cell, authority) is None


@pytest.mark.slow
@pytest.mark.parametrize("cell", faults.MODEL_CELLS, ids=lambda cell: cell.name)
def test_a_fault_of_a_models_server_is_no_answer_for_an_llm_node_either(cell, authority):
    assert faults.llm_tried(cell, authority) is None
