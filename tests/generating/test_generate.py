"""Cases derived from working workflows: each is proved, and what is not a case is rejected with its reason."""

import pytest

from mendbench import api
from mendbench.api.settings import open_context
from mendbench.config.config_file import load_config
from mendbench.corpus.corpus import load_corpus
from mendbench.errors import BadInput, UnknownName
from tests.generating import SEED

OPERATORS = ("missing-param", "misspelt-field", "archived", "outage-passes")
OF_EACH_KIND = ("misspelt-field", "archived", "outage-passes")


def generate(out, *seeds, operators=OPERATORS, limit=None):
    return api.generate_cases(
        seeds or (SEED,), None, None, out=out, operators=operators, limit=limit, workers=1, on_progress=api.in_silence
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("generated")


@pytest.fixture(scope="module")
def generated(out):
    return generate(out)


@pytest.fixture(scope="module")
def cases(generated):
    corpus = load_corpus(generated.target.cases, generated.target.cassettes)
    return {case.name.removeprefix("labels-as-string-"): case for case in corpus.cases}


def test_every_case_that_is_written_is_proved_from_its_recordings(generated):
    checked = api.check_cases(
        (), generated.target.cases, generated.target.cassettes, workers=1, on_progress=api.in_silence
    )
    assert len(checked.cases) == 5
    assert [one.case for one in checked.cases if not one.held] == []


def test_the_kind_of_a_case_follows_from_who_the_operator_says_can_help(cases):
    kinds = {name: cases[name].kind for name in OF_EACH_KIND}
    assert kinds == {"misspelt-field": "repairable", "archived": "needs_user", "outage-passes": "transient"}


def test_the_fix_is_the_inverse_of_the_break(cases):
    (operation,) = cases["misspelt-field"].fix.patch
    assert operation["path"] == "/nodes/open_issue/params/body/title"
    assert operation["value"] == "${triage.response.verdict.heading}"


def test_a_case_keeps_the_request_the_group_and_the_variants_of_its_seed(cases):
    seed = open_context(load_config(), api.RunOptions()).corpus.case(SEED)
    for case in cases.values():
        assert (case.request, case.group) == (seed.request, seed.group)
        assert [one.name for one in case.variants] == [one.name for one in seed.variants]


def test_a_fact_of_the_fix_is_one_that_the_first_execution_states_and_the_frame_does_not(cases):
    assert cases["misspelt-field"].faults[0].fact_texts == ("triage.response.verdict.heading",)
    assert cases["missing-param"].faults[0].fact_texts == ("title",)  # GitHub: "title" wasn't supplied


def test_wrong_fixes_begin_with_what_a_hasty_engineer_writes(cases):
    constant, field, *_ = (fix.why for fix in cases["misspelt-field"].wrong_fixes)
    assert constant == '${triage.response.verdict.heading} as the constant "Gate stays open after a power cut"'
    assert field == "${triage.response.verdict.label_line} instead of ${triage.response.verdict.heading}"


def test_a_break_that_does_not_fail_is_rejected_with_the_reason(generated):
    rejected = {(one.title, one.why) for one in generated.cases if one.fate == "rejected"}
    assert ("open_issue does not send labels", "it does not fail") in rejected
    assert any(why == "a near-duplicate of a case of the same operator" for _, why in rejected)


def test_cases_that_are_there_already_are_kept(generated, out):
    path = generated.target.cases / SEED.partition("/")[0] / "labels-as-string-archived" / "case.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "# edited by hand\n", encoding="utf-8")
    again = generate(out, operators=("archived",))
    assert [one.fate for one in again.cases] == ["exists"]
    assert path.read_text(encoding="utf-8").endswith("# edited by hand\n")


def test_operators_take_turns_when_the_number_of_cases_is_limited(tmp_path):
    made = generate(tmp_path, operators=("misspelt-field", "missing-param"), limit=2)
    assert [one.operator for one in made.cases] == ["misspelt-field", "missing-param"]


def test_two_calls_write_the_same_bytes(generated, tmp_path):
    again = generate(tmp_path, operators=("misspelt-field",), limit=1)
    for target, name in ((again.target.cases, "case.yaml"), (again.target.cassettes, "world.yaml")):
        (new,) = target.glob(f"*/*/{name}")
        old = (generated.target.cases if name == "case.yaml" else generated.target.cassettes) / new.relative_to(target)
        assert new.read_bytes() == old.read_bytes()


def test_a_seed_must_be_a_control_or_repairable(tmp_path):
    made = generate(tmp_path, "slack/bot-token-was-revoked")
    assert [(type(one), one.found, one.hint) for one in made.problems] == [
        (BadInput, "a needs_user case", "a seed is a control, or a repairable case")
    ]
    assert not made.target.cases.exists()


def test_a_compound_has_the_fault_that_shows_first_and_the_one_behind_it(tmp_path):
    made = generate(tmp_path, operators=("two-faults",), limit=1)
    (case,) = load_corpus(made.target.cases, made.target.cassettes).cases
    assert [fault.id for fault in case.faults] == ["wrong-path", "misspelt-field"]
    assert case.first == {"triage": "error", "open_issue": "not_run"}
    assert len(case.fix.patch) == 2


def test_an_unknown_operator_or_seed_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UnknownName, match="did you mean 'misspelt-field'"):
        generate(tmp_path, operators=("misspelt-fields",))
    with pytest.raises(UnknownName, match="labels-as-string"):
        generate(tmp_path, "github/labels-as-strin")
