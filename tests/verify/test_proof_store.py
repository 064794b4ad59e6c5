import json
import os
from dataclasses import asdict, replace

import pytest

from mendbench.verify import proof_store
from mendbench.verify.proof import MutantFate, Proof, Requirement
from mendbench.verify.proof_store import store_proof, stored_proof
from tests.fakes.cases import RENAMED, context_of

PROOF = Proof(
    case=RENAMED, kind="repairable", findings=(Requirement(what="x", held=True),), mutants=(MutantFate(kind="constant", what="m", fate="killed", patch=({"op": "remove", "path": "/nodes/n"},)),),
    recorded_from={"json_api": "simulator"}, seconds=1.5,
)  # fmt: skip


def kept(root):
    corpus = context_of(root).corpus
    case = corpus.case(RENAMED)
    store_proof(root / ".mendbench/proofs", case, corpus.cassettes(case), PROOF)
    return case, corpus.cassettes(case)


def test_a_proof_comes_back_as_it_was(root):
    assert stored_proof(root / ".mendbench/proofs", *kept(root)) == PROOF
    assert (root / ".mendbench/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_proof_of_another_version_of_the_case_or_its_world_is_none(root):
    case, folder = kept(root)
    assert stored_proof(root / ".mendbench/proofs", replace(case, digest="other"), folder) is None
    (folder / "world.yaml").write_bytes((folder / "world.yaml").read_bytes() + b"\n")
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None


def test_a_broken_file_is_no_proof(root):
    case, folder = kept(root)
    path = root / ".mendbench/proofs" / f"{RENAMED}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for broken in ("{", "[]", json.dumps({**document, "format": 9}), json.dumps({**document, "proof": {"case": 1}})):
        path.write_text(broken, encoding="utf-8")
        assert stored_proof(root / ".mendbench/proofs", case, folder) is None


def test_where_nothing_can_be_written_nothing_is_kept(root):
    (root / "file").write_text("", encoding="utf-8")
    corpus = context_of(root).corpus
    case = corpus.case(RENAMED)
    store_proof(root / "file/proofs", case, corpus.cassettes(case), PROOF)
    assert stored_proof(root / "file/proofs", case, corpus.cassettes(case)) is None


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"a":' * 100_000, b'{"format": 1e400}', b"\xff", b""],
    ids=["deep lists", "deep objects", "a number without an end", "no UTF-8", "nothing"],
)
def test_what_means_harm_is_no_proof(root, data):
    case, folder = kept(root)
    (root / ".mendbench/proofs" / f"{RENAMED}.json").write_bytes(data)
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None


def test_a_pipe_a_link_and_what_is_too_large_are_no_proof(root, monkeypatch):
    case, folder = kept(root)
    path = root / ".mendbench/proofs" / f"{RENAMED}.json"
    monkeypatch.setattr(proof_store, "MAX_DOCUMENT", path.stat().st_size)
    assert stored_proof(root / ".mendbench/proofs", case, folder) == PROOF
    monkeypatch.setattr(proof_store, "MAX_DOCUMENT", path.stat().st_size - 1)
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None
    monkeypatch.undo()
    path.rename(root / "elsewhere.json")
    path.symlink_to(root / "elsewhere.json")
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None
    path.unlink()
    os.mkfifo(path)
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None


FINDING, FATE = asdict(PROOF.findings[0]), asdict(PROOF.mutants[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"case": "http/another"},
        {"kind": "another"},
        {"findings": [FINDING | {"held": "yes"}]},
        {"findings": [FINDING | {"what": ["x"]}]},
        {"mutants": [FATE | {"fate": ["killed"]}]},
        {"mutants": [FATE | {"fate": "escaped"}]},
        {"mutants": [FATE | {"what": None}]},
        {"mutants": [FATE | {"patch": ["remove"]}]},
        {"recorded_from": "simulator"},
        {"recorded_from": {"json_api": 1}},
        {"seconds": "long"},
    ],
    ids=json.dumps,
)
def test_a_proof_whose_parts_are_none_is_made_again(root, wrong):
    case, folder = kept(root)
    path = root / ".mendbench/proofs" / f"{RENAMED}.json"
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(document | {"proof": document["proof"] | wrong}), "utf-8")
    assert stored_proof(root / ".mendbench/proofs", case, folder) is None
