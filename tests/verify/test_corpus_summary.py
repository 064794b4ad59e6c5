from mendbench.errors import BadInput
from mendbench.verify.checking import CheckedCase
from mendbench.verify.corpus_summary import mutation_score, summary
from mendbench.verify.proof import MutantFate, Proof, Requirement


def fate(name, kind="constant"):
    return MutantFate(kind=kind, what=f"a {kind}", fate=name)


def checked(name, *fates, seconds=1.0, held=True):
    proof = Proof(
        case=name, kind="repairable", findings=(Requirement(what="x", held=held),), mutants=fates, recorded_from={}, seconds=seconds
    )  # fmt: skip
    return CheckedCase(case=name, problems=(), proof=proof)


def test_strength_is_overall_and_by_kind_of_mutant_with_the_others_beside_it():
    found = summary(
        [
            checked("a/a", fate("killed"), fate("survived"), fate("accepted"), seconds=1),
            checked("a/b", fate("killed", "drop_node"), fate("missed"), fate("invalid", "drop_node"), seconds=4),
            checked("a/c", seconds=2, held=False),
        ],
        (),
    )
    assert (found["cases"], found["held"]) == (3, 2)
    assert found["mutation_score"] == {
        "killed": 2,
        "survived": 1,
        "accepted": 1,
        "missed": 1,
        "invalid": 1,
        "unproved (live)": 0,
        "share": 0.6667,
    }
    assert {kind: row["share"] for kind, row in found["by_mutant"].items()} == {"constant": 0.5, "drop_node": 1.0}
    assert [(one["case"], one["what"]) for one in found["survivors"]] == [("a/a", "a constant")]
    assert [one["case"] for one in found["accepted"]] == ["a/a"]
    assert [(one["case"], one["fate"]) for one in found["unjudged"]] == [("a/b", "missed"), ("a/b", "invalid")]
    assert found["seconds"] == {"median": 2, "sum": 7}


def test_a_corpus_of_which_nothing_could_be_proved_has_no_figures():
    broken = CheckedCase(case="a/a", problems=(BadInput("p", "f", "m"),), proof=None)
    found = summary([broken], ())
    assert (found["cases"], found["held"], found["seconds"]["median"], found["mutation_score"]["share"]) == (
        1,
        0,
        None,
        None,
    )
    assert broken.document() == {
        "case": "a/a",
        "read": True,
        "note": None,
        "held": False,
        "problems": [{"place": "p", "found": "f", "hint": "m"}],
        "mutation_score": None,
    }


def test_no_judged_mutant_is_no_strength():
    assert mutation_score([fate("accepted"), fate("missed")])["share"] is None


def test_what_is_unproved_is_listed_with_its_reason_and_fails_no_case():
    fix = Requirement(what="the wrong fix fails: w", held=None, why="unproved (live): no recording")
    mutant = MutantFate(kind="constant", what="m", fate="unproved (live)", why="no recording either")
    proof = Proof(case="a/a", kind="repairable", findings=(fix,), mutants=(mutant,), recorded_from={}, seconds=1.0)
    found = summary([CheckedCase(case="a/a", problems=(), proof=proof)], ())
    assert found["held"] == 1
    assert found["unproved"] == [
        {"case": "a/a", "what": "the wrong fix fails: w", "why": "no recording"},
        {"case": "a/a", "what": "mutant: m", "why": "no recording either"},
    ]
    assert (found["mutation_score"]["unproved (live)"], found["mutation_score"]["share"]) == (1, None)
