"""What `mendbench case check` says in text beside its table."""

import pytest

from mendbench.api import CheckedCorpus
from mendbench.cli.case_view import show_checked
from mendbench.cli.options import Format
from mendbench.errors import BadInput
from mendbench.verify.checking import CheckedCase
from mendbench.verify.corpus_summary import summary
from mendbench.verify.proof import ANY_EDIT, FIX_PASSES, MutantFate, Proof, Requirement

UNREAD = CheckedCase(
    case="a/new", proof=None, read=False,
    problems=tuple(BadInput(f"case.yaml:{line}:1", "title is not labelled", "a line") for line in (1, 2)),
)  # fmt: skip


def mutant(fate, why=""):
    return MutantFate(kind="constant", what="a constant", fate=fate, why=why)


def proved(*mutants, findings=(), kind="repairable"):
    proof = Proof(case="a/a", kind=kind, findings=findings, mutants=mutants, recorded_from={}, seconds=1.0)
    return CheckedCase(case="a/a", problems=(), proof=proof)


@pytest.fixture
def shown(capsys):
    """Return what is printed of checked cases."""

    def show(*cases):
        show_checked(CheckedCorpus(cases=cases, summary=summary(cases, ())), Format.text)
        return capsys.readouterr().out

    return show


def test_cases_that_cannot_be_read_have_a_line_and_no_table(shown):
    assert shown(UNREAD) == "1 case not read: 2 labels are missing\n"
    out = shown(UNREAD, proved())
    assert out.endswith("1 case not read: 2 labels are missing\n")
    assert "a/a" in out
    assert "a/new" not in out


def test_few_invalid_mutants_are_named_and_many_only_counted(shown):
    line = "a/a: invalid mutant: a constant: no such node\n"
    invalid = mutant("invalid", "no such node")
    assert shown(proved(mutant("killed"), invalid)).count(line) == 1
    assert shown(proved(*[invalid] * 3)).count(line) == 3
    assert shown(proved(*[invalid] * 4)).count(line) == 0


def test_mutants_of_a_case_whose_fix_fails_show_nothing(shown):
    out = shown(proved(mutant("killed"), findings=(Requirement(what=FIX_PASSES, held=False),)))
    assert "no mutant judged" in out
    assert "mutation score: -;" in out
    assert [row.split()[3:] for row in out.splitlines() if row.startswith("a/a ")] == [["-", "-", "-", "-", "1.0"]]


def test_wrong_fixes_that_no_check_refutes_are_counted_and_noted(shown):
    unchecked = Requirement(what="the wrong fix fails: w", held=True, why=ANY_EDIT)
    checked = Requirement(what="the wrong fix fails: v", held=True, why="refuted by kept a: it is gone")
    out = shown(proved(findings=(unchecked, checked), kind="control"))
    assert "1 wrong fix is refuted only because any edit is wrong here\n" in out
    assert "note" not in out
    assert "a/a: note: no check refutes a wrong fix, because any edit is wrong in a control case; " in shown(
        proved(findings=(unchecked,), kind="control")
    )
