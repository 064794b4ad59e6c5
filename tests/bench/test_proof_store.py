import json
from dataclasses import replace

from mendbench.bench.proof import Finding, MutantFate, Proof
from mendbench.bench.proof_store import store_proof, stored_proof
from tests.fakes.cases import RENAMED, setting_of

PROOF = Proof(
    case=RENAMED, kind="repairable", findings=(Finding(what="x", held=True),), mutants=(MutantFate(kind="constant", what="m", fate="killed"),),
    recorded_from={"json_api": "simulator"}, seconds=1.5,
)  # fmt: skip


def kept(root):
    corpus = setting_of(root).corpus
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
    corpus = setting_of(root).corpus
    case = corpus.case(RENAMED)
    store_proof(root / "file/proofs", case, corpus.cassettes(case), PROOF)
    assert stored_proof(root / "file/proofs", case, corpus.cassettes(case)) is None
